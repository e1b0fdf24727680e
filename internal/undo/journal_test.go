package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/gittest"
)

func unixOnly(t testing.TB) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("modes, links and odd names of Unix")
	}
}

// All kinds of changes are listed, Undo restores every byte, mode and link, and the repository itself is not
// touched.
func TestAllKinds(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a.txt": "one\n", "crlf.txt": "one\r\ntwo\r\n", "d/e/gone": "g", "run.sh": "#!\n", "bin": "\x00\xff", ".gitattributes": "* text=auto\n"})
	r.write("untracked", "u")
	r.write("line\nbreak \xff", "odd name")
	r.must(os.Symlink("a.txt", r.path("link")))
	out := outside(t)
	before := tree(t, r.dir, true)
	r.during(1, func() {
		r.write("a.txt", "two\n")
		r.write("crlf.txt", "one\ntwo\n")
		r.remove("d")
		r.must(os.Chmod(r.path("run.sh"), 0o755))
		r.write("bin", "\x00\xfe")
		r.write("untracked", "")
		r.write("line\nbreak \xff", "new")
		r.write("new/deep/file", "n")
		r.remove("link")
		r.must(os.Symlink(filepath.Join(out, "a"), r.path("link")))
	})
	by := " changed on disk"
	r.want(1, "changed a.txt"+by, "changed bin"+by, "changed crlf.txt"+by, "deleted d/e/gone"+by, "changed line\nbreak \xff"+by,
		"changed link"+by, "created new/deep/file"+by, "mode run.sh"+by, "changed untracked"+by)
	for _, c := range r.j.Changes(1) {
		old, now, ok := r.j.Texts(c)
		switch filepath.Base(c.Path) {
		case "crlf.txt":
			if old != "one\r\ntwo\r\n" || now != "one\ntwo\n" || !ok || c.Before != 10 || c.After != 8 {
				t.Errorf("crlf.txt: %q, %q, %v, %d, %d", old, now, ok, c.Before, c.After)
			}
		case "gone":
			if old != "g" || now != "" || !ok || c.After != -1 {
				t.Errorf("gone: %q, %q, %v, %d", old, now, ok, c.After)
			}
		case "bin":
			if ok {
				t.Error("bin is text")
			}
		}
	}
	after := tree(t, r.dir, true)
	r.undoAll(1)
	if diff := cmp.Diff(before, tree(t, r.dir, true)); diff != "" {
		t.Errorf("undone, it is not as before:\n%s", diff)
	}
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
		t.Error(failed)
	}
	if diff := cmp.Diff(after, tree(t, r.dir, true)); diff != "" {
		t.Errorf("done again, it is not as it was:\n%s", diff)
	}
	r.undoAll(1)
	for _, line := range r.lines(r.j.Changes(1)) {
		if !strings.HasSuffix(line, " -") {
			t.Errorf("not marked as undone: %s", line)
		}
	}
}

// Later changes by the user stay, bytes and modes, and are reported.
func TestUserChangesStay(t *testing.T) {
	r := newRig(t, map[string]string{"text": "1", "mode": "1", "deleted": "1", "back": "1"})
	r.during(1, func() {
		r.write("text", "2")
		r.write("mode", "2")
		r.write("made", "2")
		r.write("made too", "2")
		r.remove("deleted")
		r.write("back", "2")
	})
	r.write("text", "3")
	r.must(os.Chmod(r.path("mode"), 0o400))
	r.write("made", "3")
	r.remove("made too")
	r.write("deleted", "3")
	r.write("back", "1") // the user did what Undo would do
	before := tree(t, r.dir, true)
	look := r.errors(r.j.Preview(t.Context(), r.j.Changes(1)))
	for _, res := range r.j.Preview(t.Context(), r.j.Changes(1)) {
		if name := filepath.Base(res.Change.Path); res.Already != (name == "back" || name == "made too") {
			t.Errorf("%s: got %v", name, res.Already)
		}
	}
	failed := r.undo(1)
	for _, name := range []string{"text", "mode", "made", "deleted"} {
		if !errors.Is(failed[name], ErrChangedSince) || !errors.Is(look[name], ErrChangedSince) {
			t.Errorf("%s: %v, looked: %v", name, failed[name], look[name])
		}
	}
	if len(failed) != 4 || len(look) != 4 {
		t.Errorf("%v, %v", failed, look)
	}
	if diff := cmp.Diff(before, tree(t, r.dir, true)); diff != "" {
		t.Error(diff)
	}
}

