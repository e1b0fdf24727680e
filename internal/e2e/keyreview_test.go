//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/gittest"
)

// lines returns a text of 80 lines, of which some are new.
func lines(changed ...int) string {
	var b strings.Builder
	for n := 1; n <= 80; n++ {
		what := "line"
		if slices.Contains(changed, n) {
			what = "new"
		}
		fmt.Fprintf(&b, "%s %d\n", what, n)
	}
	return b.String()
}

// reviewed runs parley in a repository whose files the agent has changed in two turns, and opens
// the review of the second: three hunks of a.txt and one of b.txt. The first has changed c.txt.
func (d *desk) reviewed() *hand {
	d.Helper()
	d.script("git", `exec `+gittest.Program(d)+` "$@"`)
	d.env = append(d.env, "PATH="+d.path("bin")+":"+toolbox)
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		write(d, filepath.Join(d.dir, name), lines())
	}
	gittest.Init(d, d.dir)
	s := d.keyed(120, 24)
	for _, turn := range []struct{ prompt, before, count string }{
		{"change c.txt 50", "No changes recorded", "+1 −1"},
		{"change a.txt 3 40 70 b.txt 10", "╭ Review: turn 1 · 1 file", "+5 −5"},
	} {
		s.Prompt(turn.prompt)
		s.WaitFor("esc stop")
		s.Press("f5") // the answer comes after the files were looked at
		s.WaitFor(turn.before)
		s.Press("q", "backspace")
		s.WaitOnly([]string{"esc stop"}, "╭ Review")
		open(d, d.dir)
		s.WaitFor(turn.count)
		s.WaitIdle()
	}
	s.Press("f5")
	s.WaitFor("╭ Review: turn 2 · 2 files +4 −4", "hunk 1 of 3 · file 1 of 2", "+ new 3")
	return s
}

// file checks what a file holds.
func (h *hand) file(name string, changed ...int) {
	h.t.Helper()
	h.WaitFileText(filepath.Join(h.desk.dir, name), lines(changed...))
}

// staged checks what the index holds of a file.
func (h *hand) staged(name string, changed ...int) {
	h.t.Helper()
	if got := gittest.Run(h.t, h.desk.dir, "show", ":"+name); got != lines(changed...) {
		h.t.Errorf("the index holds of %s:\n%s", name, gittest.Run(h.t, h.desk.dir, "diff", "--cached", "-U0", name))
	}
}

func opensReview(d *desk) {
	s := d.reviewed()
	s.Press("?")
	s.WaitFor("╭ Keys", "Next hunk")
	s.Press("esc")
	s.WaitGone("╭ Keys")
	s.Press("q")
	s.WaitGone("╭ Review")
	s.Press("f5")
	s.WaitFor("╭ Review", "+ new 3")
	s.Press("esc")
	s.WaitGone("╭ Review")
	s.WaitDraft("")
}

func walksReview(d *desk) {
	s := d.reviewed()
	for _, step := range []struct{ key, to string }{
		{"]", "hunk 2 of 3 · file 1 of 2"}, {"right", "hunk 3 of 3 · file 1 of 2"}, {"[", "hunk 2 of 3 · file 1 of 2"}, {"left", "hunk 1 of 3 · file 1 of 2"},
		{"}", "hunk 1 of 1 · file 2 of 2"}, {"{", "hunk 1 of 3 · file 1 of 2"},
	} {
		s.Press(step.key)
		s.WaitFor(step.to)
	}
	line := func(rows []string) string { return strings.Replace(rows[3], "▌", " ", 1) } // the first, whichever hunk is selected
	top := s.WaitFor("▌ hunk 1 of 3")
	for _, keys := range []struct{ to, back, shows string }{
		{"j", "k", "hunk 2 of 3"}, {"down", "up", "hunk 2 of 3"}, {"space", "b", "new 70"}, {"pgdown", "pgup", "new 70"}, {"G", "g", "line 73"}, {"end", "home", "line 73"},
	} {
		s.Press(keys.to)
		s.WaitFunc("rows further down", func(rows []string) bool { return line(rows) != line(top) && rowOf(rows, keys.shows) > 0 })
		s.Press(keys.back)
		s.WaitFunc("the beginning", func(rows []string) bool { return line(rows) == line(top) })
	}

	s.Press("tab") // the list of files
	s.WaitGone("▌ hunk")
	s.Press("j")
	s.WaitFor("hunk 1 of 1 · file 2 of 2", "+ new 10")
	s.Press("k", "k", "z") // its directory
	s.WaitOnly([]string{"▸ ./"}, "M b.txt")
	s.Press("enter")
	s.WaitFor("▾ ./", "M b.txt")
	s.Press("down")
	s.WaitFor("file 1 of 2")
	s.Press("enter") // back to the diff
	s.WaitFor("▌ hunk 1 of 3")
	s.Press("z")
	s.WaitOnly([]string{"▌ hunk 1 of 3 · folded"}, "new 3")
	s.Press("z")
	s.WaitOnly([]string{"+ new 3"}, "folded")
	s.Press("v")
	s.WaitFunc("both sides in one row", func(rows []string) bool {
		return slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, "- line 3") && strings.Contains(r, "+ new 3") })
	})
	s.Press("v")
	s.WaitFunc("one column", func(rows []string) bool { return slices.Equal(rows[:20], top[:20]) })
	s.Press("w")
	s.WaitFor("line 12")
	s.Press("w")
	s.WaitFunc("only what has changed", func(rows []string) bool { return slices.Equal(rows[:20], top[:20]) })
}

