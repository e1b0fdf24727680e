package undo

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A change between the first check and the operation is detected by the second check.
func TestLastLook(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"text": "1", "mode": "1"})
	r.during(1, func() {
		r.write("text", "2")
		r.write("made", "2")
		r.must(os.Chmod(r.path("mode"), 0o755))
	})
	for _, name := range []string{"text", "mode", "made"} {
		r.write(name, "user")
	}
	top, err := openTop(r.dir)
	r.must(err)
	defer top.Close()
	changes := r.j.Changes(1)
	for _, c := range changes {
		w := &walker{top: top}
		p, err := r.j.placeOf(c.Path)
		r.must(err)
		do := task{c: c, from: c.after, to: c.before, dirs: c.newDirs}
		if err := (&restorer{j: r.j}).put(w, p, do); !errors.Is(err, ErrChangedSince) {
			t.Errorf("%s: got %v", c.Path, err)
		}
	}
	for _, name := range []string{"text", "mode", "made"} {
		r.holds(name, "user")
	}
	if entries, err := os.ReadDir(r.dir); err != nil || len(entries) != 4 || len(changes) != 3 {
		t.Errorf("something was left: %v, %v", entries, err)
	}
}

// A root whose parent directory became a link is a different root.
func TestDirectoryAboveReplaced(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"sub/a": "1"})
	top := r.dir
	r.dir = r.path("sub")
	r.j = r.journal(Options{})
	r.during(1, func() { r.write("a", "2") })
	moved := top + "-moved"
	r.must(os.Rename(top, moved))
	t.Cleanup(func() { os.RemoveAll(moved) })
	r.must(os.Symlink(moved, top))
	if failed := r.undo(1); failed["a"] == nil {
		t.Error("it was undone through a link")
	}
	if b, _ := os.ReadFile(filepath.Join(moved, "sub", "a")); string(b) != "2" {
		t.Errorf("got %q", b)
	}
}

// If names that differ in case are the same file, removing the new one would remove the old. The test uses a
// hard link for that.
func TestOtherCase(t *testing.T) {
	unixOnly(t)
	r := newRig(t, map[string]string{"Name": "1", "other": "1"})
	r.during(1, func() {
		r.must(os.Link(r.path("Name"), r.path("name")))
		r.write("Other", "2")
	})
	changes := r.j.Changes(1)
	if _, err := os.ReadFile(r.path("OTHER")); err == nil {
		t.Skip("the file system knows no case")
	}
	by := " changed on disk"
	r.want(1, "created Other"+by, "created name"+by+" !it is another name of a file that was there before")
	if len(changes) == 2 {
		r.undo(1)
	}
	r.holds("name", "1")
	r.absent("Other")
}
