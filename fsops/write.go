package fsops

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// Permission bits of what Write creates, before the umask.
const (
	newFileMode = 0o644
	newDirMode  = 0o755
	tempMode    = 0o600
)

// Written says what a Write did.
type Written struct {
	Path     string // the file that was written, links followed
	Created  bool
	Old      string // the text before; "" if it was not text or too large
	OldKnown bool   // Old is what was there; true for a created file
}

// Write replaces the whole content of a file, or creates it with its parent directories. It renames
// a new file over the old one: readers see the old or the new text, and after a failed write the
// old one remains. Permission bits and, where the system allows it, the owner are kept; hard links
// are not. A link that leads into a root is followed.
//
// outside and the errors are as for Read. A file that is not writable is refused with
// fs.ErrPermission, although renaming would not need that permission.
func (s *Service) Write(session, path, content string, outside bool) (Written, error) {
	written, err := s.write(session, path, content, outside)
	if err != nil {
		return Written{}, fmt.Errorf("write %s: %w", path, err)
	}
	return written, nil
}

func (s *Service) write(session, path, content string, outside bool) (Written, error) {
	if int64(len(content)) > s.opts.MaxWrite {
		return Written{}, tooLarge(s.opts.MaxWrite)
	}
	sess, release, err := s.use(session)
	if err != nil {
		return Written{}, err
	}
	defer release()
	p, err := sess.locate(path, outside)
	if err != nil {
		return Written{}, err
	}
	defer p.close()
	old, err := p.old(s.opts.MaxRead)
	if err != nil {
		return Written{}, err
	}
	if old.info == nil {
		if err := p.root.MkdirAll(filepath.Dir(p.rel), newDirMode); err != nil {
			return Written{}, fmt.Errorf("create %s: %w", filepath.Dir(p.path), cause(err))
		}
	}
	if err := p.replace(content, old.info); err != nil {
		return Written{}, err
	}
	return Written{Path: p.path, Created: old.info == nil, Old: old.text, OldKnown: old.known}, nil
}

// previous is what a Write is about to replace. info is nil if there is no file.
type previous struct {
	info  fs.FileInfo
	text  string
	known bool
}

func (p place) old(max int64) (previous, error) {
	info, err := p.root.Lstat(p.rel)
	if errors.Is(err, fs.ErrNotExist) {
		return previous{known: true}, nil
	}
	if err != nil {
		return previous{}, cause(err)
	}
	if err := regular(info); err != nil {
		return previous{}, err
	}
	// A rename would replace even a read-only file.
	w, err := p.root.OpenFile(p.rel, os.O_WRONLY|OpenFlags, 0)
	if err == nil {
		w.Close()
	} else if errors.Is(err, fs.ErrPermission) {
		return previous{}, cause(err)
	}
	was := previous{info: info}
	f, info, err := p.openRegular()
	if err != nil {
		return was, nil // not readable is not known
	}
	defer f.Close()
	text, err := readWindow(f, info.Size(), 1, math.MaxInt, max)
	if err == nil {
		was.text, was.known = text, true
	}
	return was, nil
}

// replace writes a temporary file next to the old one and renames it. Everything happens in one
// open directory, which cannot be swapped in between.
func (p place) replace(content string, old fs.FileInfo) (err error) {
	dir, err := p.root.OpenRoot(filepath.Dir(p.rel))
	if err != nil {
		return cause(err)
	}
	defer dir.Close()
	mode := fs.FileMode(newFileMode) // the system applies the umask
	if old != nil {
		mode = tempMode // private until it has the mode of the old file
	}
	name := ".parley-" + rand.Text() + ".tmp"
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("create a file in %s: %w", filepath.Dir(p.path), cause(err))
	}
	defer func() {
		if err != nil {
			dir.Remove(name)
		}
	}()
	if err := fill(f, content, old); err != nil {
		return err
	}
	base := filepath.Base(p.rel)
	if err := dir.Rename(name, base); err != nil {
		return replaceError(dir, base, err)
	}
	return nil
}

// fill writes and closes the temporary file.
func fill(f *os.File, content string, old fs.FileInfo) error {
	_, err := io.WriteString(f, content)
	if err == nil && old != nil {
		KeepOwner(f, old)
		err = f.Chmod(old.Mode().Perm())
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return cause(err)
	}
	return nil
}

// replaceError says why a rename failed: systems report "there is a directory" in many ways.
func replaceError(dir *os.Root, base string, err error) error {
	if info, look := dir.Lstat(base); look == nil {
		if odd := regular(info); odd != nil {
			return odd
		}
	}
	return cause(err)
}
