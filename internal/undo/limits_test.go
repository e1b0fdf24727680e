package undo

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func contextWithin(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 300*time.Millisecond)
}

// waitTick waits until existing files are older than the resolution of the file system's clock.
func waitTick() { time.Sleep(3 * tick) }

// Files that are too large, unreadable or without room are listed with the reason and left alone.
func TestNotKept(t *testing.T) {
	unixOnly(t)
	large := strings.Repeat("x", MaxKept+1)
	r := newRig(t, map[string]string{"large": large, "shrinks": large, "grows": "1", "last": "1", "mode": large})
	r.must(os.Chmod(r.path("last"), 0o644))
	r.during(1, func() {
		r.write("large", large[1:]+"y")
		r.write("shrinks", "small")
		r.write("grows", large)
		r.write("made", large)
		r.must(os.Chmod(r.path("mode"), 0o600))
	})
	by := " changed on disk"
	no := by + " !it is larger than 1024 KiB, so no copy is kept"
	r.want(1, "changed grows"+no, "changed large"+no, "created made"+no, "mode mode"+by, "changed shrinks"+no)
	failed := r.undo(1)
	if len(failed) != 4 || !errors.Is(failed["made"], ErrNotKept) {
		t.Error(failed)
	}
	r.holds("made", large)
	if info, err := os.Stat(r.path("mode")); err != nil || info.Mode() != 0o644 {
		t.Error(info.Mode(), err)
	}
}

func TestUnreadable(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"a": "1", "d/b": "1"})
	r.must(os.Chmod(r.path("a"), 0))
	if _, err := os.ReadFile(r.path("a")); err == nil {
		t.Skip("this user may read everything")
	}
	r.during(1, func() { r.must(os.Chmod(r.path("a"), 0o644)); r.must(os.Chmod(r.path("d"), 0)) })
	defer os.Chmod(r.path("d"), 0o755)
	r.want(1, "changed a changed on disk !it could not be read", "changed d/b changed on disk !it could not be read")
}

func TestNoRoom(t *testing.T) {
	r := newRig(t, map[string]string{"a": noise(1, 700), "b": noise(2, 700), "c": "1"})
	r.j = r.journal(Options{MaxBytes: 1000}) // a quarter of it is reserved for changes
	const want = "not every change can be undone: the copies of a session may take 0 MiB"
	r.j.BeginTurn(t.Context(), 1)
	for _, name := range []string{"a", "b", "c"} {
		r.write(name, "2")
	}
	if notes := r.j.EndTurn(t.Context(), 1); len(notes) != 1 || notes[0].String() != want {
		t.Error(notes)
	}
	by := " changed on disk"
	r.want(1, "changed a"+by, "changed b"+by+" !the copies of this session take all of their 0 MiB", "changed c"+by)
	failed := r.undo(1)
	if len(failed) != 1 || !errors.Is(failed["b"], ErrNotKept) {
		t.Error(failed)
	}
	r.holds("b", "2")
	r.during(2, func() { r.write("c", "3") }) // it is said once
}

func TestTooManyFiles(t *testing.T) {
	for name, files := range map[string][]string{"tracked": {"a", "b", "c", "d"}, "untracked": {"a", "new", "new too", "d/new"}} {
		r := newRig(t, map[string]string{"a": "1"})
		r.j.most = 3
		r.during(1, func() {})
		for _, f := range files {
			r.write(f, "1")
		}
		if name == "tracked" {
			r.git("add", ".")
		}
		notes := r.j.BeginTurn(t.Context(), 2)
		if len(notes) != 1 || !strings.HasSuffix(notes[0].String(), "more than 3 files here") {
			t.Errorf("%s: got %v", name, notes)
		}
	}
}

// A change that keeps size and time is detected: at once because the file was young, and later by its inode.
func TestSameSizeAndTime(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"young": "1", "old": "1"})
	then := time.Now().Add(-time.Hour)
	r.must(os.Chtimes(r.path("old"), then, then))
	waitTick()
	r.write("young", "1")
	info, err := os.Stat(r.path("young"))
	r.must(err)
	r.during(1, func() {
		r.write("young", "2")
		r.must(os.Chtimes(r.path("young"), info.ModTime(), info.ModTime()))
		r.write("old", "2")
		r.must(os.Chtimes(r.path("old"), then, then))
	})
	by := " changed on disk"
	r.want(1, "changed old"+by, "changed young"+by)
}

