package undo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"parley/fsops"
)

var (
	errReplaced = errors.New("its directory was replaced")
	errInTheWay = errors.New("something that is no directory is in its way")
)

// openTop opens a directory by a path without links, and checks that it still has none.
func openTop(dir string) (*os.Root, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	named, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := top.Stat(".")
	if err == nil && (real != dir || !os.SameFile(named, opened)) {
		err = errReplaced
	}
	if err != nil {
		top.Close()
		return nil, err
	}
	return top, nil
}

// walker walks directories below an open one, which stays open. It never follows a link. It keeps
// the directories above the last name open, so that a sorted list opens each directory once.
type walker struct {
	top   *os.Root
	names []string
	dirs  []*os.Root
}

// enter returns the directory with a slash-separated name; "." is the top. The error is
// fs.ErrNotExist or errInTheWay if there is no such directory.
func (w *walker) enter(name string) (*os.Root, error) {
	var parts []string
	if name != "." {
		parts = strings.Split(name, "/")
	}
	common := 0
	for common < len(parts) && common < len(w.names) && parts[common] == w.names[common] {
		common++
	}
	w.leave(common)
	dir := w.here()
	for _, part := range parts[common:] {
		next, err := step(dir, part)
		if err != nil {
			return nil, err
		}
		w.names, w.dirs = append(w.names, part), append(w.dirs, next)
		dir = next
	}
	return dir, nil
}

func (w *walker) here() *os.Root {
	if len(w.dirs) == 0 {
		return w.top
	}
	return w.dirs[len(w.dirs)-1]
}

// leave closes all but the first n directories.
func (w *walker) leave(n int) {
	for _, dir := range w.dirs[n:] {
		dir.Close()
	}
	w.names, w.dirs = w.names[:n], w.dirs[:n]
}

// step opens the directory that was examined, not one that a link leads to.
func step(dir *os.Root, name string) (*os.Root, error) {
	looked, err := dir.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !looked.IsDir() {
		return nil, errInTheWay
	}
	next, err := dir.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := next.Stat(".")
	if err == nil && !os.SameFile(looked, opened) {
		err = errReplaced
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}

// make enters a directory and creates what is missing of it.
func (w *walker) make(name string) (*os.Root, error) {
	dir, err := w.enter(name)
	if name == "." || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	above, err := w.make(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if err := above.Mkdir(path.Base(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return w.enter(name)
}

// gone reports whether an error says that there is no such file.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errInTheWay) || fsops.IsNotDir(err)
}

// place is a file as an existing directory that is reached without links, and a relative name.
type place struct {
	dir string
	rel string // with slashes
	// inRoot says that dir is a root of the session, within which directories may be removed.
	inRoot bool
}

// placeOf returns the innermost root that contains a path, or its deepest existing directory.
func (j *Journal) placeOf(abs string) (place, error) {
	best := place{}
	for _, r := range j.roots {
		rel, ok := below(r.real, abs)
		if ok && rel != "." && len(r.real) > len(best.dir) {
			best = place{dir: r.real, rel: filepath.ToSlash(rel), inRoot: true}
		}
	}
	if best.dir != "" {
		return best, nil
	}
	dir := filepath.Dir(abs)
	for {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			return place{}, fmt.Errorf("find a directory above %s: %w", abs, fs.ErrNotExist)
		}
		dir = up
	}
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return place{}, err
	}
	return place{dir: dir, rel: filepath.ToSlash(rel)}, nil
}

func below(dir, abs string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return rel, true
}
