package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/gittest"
)

// noRepository returns why not all is recorded in a directory that is in no repository.
func noRepository() error {
	if _, err := exec.LookPath("git"); err != nil {
		return errNoGit
	}
	return errNoWorktree
}

// withoutGit is a rig whose directory is no repository.
func withoutGit(t *testing.T, files map[string]string) *rig {
	t.Helper()
	gittest.Isolate(t)
	r := &rig{t: t, dir: realTemp(t)}
	for name, text := range files {
		r.write(name, text)
	}
	r.j = r.journal(Options{})
	waitTick()
	return r
}

// named runs one turn, in which files are named before the agent writes.
func (r *rig) named(number int, names []string, agent func()) {
	r.t.Helper()
	r.j.BeginTurn(r.t.Context(), number)
	r.name(names...)
	agent()
	r.j.EndTurn(r.t.Context(), number)
}

func (r *rig) name(names ...string) {
	r.t.Helper()
	for _, name := range names {
		r.must(r.j.Name(r.path(name)))
	}
}

// Without git, files that were named are listed with what was there before, and undone; others are not,
// and the reason is known.
func TestNamed(t *testing.T) {
	unixOnly(t)
	r := withoutGit(t, map[string]string{"a": "1\n", "same": "1\n", "gone": "1\n", "later": "1\n", "run": "1\n", "unseen": "1\n", "d/deep": "1\n"})
	first := tree(t, r.dir, false)
	r.named(1, []string{"a", "same", "gone", "new/made", "d/deep", "run", "d"}, func() {
		r.write("a", "2\n")
		r.remove("gone")
		r.write("new/made", "2\n")
		r.write("d/deep", "2\n")
		r.must(os.Chmod(r.path("run"), 0o755))
		r.write("unseen", "2\n")
	})
	by := " changed on disk"
	r.want(1, "changed a"+by, "changed d/deep"+by, "deleted gone"+by, "created new/made"+by, "mode run"+by)
	r.write("later", "user\n")
	waitTick()
	r.named(2, []string{"later"}, func() {
		r.write("later", "2\n")
		r.write("a", "3\n") // it was named in the turn before
	})
	r.want(2, "changed a"+by, "changed later"+by)
	if notes := r.j.Notes(); len(notes) != 1 || !errors.Is(notes[0].Err, noRepository()) || notes[0].Root != r.dir {
		t.Errorf("got %v", notes)
	}
	r.undoAll(All)
	r.holds("later", "user\n")
	r.write("later", "1\n")
	r.write("unseen", "1\n")
	if diff := cmp.Diff(first, tree(t, r.dir, false)); diff != "" {
		t.Errorf("undone, it is not as before:\n%s", diff)
	}
}

// What was written written via parley and what else happened to the file are told apart, as with git.
func TestNamedAndWritten(t *testing.T) {
	r := withoutGit(t, map[string]string{"a": "1\n", "b": "1\n"})
	r.j.BeginTurn(t.Context(), 1)
	r.write("young", "1\n")
	r.name("a", "young")
	r.parley(1, "young", "2\n")
	r.parley(1, "a", "2\n")
	r.parley(1, "b", "2\n")
	r.name("b") // its text before is known from the write
	r.write("b", "3\n")
	r.parley(1, "c", "2\n")
	r.remove("c")
	r.j.EndTurn(t.Context(), 1)
	r.want(1, "changed a written via parley", "changed b written via parley and changed on disk", "changed young written via parley")
	r.undoAll(1)
	r.holds("a", "1\n")
	r.holds("young", "1\n")
	r.holds("b", "1\n")
}

// A file that was written before it was named is listed, but what was there before is not made up.
func TestNamedTooLate(t *testing.T) {
	r := withoutGit(t, map[string]string{"a": "1\n", "b": "1\n"})
	r.j.BeginTurn(t.Context(), 1)
	r.write("a", "2\n")
	r.name("a", "b")
	r.write("a", "3\n")
	r.j.EndTurn(t.Context(), 1)
	r.want(1, "changed a changed on disk !"+doubtLate)
	if failed := r.undo(1); !errors.Is(failed["a"], ErrNotKept) {
		t.Error(failed)
	}
	r.holds("a", "3\n")
	waitTick()
	r.named(2, nil, func() { r.write("a", "4\n") })
	r.want(2, "changed a changed on disk")
}