// A chain over several turns is one change; a change by the user breaks it.
func TestChains(t *testing.T) {
	r := newRig(t, map[string]string{"whole": "1", "broken": "1", "toandfro": "1"})
	turn := func(n int, text string) {
		r.during(n, func() {
			r.write("whole", text)
			r.write("broken", text)
			r.write("toandfro", map[int]string{1: "x", 2: "1"}[n])
		})
	}
	turn(1, "2")
	r.write("broken", "user")
	turn(2, "3")
	by := " changed on disk"
	r.want(All, "changed broken"+by, "changed whole"+by, "changed broken"+by)
	if got := r.j.Changes(All)[1]; got.Turn != 2 || got.NoUndoReason != "" {
		t.Errorf("got %+v", got)
	}
	failed := r.undo(All)
	if len(failed) != 1 || !errors.Is(failed["broken"], ErrChangedSince) {
		t.Error(failed)
	}
	r.holds("whole", "1")
	r.holds("broken", "user")
	r.want(All, "changed broken"+by, "changed whole"+by+" -", "changed broken"+by+" -")
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(All)[1:2])); len(failed) > 0 {
		t.Error(failed)
	}
	r.holds("whole", "3")
}

// Turns can be undone one by one, starting with the last.
func TestTurnByTurn(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1"})
	r.during(1, func() { r.write("a", "2") })
	r.during(2, func() { r.write("a", "3") })
	if failed := r.undo(1); !errors.Is(failed["a"], ErrChangedSince) {
		t.Errorf("the first turn was undone under the second: %v", failed)
	}
	r.undoAll(2)
	r.holds("a", "2")
	r.undoAll(1)
	r.holds("a", "1")
	if failed := r.undo(1); !errors.Is(failed["a"], ErrNotKept) {
		t.Errorf("undone twice: %v", failed)
	}
	both := r.errors(r.j.Redo(t.Context(), append(r.j.Changes(2), r.j.Changes(1)...)))
	if len(both) > 0 {
		t.Error(both)
	}
	r.holds("a", "3")
}

// A name that changes from file to directory and back.
func TestFileAndDirectory(t *testing.T) {
	r := newRig(t, map[string]string{"x": "file", "d/a": "a", "d/b/c": "c"})
	before := tree(t, r.dir, false)
	r.during(1, func() {
		r.remove("x")
		r.write("x/y/z", "in it")
		r.remove("d")
		r.write("d", "a file")
	})
	after := tree(t, r.dir, false)
	r.undoAll(1)
	if diff := cmp.Diff(before, tree(t, r.dir, false)); diff != "" {
		t.Error(diff)
	}
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(1))); len(failed) > 0 {
		t.Error(failed)
	}
	if diff := cmp.Diff(after, tree(t, r.dir, false)); diff != "" {
		t.Error(diff)
	}
	r.write("x/mine", "user")
	failed := r.undo(1)
	if len(failed) != 1 || !errors.Is(failed["x"], ErrChangedSince) {
		t.Error(failed)
	}
	r.holds("x/mine", "user")
	r.holds("d/b/c", "c")
}

// Directories that had files before the turn stay; others are removed when empty.
func TestEmptyDirectories(t *testing.T) {
	r := newRig(t, map[string]string{"old/a": "1"})
	r.during(1, func() {
		r.remove("old/a")
		r.write("old/new/b", "2")
		r.write("new/c/d", "2")
		r.write("shared/e", "2")
	})
	r.write("shared/user", "3")
	changes := r.j.Changes(1)
	chosen := changes[:0]
	for _, c := range changes {
		if c.Kind == Created {
			chosen = append(chosen, c)
		}
	}
	if failed := r.errors(r.j.Undo(t.Context(), chosen)); len(failed) > 0 || len(chosen) != 3 {
		t.Error(failed, chosen)
	}
	r.absent("old/new")
	r.absent("new")
	r.holds("shared/user", "3")
	if _, err := os.Stat(r.path("old")); err != nil {
		t.Error(err)
	}
}

