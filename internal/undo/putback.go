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
)

// put makes a name be what it is to be. What is there is as it was left, as far as
// the first look says; a second one comes right before the act.
func (r *restorer) put(w *walker, p place, t task) error {
	switch {
	case t.goes():
		return r.remove(w, p, t)
	case sameText(t.from, t.to):
		return r.chmod(w, p, t)
	}
	return r.replace(w, p, t)
}

// check looks a last time.
func (r *restorer) check(w *walker, p place, left state) error {
	if !leftAs(r.now(w, p), left) {
		return ErrChangedSince
	}
	return nil
}

// replace makes a file beside the old one and renames it.
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
	defer dir.Remove(name) // not there any longer after the rename
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

// prepare makes what is to be under a name under another one beside it.
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
	mode := fs.FileMode(0o600) // nobody else may look until it has its mode
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
		keepOwner(f, old)
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

// remove takes a file away, and the directories that are empty without it.
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
		// It removes no directory that holds anything, and nothing else has this name.
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

// chmod gives a file its mode back: the file that was looked at, not one that a
// link of the same name leads to.
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
	f, err := dir.OpenFile(base, os.O_RDONLY|openFlags, 0)
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