// The second scan reads only files that changed.
func TestReadsOnlyChanges(t *testing.T) {
	r := newRig(t, map[string]string{"tracked": "1"})
	for _, name := range []string{"a", "b", "young"} {
		r.write(name, "1")
	}
	waitTick()
	r.j.BeginTurn(t.Context(), 1)
	r.j.EndTurn(t.Context(), 1)
	known := r.j.roots[0].known
	for name, e := range known {
		e.state.mode = 0o7 // reading would overwrite this
		e.recent = name == "young"
		known[name] = e
	}
	r.write("b", "2")
	r.j.BeginTurn(t.Context(), 2)
	if now := r.j.roots[0].known; now["a"].state.mode != 0o7 || now["b"].state.mode == 0o7 || now["young"].state.mode == 0o7 {
		t.Errorf("got %v", now)
	}
	now := time.Now()
	for _, st := range []stamp{{mtime: now.UnixNano() | 1}, {ctime: now.UnixNano() | 1}, {ctime: now.Add(-time.Second).Truncate(time.Second).UnixNano()}} {
		if !recently(st) {
			t.Errorf("%+v is not recent", st)
		}
	}
	if recently(stamp{mtime: now.Add(-time.Minute).UnixNano(), ctime: now.Add(-time.Second).UnixNano() | 1}) {
		t.Error("a second ago is recent")
	}
}

// Copies are private, removed by Close, and swept if their owner is gone.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	r := newRig(t, map[string]string{"a": "1"})
	r.write("untracked", "1")
	mine := r.journal(Options{Dir: dir})
	other := r.journal(Options{Dir: dir})
	mine.BeginTurn(t.Context(), 1)
	left := filepath.Join(dir, storePrefix+"left")
	r.must(os.Mkdir(left, 0o700))
	r.must(os.WriteFile(filepath.Join(left, packName), []byte("x"), 0o600))
	unrelated := filepath.Join(dir, "unrelated")
	r.must(os.Mkdir(unrelated, 0o700))
	check := func(want ...string) {
		t.Helper()
		entries, err := os.ReadDir(dir)
		r.must(err)
		var got []string
		for _, e := range entries {
			got = append(got, e.Name())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	a, b := filepath.Base(mine.store.dir), filepath.Base(other.store.dir)
	if a > b {
		a, b = b, a
	}
	r.must(Sweep(dir, time.Now()))
	check(a, b, filepath.Base(left), "unrelated")
	r.must(Sweep(dir, time.Now().Add(2*time.Hour)))
	check(a, b, "unrelated")
	if info, err := os.Stat(mine.store.pack.Name()); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(mine.store.dir); err != nil || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("%v, %v", info, err)
	}
	r.must(mine.Close())
	check(filepath.Base(other.store.dir), "unrelated")
	r.must(mine.Close())
	r.must(other.Close())
	r.must(Sweep(filepath.Join(dir, "none"), time.Now()))
}

// A damaged copy is not restored.
func TestDamagedCopy(t *testing.T) {
	r := newRig(t, map[string]string{"a": "old"})
	r.during(1, func() { r.write("a", "new") })
	_, err := r.j.store.pack.WriteAt([]byte("XXX"), r.j.store.at[textState("old").sum].off)
	r.must(err)
	if failed := r.undo(1); !errors.Is(failed["a"], errDamaged) {
		t.Error(failed)
	}
	r.holds("a", "new")
}

// After Close nothing is known or done; a directory of copies inside a root is not part of it.
func TestClosedAndWithin(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1"})
	r.j = r.journal(Options{Dir: r.path("state")})
	r.during(1, func() { r.write("a", "2") })
	r.want(1, "changed a changed on disk")
	changes := r.j.Changes(1)
	r.must(r.j.Close())
	if res := r.j.Undo(t.Context(), changes); !errors.Is(res[0].Err, ErrClosed) {
		t.Error(res)
	}
	if _, _, ok := r.j.Texts(changes[0]); ok {
		t.Error("texts after Close")
	}
	r.must(r.j.Written(1, Write{Path: r.path("a"), After: "x"}))
	if len(r.j.BeginTurn(t.Context(), 2))+len(r.j.Changes(All)) != 0 {
		t.Error("something is known after Close")
	}
	r.holds("a", "2")
}

func TestCancelled(t *testing.T) {
	r := newRig(t, map[string]string{"a": "1"})
	r.during(1, func() { r.write("a", "2") })
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fs.ErrInvalid)
	if res := r.j.Undo(ctx, r.j.Changes(1)); !errors.Is(res[0].Err, fs.ErrInvalid) {
		t.Error(res)
	}
	r.holds("a", "2")
	if notes := r.j.BeginTurn(ctx, 2); len(notes) != 1 || !errors.Is(notes[0].Err, fs.ErrInvalid) {
		t.Error(notes)
	}
}
