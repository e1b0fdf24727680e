package undo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// only returns the one change of a turn.
func (r *rig) only(number int) Change {
	r.t.Helper()
	all := r.j.Changes(number)
	if len(all) != 1 {
		r.t.Fatalf("%d changes of %d: %v", len(all), number, r.lines(all))
	}
	return all[0]
}

// A part of a change can be undone, byte by byte. What is left is the change, and Undo reverts it.
func TestRewrite(t *testing.T) {
	for name, texts := range map[string][3]string{
		"lines":          {"a\nb\nc\n", "A\nb\nC\n", "a\nb\nC\n"},
		"CRLF":           {"a\r\nb\r\nc\r\n", "A\r\nb\r\nC\r\n", "A\r\nb\r\nc\r\n"},
		"no newline":     {"a\nb\nc", "A\nb\nC", "a\nb\nC"},
		"emptied":        {"a\nb\n", "", "b\n"},
		"not UTF-8":      {"a\xff\nb\n", "A\xff\nB\n", "A\xff\nb\n"},
		"one huge line":  {strings.Repeat("x", MaxKept/2), strings.Repeat("y", MaxKept/2), strings.Repeat("z", MaxKept/2)},
		"all but a byte": {"ab", "cd", "cb"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"f": texts[0]})
			r.during(1, func() { r.write("f", texts[1]) })
			r.must(r.j.Rewrite(t.Context(), r.only(1), texts[2]))
			r.holds("f", texts[2])
			c := r.only(All)
			if c.After != int64(len(texts[2])) || c.By != OnDisk || c.Turn != 1 {
				t.Errorf("%+v", c)
			}
			r.undoAll(1)
			r.holds("f", texts[0])
			if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
				t.Error(failed)
			}
			r.holds("f", texts[2])
		})
	}
}

// Undoing every part leaves no change.
func TestRewriteToTheOriginal(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nb\n"})
	r.during(1, func() { r.write("f", "A\nB\n") })
	r.must(r.j.Rewrite(t.Context(), r.only(1), "a\nB\n"))
	r.must(r.j.Rewrite(t.Context(), r.only(1), "a\nb\n"))
	r.want(All)
	r.holds("f", "a\nb\n")
}

// A file that is not as the change left it stays as it is.
func TestRewriteRefused(t *testing.T) {
	unixOnly(t)
	out := outside(t)
	for name, since := range map[string]func(r *rig){
		"edited":           func(r *rig) { r.write("d/f", "mine\n") },
		"already so":       func(r *rig) { r.write("d/f", "a\nB\n") },
		"undone":           func(r *rig) { r.undoAll(1) },
		"other mode":       func(r *rig) { r.must(os.Chmod(r.path("d/f"), 0o600)) },
		"removed":          func(r *rig) { r.remove("d/f") },
		"now a link":       func(r *rig) { r.remove("d/f"); r.must(os.Symlink(filepath.Join(out, "a"), r.path("d/f"))) },
		"directory a link": func(r *rig) { r.must(os.Rename(r.path("d"), r.path("e"))); r.must(os.Symlink("e", r.path("d"))) },
		"now a directory":  func(r *rig) { r.remove("d/f"); r.write("d/f/g", "mine\n") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, map[string]string{"d/f": "a\nb\n"})
			r.during(1, func() { r.write("d/f", "A\nB\n") })
			c := r.only(1)
			since(r)
			before := tree(t, r.dir, true)
			if err := r.j.Rewrite(t.Context(), c, "a\nB\n"); !errors.Is(err, ErrChangedSince) {
				t.Errorf("%v", err)
			}
			if got := tree(t, r.dir, true); fmt.Sprint(got) != fmt.Sprint(before) {
				t.Errorf("changed: %v\nwant %v", got, before)
			}
			if n := len(r.j.Changes(All)); n != 1 {
				t.Errorf("%d changes", n)
			}
		})
	}
}

// What cannot be kept, or is no file, is not rewritten.
func TestRewriteImpossible(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"big": strings.Repeat("b", MaxKept+1), "gone": "g\n"})
	r.must(os.Symlink("gone", r.path("link")))
	r.during(1, func() {
		r.write("big", strings.Repeat("c", MaxKept+1))
		r.remove("gone")
		r.remove("link")
		r.must(os.Symlink("big", r.path("link")))
		r.write("small", "s\n")
	})
	before := tree(t, r.dir, true)
	for _, c := range r.j.Changes(1) {
		text := "x\n"
		if filepath.Base(c.Path) == "small" {
			text = strings.Repeat("x", MaxKept+1)
		}
		if err := r.j.Rewrite(t.Context(), c, text); !errors.Is(err, ErrNotKept) {
			t.Errorf("%s: %v", c.Path, err)
		}
	}
	if got := tree(t, r.dir, true); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("changed: %v", got)
	}
	j := r.journal(Options{MaxBytes: 16})
	c := Change{Path: r.path("small"), after: textState("s\n"), ids: []int{0}}
	if err := j.Rewrite(t.Context(), c, strings.Repeat("y", 17)); !errors.Is(err, ErrNotKept) {
		t.Errorf("no room: %v", err)
	}
	r.holds("small", "s\n")
}

