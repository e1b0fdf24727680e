package review

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"parley/internal/intent"
	"parley/internal/undo"
)

var far = strings.Repeat("same\n", 20)

func three() onDisk {
	return changedFile("d/three.go", "a\n"+far+"b\n"+far+"c\n", "A\n"+far+"B\n"+far+"C\n")
}

func TestFilesAndHunks(t *testing.T) {
	g := newRig(t, three(), changedFile("d/one.go", "x\n", "y\n"), changedFile("named.go", "", "new\nlines\n"))
	g.sees("Review: turn 1 · 3 files +6 −4", "file 1 of 3", "▾ ./", "▸ M named.go", "+2 −0", "▾ d/", "M one.go", "+1 −1", "M three.go", "+3 −3", "+ lines")
	g.misses("not reported by the agent")
	g.press("}", "}")
	g.sees("file 3 of 3", "hunk 1 of 3", "▌ hunk 1 of 3", "- a", "+ A", "not reported by the agent")
	g.press("]")
	g.sees("▌ hunk 2 of 3", "- b")
	g.press("]", "]")
	g.sees("hunk 3 of 3", "file 3 of 3", "+ C")
	g.press("[", "[", "[")
	g.sees("file 2 of 3", "▌ hunk 1 of 1", "+ y")
	g.press("]")
	g.sees("▌ hunk 1 of 3")
	g.press("{", "{", "{")
	g.sees("file 1 of 3")
}

// A refresh while the files are listed for the first time lists the same turns.
func TestRefreshWhileOpening(t *testing.T) {
	later := changedFile("z.go", "x\n", "y\n")
	later.Turn = 2
	g := newRig(t, three(), later)
	g.r = g.review(g.r.env)
	g.r.Saw(g.width, g.height)
	g.held = true
	g.run(g.r.Start(g.changes()))
	g.run(g.r.Refresh())
	g.release()
	g.sees("Review: turn 2 · 1 file")
}

func TestKeep(t *testing.T) {
	g := newRig(t, three(), changedFile("z.go", "x\n", "y\n"))
	g.press("}", "a")
	g.sees("hunk 1 of 3 · ✓ kept", "▌ hunk 2 of 3")
	g.misses("- a", "+ A")
	g.press("[", "a")
	g.sees("▌ hunk 1 of 3", "+ A")
	g.misses("✓ kept")
	g.press("z")
	g.sees("hunk 1 of 3 · folded")
	g.misses("+ A")
	g.press("z")
	g.sees("+ A")
	g.press("A")
	g.press("{")
	g.sees("✓ M three.go")
	g.press("}", "z")
	g.sees("hunk 3 of 3 · ✓ kept", "+ A")
	g.press("z", "{")
	g.misses("+ A")
	g.press("}")
	g.sees("hunk 3 of 3 · ✓ kept")
	g.misses("+ C")
	g.press("esc")
	if g.r.Open() {
		t.Fatal("still open")
	}
	g.run(g.r.Start(g.changes()))
	g.sees("✓ M three.go")
	g.files["/x/d/three.go"].after += "more\n" // in a later turn
	g.files["/x/d/three.go"].Version = "2"
	g.run(g.r.Start(g.changes()))
	g.press("}")
	g.sees("hunk 1 of 3 · ✓ kept", "+ more")
	if g.changed != 0 {
		t.Error("keeping changes nothing")
	}
}

