package fsops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// place is a file as an open directory and a relative name, so that links that change later cannot
// lead out of the directory.
type place struct {
	root *os.Root
	rel  string
	path string // resolved, for messages
	own  bool   // root belongs to this place alone
}

func (p place) close() {
	if p.own {
		p.root.Close()
	}
}

// locate returns the place of a path. With outside, the path must be free of links: the user was
// shown its target, and it must still lead there.
func (sess *session) locate(path string, outside bool) (place, error) {
	t, r, err := sess.resolve(path)
	if err != nil {
		return place{}, err
	}
	if r != nil {
		rel, _ := below(r.real, t.Resolved)
		return place{root: r.dir, rel: rel, path: t.Resolved}, nil
	}
	if !outside {
		if t.Symlink {
			return place{}, fmt.Errorf("it leads to %s: %w", t.Resolved, ErrOutsideRoot)
		}
		return place{}, ErrOutsideRoot
	}
	if t.Symlink {
		return place{}, fmt.Errorf("it now leads to %s: %w", t.Resolved, ErrOutsideRoot)
	}
	return locateOutside(t.Resolved)
}

// locateOutside opens the deepest existing directory of a resolved path and checks that it is still
// the directory of that name.
func locateOutside(resolved string) (place, error) {
	dir := filepath.Dir(resolved)
	for {
		info, err := os.Lstat(dir)
		if err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !IsNotDir(err) || up == dir {
			return place{}, cause(err)
		}
		dir = up
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return place{}, cause(err)
	}
	if err := stillThere(root, dir); err != nil {
		root.Close()
		return place{}, err
	}
	rel, err := filepath.Rel(dir, resolved)
	if err != nil {
		root.Close()
		return place{}, err
	}
	return place{root: root, rel: rel, path: resolved, own: true}, nil
}

func stillThere(root *os.Root, dir string) error {
	opened, err := root.Stat(".")
	if err != nil {
		return cause(err)
	}
	again, _, err := followLinks(dir)
	if err != nil {
		return err
	}
	named, err := os.Lstat(dir)
	if err != nil {
		return cause(err)
	}
	if again != dir || !os.SameFile(opened, named) {
		return fmt.Errorf("%s was replaced: %w", dir, ErrOutsideRoot)
	}
	return nil
}

// openRegular opens a regular file for reading. It checks the type before, because opening a device
// can have effects, and afterwards, because the name may have become a link.
func (p place) openRegular() (*os.File, fs.FileInfo, error) {
	const tries = 4 // an editor may replace the file at the same moment
	for range tries {
		looked, err := p.root.Lstat(p.rel)
		if err == nil {
			err = regular(looked)
		}
		if err != nil {
			return nil, nil, cause(err)
		}
		f, err := p.root.OpenFile(p.rel, os.O_RDONLY|OpenFlags, 0)
		if err != nil {
			return nil, nil, cause(err)
		}
		opened, err := f.Stat()
		if err == nil && os.SameFile(looked, opened) {
			return f, opened, nil
		}
		f.Close()
	}
	return nil, nil, fmt.Errorf("the file was replaced while it was opened: %w", ErrOutsideRoot)
}

func regular(info fs.FileInfo) error {
	mode := info.Mode()
	kind := "an irregular file"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "a directory"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	case mode&fs.ModeSymlink != 0:
		kind = "a symbolic link"
	}
	return fmt.Errorf("%w: %s", ErrNotRegular, kind)
}