// What is undone or redone during a turn is no change of that turn; what the agent does to the same file
// afterwards is.
func TestUndoDuringATurn(t *testing.T) {
	by := " changed on disk"
	first := func(t *testing.T) *rig {
		r := newRig(t, map[string]string{"f": "1", "gone": "g"})
		r.during(1, func() {
			r.write("f", "2")
			r.write("d/new", "n")
			r.remove("gone")
		})
		return r
	}
	t.Run("undone", func(t *testing.T) {
		r := first(t)
		r.during(2, func() { r.undoAll(1) })
		r.want(2)
		r.want(All, "created d/new"+by+" -", "changed f"+by+" -", "deleted gone"+by+" -")
		r.during(3, func() {
			if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
				t.Error(failed)
			}
		})
		r.want(3)
		r.want(All, "created d/new"+by, "changed f"+by, "deleted gone"+by)
	})
	t.Run("changed afterwards", func(t *testing.T) {
		r := first(t)
		r.during(2, func() {
			r.undoAll(1)
			r.write("f", "3")
			r.write("d/new", "again")
		})
		r.want(2, "created d/new"+by, "changed f"+by)
		r.undoAll(2)
		r.holds("f", "1")
		r.absent("d")
	})
	t.Run("written in the same turn", func(t *testing.T) {
		r := first(t)
		r.during(2, func() {
			r.write("f", "3")
			r.must(r.j.Written(2, Write{Path: r.path("f"), Existed: true, Before: "2", Known: true, After: "3"}))
			r.undoAll(All) // both turns
			r.holds("f", "1")
		})
		r.want(All, "created d/new"+by+" -", "changed f written via parley and changed on disk -", "deleted gone"+by+" -")
		r.during(3, func() {})
		r.want(3)
	})
	t.Run("written in the same turn and redone", func(t *testing.T) {
		r := first(t)
		r.during(2, func() {
			r.write("f", "3")
			r.must(r.j.Written(2, Write{Path: r.path("f"), Existed: true, Before: "2", Known: true, After: "3"}))
			r.undoAll(All)
			if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(All))); len(failed) > 0 {
				t.Error(failed)
			}
		})
		r.want(2, "changed f written via parley")
		r.undoAll(2)
		r.holds("f", "2")
	})
}

// A part that is undone during a turn belongs to the turn of its change.
func TestRewriteDuringATurn(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\nb\n"})
	r.during(1, func() { r.write("f", "A\nB\n") })
	r.during(2, func() {
		r.must(r.j.Rewrite(t.Context(), r.only(1), "a\nB\n"))
		r.write("other", "o\n")
	})
	r.want(1, "changed f changed on disk")
	r.want(2, "created other changed on disk")
	r.undoAll(All)
	r.holds("f", "a\nb\n")
	r.absent("other")
}

func TestRewriteOfAWriteThroughParley(t *testing.T) {
	r := newRig(t, nil)
	r.during(1, func() {
		r.write("f", "A\nB\n")
		r.must(r.j.Written(1, Write{Path: r.path("f"), After: "A\nB\n"}))
		r.must(r.j.Rewrite(t.Context(), r.only(1), "A\n"))
	})
	r.want(1, "created f written via parley")
	r.undoAll(1)
	r.absent("f")
}

func TestSince(t *testing.T) {
	r := newRig(t, map[string]string{"f": "1"})
	for n := 1; n <= 3; n++ {
		r.during(n, func() { r.write("f", strings.Repeat("x", n)); r.write("f"+strings.Repeat("f", n), "") })
	}
	for first, want := range map[int][]string{0: {"ff", "f", "fff", "ffff"}, 2: {"f", "fff", "ffff"}, 3: {"f", "ffff"}, 4: nil} {
		var got []string
		for _, c := range r.j.Since(first) {
			got = append(got, filepath.Base(c.Path))
			if filepath.Base(c.Path) == "f" && c.Turn != 3 {
				t.Errorf("since %d: %+v", first, c)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("since %d: %q, want %q", first, got, want)
		}
	}
}

// Only whole files that have another name are renamed; the one of the same name first.
func TestRenamed(t *testing.T) {
	r := newRig(t, map[string]string{"a/x": "same\n", "a/y": "same\n", "old": "old\n", "empty": "", "edited": "1\n"})
	r.during(1, func() {
		for _, name := range []string{"a", "old", "empty", "edited"} {
			r.remove(name)
		}
		r.write("b/y", "same\n")
		r.write("c", "same\n")
		r.write("d", "same\n")
		r.write("new", "old\n")
		r.write("empty too", "")
		r.write("edited too", "2\n")
	})
	all := r.j.Changes(1)
	var got []string
	for to, from := range renamed(all) {
		a, _ := filepath.Rel(r.dir, all[from].Path)
		b, _ := filepath.Rel(r.dir, all[to].Path)
		got = append(got, filepath.ToSlash(a)+" "+filepath.ToSlash(b))
	}
	slices.Sort(got)
	if want := []string{"a/x c", "a/y b/y", "old new"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestModesOfChanges(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"run": "#!\n"})
	r.during(1, func() {
		r.must(os.Chmod(r.path("run"), 0o755))
		r.must(os.Symlink("run", r.path("link")))
	})
	for _, c := range r.j.Changes(1) {
		before, after := c.GitModes()
		switch filepath.Base(c.Path) {
		case "run":
			if before != "100644" || after != "100755" || c.Modes != "644 → 755" || c.Link {
				t.Errorf("%s %s %s %v", before, after, c.Modes, c.Link)
			}
		default:
			if before != "" || after != "120000" || c.Modes != "" || !c.Link {
				t.Errorf("%s %s", before, after)
			}
		}
	}
}