// Each hunk is undone byte by byte, and done again.
func TestUndoHunks(t *testing.T) {
	for name, c := range map[string]struct{ before, after, first, last string }{
		"LF":         {"a\n" + far + "b\n", "A\n" + far + "B\n", "a\n" + far + "B\n", "A\n" + far + "b\n"},
		"CRLF":       {"a\r\n" + far + "b\r\n", "A\r\n" + far + "B\r\n", "a\r\n" + far + "B\r\n", "A\r\n" + far + "b\r\n"},
		"ends":       {"a\r\n" + far + "b\n", "a\n" + far + "b\r\n", "a\r\n" + far + "b\r\n", "a\n" + far + "b\n"},
		"no newline": {"a\n" + far + "b", "A\n" + far + "b\n", "a\n" + far + "b\n", "A\n" + far + "b"},
		"hidden":     {"a\n" + far + "b\u202e\n", "a\u200b\n" + far + "b\n", "a\n" + far + "b\n", "a\u200b\n" + far + "b\u202e\n"},
		"escapes":    {"\x1b[1m\n" + far + "b\r\r\n", "\x1b[2m\n" + far + "b\r\n", "\x1b[1m\n" + far + "b\r\n", "\x1b[2m\n" + far + "b\r\r\n"},
		"huge": {strings.Repeat("x", 1<<19) + "\n" + far + "b\n", strings.Repeat("y", 1<<19) + "\n" + far + "B\n",
			strings.Repeat("x", 1<<19) + "\n" + far + "B\n", strings.Repeat("y", 1<<19) + "\n" + far + "b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, whole := range []bool{false, true} {
				g := newRig(t, changedFile("f", c.before, c.after))
				if whole {
					g.press("w")
				}
				g.sees("hunk 1 of 2")
				g.press("u")
				g.says("Undid 1 hunk of f")
				g.holds("f", c.first)
				g.sees("hunk 1 of 1")
				g.press("r")
				g.holds("f", c.after)
				g.press("]", "u")
				g.holds("f", c.last)
				g.press("u") // the only one that is left
				g.says("Restored f")
				g.sees("Restored. r redoes its change")
				if !g.files["/x/f"].Undone || g.changed != 4 {
					t.Errorf("%+v, changed %d times", g.files["/x/f"].Change, g.changed)
				}
				g.press("r")
				g.holds("f", c.last)
				g.press("r")
				g.holds("f", c.after)
				g.press("r")
				g.says("Nothing was undone here")
			}
		})
	}
}

func TestStageHunks(t *testing.T) {
	g := newRig(t, three())
	staged := func(want string) {
		t.Helper()
		if got := g.files["/x/d/three.go"].staged; got == nil || *got != want {
			t.Errorf("staged %v", got)
		}
	}
	g.press("]", "s")
	g.says("Staged 1 hunk of d/three.go")
	staged("a\n" + far + "B\n" + far + "c\n")
	g.sees("hunk 2 of 3 · staged")
	g.press("S")
	g.says("Staged d/three.go")
	staged("A\n" + far + "B\n" + far + "C\n")
	g.sees("hunk 1 of 3 · staged", "hunk 3 of 3 · staged")
	if g.changed != 0 {
		t.Error("staging changes no file")
	}
}

// What cannot be done is said in one line, and changes nothing.
func TestRefused(t *testing.T) {
	g := newRig(t, three())
	g.err = errors.New("git is in the middle of a merge or rebase: finish that first\nmore")
	for key, want := range map[string]string{"u": "Not undone: d/three.go", "U": "Not undone: d/three.go", "s": "Not staged: d/three.go: git is in the middle of a merge", "S": "Not staged: d/three.go"} {
		g.press(key)
		g.says(want)
		g.sees("hunk 1 of 3")
		g.misses("staged")
	}
	g.press("r")
	g.says("Nothing was undone here")
	g.err = nil
	g.files["/x/d/three.go"].Version = "2" // changed on the disk meanwhile
	g.press("u")
	g.says("Not undone: d/three.go: it was changed since")
	g.holds("d/three.go", three().after)
	if g.changed != 0 {
		t.Error("something was changed")
	}
}

// Two keys in a row are one undo: the second would be about another hunk.
func TestOneAtATime(t *testing.T) {
	g := newRig(t, three())
	g.held = true
	g.press("u", "u", "s")
	g.release()
	g.holds("d/three.go", "a\n"+far+"B\n"+far+"C\n")
	if g.files["/x/d/three.go"].staged != nil {
		t.Error("staged, too")
	}
}