func judgesChanges(d *desk) {
	s := d.reviewed()
	s.Press("a")
	s.WaitFor("hunk 2 of 3 · file 1 of 2")
	s.Press("[")
	s.WaitFor("▌ hunk 1 of 3 · ✓ kept")
	s.Press("A") // the file; the next is shown
	s.WaitFor("file 2 of 2")
	s.Press("{")
	s.WaitFor("hunk 2 of 3 · ✓ kept", "hunk 3 of 3 · ✓ kept")
	s.Press("A") // again: no longer
	s.WaitGone("✓ kept")

	s.Press("g", "]", "u")
	s.WaitFor("Undid 1 hunk of a.txt", "of 2 · file 1 of 2")
	s.file("a.txt", 3, 70)
	s.Press("s")
	s.WaitFor("Staged 1 hunk of a.txt", "▌ hunk 2 of 2 · staged")
	s.staged("a.txt", 70)
	s.Press("r")
	s.WaitFor("Redid a.txt", "of 3 · file 1 of 2")
	s.file("a.txt", 3, 40, 70)
	s.Press("S")
	s.WaitFor("Staged a.txt")
	s.staged("a.txt", 3, 40, 70)
	s.Press("}")
	s.WaitFor("file 2 of 2", "+ new 10")
	s.Press("U")
	s.WaitFor("Restored. r redoes its change.")
	s.file("b.txt")
	s.Press("r")
	s.WaitFor("Redid b.txt", "+ new 10")
	s.file("b.txt", 10)
	s.staged("b.txt")
}

func reviewsTurns(d *desk) {
	s := d.reviewed()
	s.Press("<")
	s.WaitFor("╭ Review: all turns · 3 files +5 −5", "M c.txt")
	s.Press(">")
	s.WaitOnly([]string{"╭ Review: turn 2 · 2 files"}, "M c.txt")
	s.Press("t")
	s.WaitFor("╭ Review: all turns · 3 files", "M c.txt")
	s.Press("t")
	s.WaitOnly([]string{"╭ Review: turn 2 · 2 files"}, "M c.txt")
}

func searchesReview(d *desk) {
	d.env = []string{"VISUAL=" + d.script("vi", `echo "$@" >"$E2E_ROOT/opened"`)}
	s := d.reviewed()
	s.Press("/")
	s.Type("new ")
	s.WaitFor("╰─ /new ")
	s.Press("enter")
	for _, step := range []struct{ key, to string }{
		{"n", "hunk 2 of 3"}, {"n", "hunk 3 of 3"}, {"n", "file 2 of 2"}, {"N", "hunk 3 of 3"}, {"N", "hunk 2 of 3"},
	} {
		s.Press(step.key)
		s.WaitFor(step.to)
	}
	s.Press("o")
	s.WaitFileText(d.path("opened"), "+40 "+filepath.Join(d.dir, "a.txt")+"\n")
	s.WaitFor("╭ Review")
	s.Press("y")
	patch := s.WaitCopiedFunc("the patch", func(text string) bool { return strings.HasPrefix(text, "--- a/a.txt\n+++ b/a.txt\n") })
	write(d, filepath.Join(d.dir, "a.txt"), lines())
	write(d, d.path("patch"), patch)
	gittest.Run(d, d.dir, "apply", d.path("patch"))
	s.file("a.txt", 3, 40, 70)
}