// Without git, or outside a worktree, only writes written via parley are tracked; the reason is reported once.
func TestWithoutGit(t *testing.T) {
	gittest.Isolate(t)
	for _, git := range []string{"", filepath.Join(t.TempDir(), "git")} {
		if _, err := exec.LookPath("git"); err != nil && git == "" {
			continue
		}
		r := &rig{t: t, dir: realTemp(t)}
		r.write("a", "1")
		r.j = r.journal(Options{Git: git})
		notes := r.j.BeginTurn(t.Context(), 1)
		if len(notes) != 1 || notes[0].Root != r.dir || notes[0].Err == nil {
			t.Errorf("got %+v", notes)
		}
		r.write("unseen", "x")
		r.parley(1, "a", "2")
		r.parley(1, "new/b", "2")
		if notes := r.j.EndTurn(t.Context(), 1); len(notes) != 0 {
			t.Errorf("got %+v", notes)
		}
		if notes := r.j.BeginTurn(t.Context(), 2); len(notes) != 0 {
			t.Errorf("said again: %+v", notes)
		}
		r.want(1, "changed a written via parley", "created new/b written via parley")
		r.undoAll(1)
		r.holds("a", "1")
		r.absent("new")
		r.holds("unseen", "x")
	}
}

// parley writes a file for the agent, as fsops does.
func (r *rig) parley(number int, name, text string) {
	r.t.Helper()
	old, err := os.ReadFile(r.path(name))
	r.write(name, text)
	r.must(r.j.Written(number, Write{Path: r.path(name), Existed: err == nil, Known: true, Before: string(old), After: text}))
}

// Writes written via parley and changes on disk are told apart as far as possible.
func TestByWhom(t *testing.T) {
	r := newRig(t, map[string]string{"p": "1", "both": "1", "disk": "1", "before": "1", ".gitignore": "ignored\n"})
	r.write("ignored", "1")
	r.j.BeginTurn(t.Context(), 1)
	r.parley(1, "p", "2")
	r.parley(1, "p", "3")
	r.want(1, "changed p written via parley") // during the turn
	r.parley(1, "both", "2")
	r.write("both", "3")
	r.write("before", "2")
	r.parley(1, "before", "3")
	r.write("disk", "2")
	r.parley(1, "ignored", "2")
	r.parley(1, "made", "2")
	r.parley(1, "script", "2")
	r.remove("script")
	r.j.EndTurn(t.Context(), 1)
	r.want(1, "changed ignored written via parley", "changed before written via parley and changed on disk", "changed both written via parley and changed on disk",
		"changed disk changed on disk", "created made written via parley", "changed p written via parley")
	r.undoAll(1)
	for _, name := range []string{"p", "both", "before", "disk", "ignored"} {
		r.holds(name, "1")
	}
	r.absent("made")
}

// The prompt does not wait for the scan before a turn: a write that the scan finds done already is
// listed anyway, and undone to what was there before it.
func TestWrittenBeforeTheScan(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n", "c": "1\n"})
	r.parley(1, "a", "2\n")
	r.parley(1, "a", "3\n")
	r.parley(1, "new", "n\n")
	r.parley(1, "b", "2\n")
	r.write("b", "1\n") // by a command
	r.during(1, func() {
		r.parley(1, "a", "4\n")
		r.write("c", "2\n")
	})
	r.want(1, "changed a written via parley", "changed c changed on disk", "created new written via parley")
	r.undoAll(1)
	r.holds("a", "1\n")
	r.holds("c", "1\n")
	r.absent("new")
}

// A write that the scan after the turn before has found is listed once.
func TestWrittenBeforeTheScanOfTheTurnBefore(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1\n", "b": "1\n"})
	r.during(1, func() {
		r.parley(2, "a", "2\n")
		r.parley(2, "b", "2\n")
	})
	r.parley(2, "b", "3\n")
	r.during(2, func() {})
	r.want(1, "changed a changed on disk", "changed b changed on disk")
	r.want(2, "changed b written via parley and changed on disk")
	r.undoAll(2)
	r.undoAll(1)
	r.holds("a", "1\n")
	r.holds("b", "1\n")
}