func TestKinds(t *testing.T) {
	for want, f := range map[string]onDisk{
		"Binary file: 1.0 kB before, 2.0 kB now.":              {Change: undo.Change{Path: "bin", Before: 1024, After: 2048}, noText: true},
		"Renamed; the content is the same.":                    {Change: undo.Change{Path: "f", From: "/x/d/old", Kind: undo.Renamed}, before: "x\n", after: "x\n"},
		"Only the mode has changed: 644 → 755.":                {Change: undo.Change{Path: "f", Kind: undo.Mode, Modes: "644 → 755"}, before: "x\n", after: "x\n"},
		"A new empty file.":                                    {Change: undo.Change{Path: "f", Kind: undo.Created}},
		"The content is not kept: nothing before, 3.1 MB now.": {Change: undo.Change{Path: "f", Kind: undo.Created, Before: -1, After: 3 << 20, NoUndoReason: "it is larger than 1024 KiB, so no copy is kept"}, noText: true},
	} {
		g := newRig(t, f)
		g.sees(want)
		g.misses("+0 −0")
		if f.From != "" {
			g.sees("R d/old → f")
		}
		if f.NoUndoReason != "" {
			g.sees("Cannot be undone: it is larger")
		}
		g.press("a")
		g.sees("file 1 of 1")
		g.press("a", "S")
		g.says("Staged " + f.Path)
		g.press("u")
		if f.Kind == undo.Created {
			g.says("Removed " + f.Path)
			g.sees("Removed. r redoes its change")
		} else {
			g.says("Restored " + f.Path)
		}
		g.press("u")
		g.says("is undone already; r redoes its change")
		g.press("r")
		g.says("Redid ")
	}
	g := newRig(t, onDisk{Change: undo.Change{Path: "f", Kind: undo.Created, Link: true}, after: "/etc/passwd"})
	g.sees("created · symbolic link · turn 1", "+ /etc/passwd")
	g = newRig(t, onDisk{Change: undo.Change{Path: "gone", Kind: undo.Deleted}, before: "x\n"})
	g.sees("D gone", "- x", "+0 −1")
	g.press("o")
	g.says("There is no such file now: gone")
	g.press("u")
	g.press("o")
	if g.opened != "/x/gone:1" {
		t.Errorf("opened %q", g.opened)
	}
}

func TestOpenAndCopy(t *testing.T) {
	g := newRig(t, three())
	g.press("]", "]", "o")
	if g.opened != "/x/d/three.go:43" {
		t.Errorf("opened %q", g.opened)
	}
	g.press("y")
	if !strings.HasPrefix(g.copied, "--- a/d/three.go\n+++ b/d/three.go\n@@ -1,4 +1,4 @@\n-a\n+A\n") {
		t.Errorf("copied %q", g.copied)
	}
	for want, f := range map[string]onDisk{
		"--- /dev/null\n+++ b/a b\t\n@@ -0,0 +1,1 @@\n+x\n": {Change: undo.Change{Path: "a b", Kind: undo.Created}, after: "x\n"},
		"--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n":     {Change: undo.Change{Path: "f", Kind: undo.Deleted}, before: "x\n"},
		"": {Change: undo.Change{Path: "f", Kind: undo.Mode}, before: "x\n", after: "x\n"},
	} {
		g := newRig(t, f)
		g.press("y")
		if g.copied != want {
			t.Errorf("copied %q, want %q", g.copied, want)
		}
		if want == "" {
			g.says("Nothing to copy here")
		}
	}
}

