package undo

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"parley/fsops"
)

const (
	// MaxKept is the size in bytes of the largest file of which a copy is kept.
	MaxKept = 1 << 20
	// maxHashed is the size of the largest file that is read. A change of a larger one
	// is detected by its inode.
	maxHashed = 64 << 20
	leastBuf  = 16 << 10 // bytes that files are read into
)

// How long after a change of a file another change may leave its stamp the same: file system
// clocks advance in ticks, some in seconds.
const (
	tick       = 50 * time.Millisecond
	coarseTick = 2100 * time.Millisecond
)

// entry is what was found under a name, and whether its stamp is reliable.
type entry struct {
	state  state
	stamp  stamp
	recent bool
	blob   string // if git has the content: the hash that names it there
}

// looker examines files. It is not safe for concurrent use.
type looker struct {
	buf  []byte
	keep func(of sum, content []byte) error // nil keeps nothing

	blob string // what git's index says of the file, or ""
	repo repository
}

// at examines a name relative to a walker. A file with the stamp of known is not read again. The
// error is one of keeping the content.
func (l *looker) at(w *walker, rel string, known *entry) (entry, error) {
	dir, err := w.enter(path.Dir(rel))
	switch {
	case err == nil:
	case gone(err):
		return entry{}, nil
	default:
		return entry{state: state{kind: opaque}}, nil
	}
	return l.in(dir, path.Base(rel), known)
}

func (l *looker) in(dir *os.Root, base string, known *entry) (entry, error) {
	const tries = 3
	for range tries {
		looked, err := dir.Lstat(base)
		if err != nil {
			if gone(err) {
				return entry{}, nil
			}
			return entry{state: state{kind: opaque}}, nil
		}
		st := stampOf(looked)
		if known != nil && !known.recent && known.stamp == st && known.state.kind != unsettled {
			return *known, nil
		}
		e := entry{stamp: st, recent: recently(st)}
		switch mode := looked.Mode(); {
		case mode&fs.ModeSymlink != 0:
			target, err := dir.Readlink(base)
			if err != nil {
				continue
			}
			e.state = state{kind: link, target: target, size: int64(len(target))}
			return e, nil
		case mode.IsDir():
			e.state = state{kind: directory}
			return e, nil
		case !mode.IsRegular():
			e.state = state{kind: odd}
			return e, nil
		}
		again, err := l.file(dir, base, looked, &e)
		if err != nil || !again {
			return e, err
		}
	}
	return entry{state: state{kind: unsettled}}, nil
}

// recently reports whether a file that changes now could keep its stamp.
func recently(st stamp) bool {
	last := max(st.mtime, st.ctime)
	return time.Since(time.Unix(0, last)) < ticks(last)
}

// ticks returns how far the clock of a file time may lag.
func ticks(ns int64) time.Duration {
	if ns%int64(time.Second) == 0 {
		return coarseTick
	}
	return tick
}

// file reads a regular file that was examined. again reports that it changed meanwhile, or was
// replaced.
func (l *looker) file(dir *os.Root, base string, looked fs.FileInfo, e *entry) (again bool, err error) {
	e.state = state{kind: opaque, size: looked.Size(), stamp: e.stamp}
	if looked.Size() > maxHashed {
		return false, nil
	}
	f, err := dir.OpenFile(base, os.O_RDONLY|fsops.OpenFlags, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrPermission), nil
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(looked, opened) || stampOf(opened) != e.stamp {
		return true, nil
	}
	is := state{kind: file, mode: looked.Mode().Perm(), size: looked.Size()}
	var content []byte
	if is.size <= MaxKept {
		if int64(len(l.buf)) < is.size {
			l.buf = make([]byte, min(max(2*is.size, leastBuf), MaxKept))
		}
		content = l.buf[:is.size]
		if _, err := io.ReadFull(f, content); err != nil {
			return endOfFile(err), nil
		}
		is.sum = sha256.Sum256(content)
	} else {
		h, blob := sha256.New(), l.repo.startBlob(is.size)
		to := io.Writer(h)
		if l.blob != "" {
			to = io.MultiWriter(h, blob)
		}
		n, err := io.Copy(to, io.LimitReader(f, maxHashed+1))
		if err != nil {
			return false, nil
		}
		if n != is.size {
			return true, nil
		}
		h.Sum(is.sum[:0])
		if l.blob != "" && string(blob.Sum(nil)) == l.blob {
			e.blob = l.blob
		}
	}
	if after, err := f.Stat(); err != nil || stampOf(after) != e.stamp {
		return true, nil
	}
	e.state = is
	switch {
	case is.size > MaxKept || l.keep == nil:
		return false, nil
	case l.blob != "" && l.repo.blobHash(content) == l.blob:
		e.blob = l.blob
		return false, nil
	}
	return false, l.keep(is.sum, content)
}

func endOfFile(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
