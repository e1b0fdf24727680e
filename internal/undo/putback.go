package undo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"parley/fsops"
)

// put gives a name its target state. A first check found it as it was left; check repeats that
// right before the change.
func (r *restorer) put(w *walker, p place, t task) error {
	switch {
	case t.goes():
		return r.remove(w, p, t)
	case sameText(t.from, t.to):
		return r.chmod(w, p, t)
	}
	return r.replace(w, p, t)
}

// check examines the file a last time.
func (r *restorer) check(w *walker, p place, left state) error {
	if !leftAs(r.now(w, p), left) {
		return ErrChangedSince
	}
	return nil
}

// replace creates a temporary file next to the old one and renames it.
func (r *restorer) replace(w *walker, p place, t task) error {
	dir, err := w.make(path.Dir(p.rel))
	if errors.Is(err, errInTheWay) {
		return fmt.Errorf("%w: %w", ErrChangedSince, errInTheWay)
	}
	if err != nil {
		return fmt.Errorf("make the directory of %s: %w", t.c.Path, err)
	}
	base := path.Base(p.rel)
	name, err := r.prepare(dir, base, t.to)
	if err != nil {
		return fmt.Errorf("write %s: %w", t.c.Path, err)
	}
	defer dir.Remove(name) // gone after the rename
	if err := r.check(w, p, t.from); err != nil {
		return err
	}
	if noFile(t.from) {
		if err := dir.Remove(base); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: the directory in its place is not empty", ErrChangedSince)
		}
	}
	if err := dir.Rename(name, base); err != nil {
		return fmt.Errorf("write %s: %w", t.c.Path, err)
	}
	return nil
}

// prepare creates the target state under a temporary name next to it.
func (r *restorer) prepare(dir *os.Root, base string, to state) (name string, err error) {
	name = ".parley-" + rand.Text() + ".tmp"
	if to.kind == link {
		return name, dir.Symlink(to.target, name)
	}
	content, err := r.j.store.content(to.sum)
	if err != nil {
		return "", err
	}
	old, err := dir.Lstat(base)
	if err != nil || !old.Mode().IsRegular() {
		old = nil
	}
	mode := fs.FileMode(0o600) // private until it has its final mode
	if to.noMode && old == nil {
		mode = 0o644 // the system applies the umask
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	if err := fill(f, content, to, old); err != nil {
		dir.Remove(name)
		return "", err
	}
	return name, nil
}

// fill writes and closes the new file.
func fill(f *os.File, content []byte, to state, old fs.FileInfo) error {
	_, err := f.Write(content)
	if err == nil && old != nil {
		fsops.KeepOwner(f, old)
	}
	switch {
	case err != nil:
	case !to.noMode:
		err = f.Chmod(to.mode)
	case old != nil:
		err = f.Chmod(old.Mode().Perm())
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// remove deletes a file, and the directories that are then empty.
func (r *restorer) remove(w *walker, p place, t task) error {
	dir, err := w.enter(path.Dir(p.rel))
	if err != nil {
		return fmt.Errorf("find %s: %w", t.c.Path, err)
	}
	if err := r.check(w, p, t.from); err != nil {
		return err
	}
	if err := dir.Remove(path.Base(p.rel)); err != nil {
		return fmt.Errorf("remove %s: %w", t.c.Path, err)
	}
	if !p.inRoot {
		return nil
	}
	name := path.Dir(p.rel)
	for n := 0; n < t.dirs && name != "." && !r.isRoot(p, name); n++ {
		above, err := w.enter(path.Dir(name))
		// Remove deletes no directory that is not empty.
		if err != nil || above.Remove(path.Base(name)) != nil {
			return nil
		}
		name = path.Dir(name)
	}
	return nil
}

func (r *restorer) isRoot(p place, name string) bool {
	abs := filepath.Join(p.dir, filepath.FromSlash(name))
	return slices.ContainsFunc(r.j.roots, func(r *root) bool { return r.real == abs })
}

// chmod restores the mode of the file that was examined, not of one that a link of that name leads
// to.
func (r *restorer) chmod(w *walker, p place, t task) error {
	dir, err := w.enter(path.Dir(p.rel))
	if err != nil {
		return fmt.Errorf("find %s: %w", t.c.Path, err)
	}
	base := path.Base(p.rel)
	looked, err := dir.Lstat(base)
	if err != nil {
		return fmt.Errorf("find %s: %w", t.c.Path, err)
	}
	f, err := dir.OpenFile(base, os.O_RDONLY|fsops.OpenFlags, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", t.c.Path, err)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(looked, opened) {
		return ErrChangedSince
	}
	if err := r.check(w, p, t.from); err != nil {
		return err
	}
	if err := f.Chmod(t.to.mode); err != nil {
		return fmt.Errorf("set the mode of %s: %w", t.c.Path, err)
	}
	return nil
}