func TestSides(t *testing.T) {
	g := newRig(t, changedFile("f", "old\nsame\n", "new\nsame\n"))
	g.misses("old │")
	g.press("v")
	if s := g.screen(); !strings.Contains(s, "- old") || !strings.Contains(s, "│   1 + new") {
		t.Error(s)
	}
	g.press("v")
	g.sees("+ new")
	g = newRig(t, changedFile("f", "old\nsame\n", "new\nsame\n"))
	g.width = 200
	g.r.Saw(g.width, g.height)
	g.run(g.r.Read())
	g.sees("│   1 + new")
}

func TestScopes(t *testing.T) {
	var files []onDisk
	for n := 1; n <= 3; n++ {
		f := changedFile(fmt.Sprintf("f%d", n), "x\n", "y\n")
		f.Turn = 2 * n
		files = append(files, f)
	}
	g := newRig(t, files...)
	g.sees("Review: turn 6 · 1 file")
	g.press("<")
	g.sees("Review: since turn 4 · 2 files", "M f3")
	g.press("<")
	g.sees("Review: all turns · 3 files")
	g.press("<")
	g.says("No other turn has changed files")
	g.sees("t last turn")
	g.press("t")
	g.sees("Review: turn 6", "t all turns")
	g.press("t")
	g.sees("Review: all turns")
	g.press(">", ">", ">")
	g.sees("Review: turn 6")
	g.says("No other turn has changed files")
}

// A turn that ends while the turns to review are being listed does not change which these are.
func TestScopeAtTheEndOfATurn(t *testing.T) {
	var files []onDisk
	for n := 1; n <= 3; n++ {
		f := changedFile(fmt.Sprintf("f%d", n), "x\n", "y\n")
		f.Turn = n
		files = append(files, f)
	}
	g := newRig(t, files...)
	g.r = g.review(g.r.env) // not started
	g.r.Saw(g.width, g.height)
	during := func(list func()) {
		g.held = true
		list()
		g.run(g.r.Refresh())
		g.release()
	}
	during(func() { g.run(g.r.Start(g.changes())) })
	g.sees("Review: turn 3 · 1 file")
	during(func() { g.press("<") })
	g.sees("Review: since turn 2 · 2 files")
}

func TestSearch(t *testing.T) {
	g := newRig(t, changedFile("a", "x\n", "one Needle\n"+far), changedFile("b", "x\n", "y\n"), changedFile("c", "needle\n"+far+"x\n", "needle\n"+far+"y\nneedle 2\n"))
	g.press("/")
	g.types("needlx")
	g.press("backspace", "e")
	g.sees("/needle")
	g.press("enter")
	g.sees("file 1 of 3", "one Needle")
	g.press("n")
	g.sees("file 3 of 3", "needle 2")
	g.press("n")
	g.sees("file 1 of 3")
	g.press("N")
	g.sees("file 3 of 3", "needle 2")
	g.press("/")
	g.types("Needle 2")
	g.press("enter")
	g.says("No match for Needle 2")
	g.press("/", "esc")
	if !g.r.Open() {
		t.Error("esc closed the review")
	}
	g.press("w", "/")
	g.types("same")
	g.press("enter")
	g.sees("same")
}

func TestTree(t *testing.T) {
	g := newRig(t, changedFile("a/one", "x\n", "y\n"), changedFile("a/two", "x\n", "y\n"), changedFile("b/three", "x\n", "y\n"))
	g.press("tab", "up", "enter")
	g.sees("▸ a/")
	g.misses("M one", "M two")
	g.press("down", "down")
	g.sees("b/three", "file 3 of 3")
	g.press("a") // the file
	g.sees("✓")
	g.press("up", "up", "enter")
	g.press("down", "u")
	g.says("Restored a/one")
	g.sees("restored")
	g.width = 60
	g.r.Saw(g.width, g.height)
	g.sees("▾ a/", "M two")
	g.press("down", "enter")
	g.sees("M a/two", "+ y")
	g.misses("▾ a/")
	g.press("tab", "esc", "esc")
	if g.r.Open() {
		t.Error("still open")
	}
	g.run(g.r.Start(g.changes()))
	g.width = 120
	g.r.Saw(g.width, g.height)
	g.r.Click(5, 3, true)
	g.run(g.r.Read())
	g.sees("file 2 of 3")
}