// In a repository ignored files are tracked once they are named.
func TestNamedIgnored(t *testing.T) {
	r := newRig(t, map[string]string{".gitignore": "build/\n.env\n", "a": "1\n"})
	r.write("build/out", "1\n")
	r.write(".env", "1\n")
	waitTick()
	r.named(1, []string{"build/out", "build/new", "a", "new", ".git/config"}, func() {
		for _, name := range []string{"build/out", "build/new", "build/other", ".env", "a", "new"} {
			r.write(name, "2\n")
		}
	})
	by := " changed on disk"
	r.want(1, "changed a"+by, "created build/new"+by, "changed build/out"+by, "created new"+by)
	if notes := r.j.Notes(); len(notes) > 0 {
		t.Errorf("got %v", notes)
	}
	r.undoAll(1)
	r.holds("build/out", "1\n")
	r.absent("build/new")
	r.holds(".env", "2\n")
}

// Links that take the place of a named file or of its directory are not followed.
func TestNamedLinks(t *testing.T) {
	unixOnly(t)
	r := withoutGit(t, map[string]string{"a": "1\n", "d/b": "1\n"})
	out := outside(t)
	r.j.BeginTurn(t.Context(), 1)
	r.must(os.Symlink(out, r.path("away")))
	r.name("a", "d/b", "away/a")
	r.must(r.j.Name(out+"/a", "/", "relative", ""))
	r.remove("d")
	r.must(os.Symlink(out, r.path("d")))
	r.remove("a")
	r.must(os.Symlink(out+"/a", r.path("a")))
	r.j.EndTurn(t.Context(), 1)
	by := " changed on disk"
	r.want(1, "changed a"+by, "deleted d/b"+by)
	for _, c := range r.j.Changes(1) {
		if _, after, _ := r.j.Texts(c); strings.Contains(after, "outside\n") {
			t.Errorf("%s was read through a link: %q", c.Path, after)
		}
	}
}

// Too many named files are said to be; the first ones stay tracked.
func TestTooManyNamed(t *testing.T) {
	r := withoutGit(t, map[string]string{"a": "1\n"})
	r.name("a")
	for i := range maxNamed - 1 {
		r.name(fmt.Sprint("x", i))
	}
	r.j.BeginTurn(t.Context(), 1)
	r.name("b")
	r.write("a", "2\n")
	r.j.EndTurn(t.Context(), 1)
	r.want(1, "changed a changed on disk")
	if notes := r.j.Notes(); len(notes) != 2 || !errors.Is(notes[1].Err, errTooManyNamed) {
		t.Errorf("got %v", notes)
	}
}

// Courses in which every file is named are undone without git.
func TestNamedCourses(t *testing.T) {
	out, base := outside(t), realTemp(t)
	dirs := beginnings(t, base, len(courses))
	for i, c := range courses {
		t.Run(fmt.Sprint(c.seed), func(t *testing.T) {
			r := &rig{t: t, dir: dirs[i]}
			r.j = r.journal(Options{Git: "imitated"})
			r.j.git.tracked = func(context.Context, string, *index) (*index, error) { return nil, errNoWorktree }
			r.j.BeginTurn(t.Context(), 0) // says that there is no repository
			r.name(names...)
			c.follow(r, out)
		})
	}
}

// What was not recorded, and why, is kept with the changes, once, and without a change, too.
func TestNotesAreKept(t *testing.T) {
	r := withoutGit(t, map[string]string{"a": "1\n"})
	r.must(r.j.Close())
	r.j = nil
	r.keeping(Options{})
	r.named(1, nil, func() {})
	if all, err := List(r.keep.Dir); len(all) != 1 || all[0].Files != 0 || err != nil {
		t.Errorf("before there is a change: %+v, %v", all, err)
	}
	r.named(2, []string{"a"}, func() { r.write("a", "2\n") })
	note := "unreported files are not recorded: " + noRepository().Error()
	for range 2 {
		r.again()
		if notes := r.j.Notes(); len(notes) != 1 || notes[0].String() != note || notes[0].Root != r.dir {
			t.Errorf("got %q", notes)
		}
		r.named(3, nil, func() {})
	}
	r.undoAll(2)
	r.holds("a", "1\n")
}