// A write outside the roots can be undone, and no directory is removed there.
func TestOutsideTheRoots(t *testing.T) {
	r := newRig(t, nil)
	out := &rig{t: t, dir: realTemp(t), j: r.j}
	out.write("dir/a", "1")
	out.parley(1, "dir/a", "2")
	out.parley(1, "new/b", "2")
	out.parley(1, "dir/c", "2")
	out.write("dir/c", "3")
	failed := out.undo(1)
	if len(failed) != 1 || !errors.Is(failed["dir/c"], ErrChangedSince) {
		t.Error(failed)
	}
	out.holds("dir/a", "1")
	out.absent("new/b")
	if _, err := os.Stat(out.path("new")); err != nil {
		t.Error(err)
	}
}

// A created file whose mode the user has changed stays.
func TestUndoLeavesACreatedFileWithAnotherMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	r := newRig(t, nil)
	path := r.path("run.sh")
	r.during(1, func() {
		r.write("run.sh", "echo\n")
		r.must(r.j.Written(1, Write{Path: path, Known: true, After: "echo\n"}))
	})
	r.must(os.Chmod(path, 0o755))
	results := r.j.Undo(t.Context(), r.j.Changes(All))
	if len(results) != 1 || !errors.Is(results[0].Err, ErrChangedSince) {
		t.Errorf("got %+v", results)
	}
	r.must(os.Chmod(path, 0o644))
	if results = r.j.Undo(t.Context(), r.j.Changes(All)); len(results) != 1 || results[0].Err != nil {
		t.Errorf("got %+v", results)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// A file that the next turn replaces by a directory cannot be undone: the directory may have unknown files.
func TestMadeFileBecomesDirectory(t *testing.T) {
	r := newRig(t, map[string]string{".gitignore": "*.ign\n"})
	r.during(1, func() { r.write("made", "text\n") })
	r.during(2, func() {
		r.remove("made")
		r.write("made/seen", "text\n")
		r.write("made/not.ign", "text\n")
	})
	r.want(1, "created made changed on disk")
	r.want(2, "deleted made changed on disk", "created made/seen changed on disk")
	r.want(All, "created made/seen changed on disk")
	r.undoAll(All)
	r.absent("made/seen")
	r.holds("made/not.ign", "text\n")
}

// An empty directory can be replaced; one with content cannot.
func TestDirectoryInTheWay(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1", "b": "1"})
	r.during(1, func() {
		r.remove("a")
		r.remove("b")
	})
	r.must(os.Mkdir(r.path("a"), 0o755))
	r.write("b/users", "text")
	look := r.errors(r.j.Preview(t.Context(), r.j.Changes(1)))
	failed := r.undo(1)
	for _, errs := range []map[string]error{look, failed} {
		if len(errs) != 1 || !errors.Is(errs["b"], ErrChangedSince) {
			t.Error(errs)
		}
	}
	r.holds("a", "1")
	r.holds("b/users", "text")
}

// The mode of an ignored file is unknown until the file is removed.
func TestUnknownMode(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{".gitignore": "*.ign\n"})
	write := func(turn int, w Write) {
		w.Path = r.path("x.ign")
		r.during(turn, func() {
			r.write("x.ign", w.After)
			r.must(r.j.Written(turn, w))
			r.must(os.Chmod(w.Path, 0o755))
		})
	}
	write(1, Write{After: "1"})
	write(2, Write{Existed: true, Known: true, Before: "1", After: "2"})
	before := tree(t, r.dir, false)
	r.undoAll(All)
	r.absent("x.ign")
	if failed := r.errors(r.j.Redo(t.Context(), r.j.Changes(All))); len(failed) > 0 {
		t.Error(failed)
	}
	if diff := cmp.Diff(before, tree(t, r.dir, false)); diff != "" {
		t.Error(diff)
	}
}

// What is not known of the beginning of turns is one note.
func TestLate(t *testing.T) {
	r := newRig(t, nil)
	for _, late := range []struct {
		turn int
		by   time.Duration
		want string
	}{
		{2, time.Millisecond, "what changed in the first 0.1 s of turn 2 is not fully known"},
		{5, 340 * time.Millisecond, "what changed in the first 0.4 s of turn 5 and of 1 before it is not fully known"},
	} {
		r.j.Late(late.turn, late.by)
		if got := r.j.Notes(); len(got) != 1 || got[0].String() != late.want {
			t.Errorf("got %v", got)
		}
	}
}