func TestOtherKeys(t *testing.T) {
	g := newRig(t, three())
	g.press("x", "f1", "?")
	if len(g.did) != 2 || g.did[0] != intent.ToggleHelp || g.did[1] != intent.ToggleHelp {
		t.Errorf("%v", g.did)
	}
	g.press("ctrl+c")
	if g.r.Open() {
		t.Error("still open")
	}
	g = newRig(t)
	g.says("No changes recorded in this session")
	if g.r.Open() {
		t.Error("open with nothing to show")
	}
}

// What is not recorded, and why, is said below the changes, or instead of them.
func TestSaysWhatIsNotRecorded(t *testing.T) {
	const why = "Unreported files are not recorded: not a git repository"
	g := newRig(t, three())
	body := g.r.bodyHeight(g.height)
	g.sees("hunk 1 of 3")
	g.gaps = []string{why, "Another reason"}
	g.run(g.r.Refresh())
	g.sees(why, "Another reason", "hunk 1 of 3")
	if rows, _ := g.r.Rows(80, 24); len(rows) != 24 || !strings.Contains(rows[21], why) || g.r.bodyHeight(g.height) != body-2 {
		t.Errorf("%d rows: %q", len(rows), rows)
	}
	for height := range 12 {
		if rows, _ := g.r.Rows(40, height); len(rows) > max(height, 3) {
			t.Errorf("%d rows of %d", len(rows), height)
		}
	}
	g = newRig(t)
	g.gaps = []string{why}
	g.run(g.r.Start(g.changes()))
	g.says("No changes recorded. " + why)
	g = newRig(t)
	g.gaps = []string{"Changes are not recorded: no room"}
	g.run(g.r.Start(g.changes()))
	g.says("Changes are not recorded: no room")
}

// Closing while something is read, listed or undone leaves nothing open.
func TestClosedMeanwhile(t *testing.T) {
	g := newRig(t, three(), changedFile("z", "x\n", "y\n"))
	g.held = true
	g.press("}", "u", "t", "/")
	g.types("B")
	g.press("enter", "q")
	g.release()
	if g.r.Open() {
		t.Error("open again")
	}
	g.run(g.r.Start(g.changes()))
	g.sees("file 1 of 2")
}

// Whatever keys are pressed and whatever the size is, the screen is drawn and nothing is lost.
func TestRandomKeys(t *testing.T) {
	keys := []string{"]", "[", "}", "{", "j", "k", "space", "pgup", "g", "G", "a", "A", "u", "U", "r", "s", "S", "v", "w", "z", "tab", "<", ">", "t", "n", "N", "o", "y", "enter"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		files := []onDisk{three(), changedFile("b/two", "x\n"+far+"y\r\n", "X\n"+far+"Y\r\n"), changedFile("日本/長い名前", strings.Repeat("日本", 900)+"\n", "x"),
			{Change: undo.Change{Path: "bin"}, noText: true}, {Change: undo.Change{Path: "new", Kind: undo.Created}, after: "n\n"}, {Change: undo.Change{Path: "gone", Kind: undo.Deleted}, before: "g\n"}}
		for i := range files {
			files[i].Turn = 1 + r.IntN(3)
		}
		g := newRig(t, files...)
		var pressed []string
		for range 120 {
			key := keys[r.IntN(len(keys))]
			pressed = append(pressed, key)
			g.held = r.IntN(4) > 0
			g.press(key)
			if r.IntN(2) == 0 {
				g.release()
			}
			if r.IntN(10) == 0 {
				g.width, g.height = 8+r.IntN(200), 4+r.IntN(50)
			}
			g.screen()
			g.r.Saw(g.width, g.height)
			if t.Failed() {
				t.Fatalf("seed %d: %q", seed, pressed)
			}
		}
	}
}
