package record

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/internal/filelock"
)

// Create makes a new file in dir, with the directories it needs, and starts its Writer. It
// is the only call here that waits for the disk. A zero m.Started means now.
func Create(dir string, m Meta, opts Options) (*Writer, error) {
	if m.Started.IsZero() {
		m.Started = time.Now()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the logs: %w", err)
	}
	f, err := createFile(dir, m.Started)
	if err != nil {
		return nil, err
	}
	w, err := newWriter(f, m, opts)
	if err != nil {
		err = fmt.Errorf("write %s: %w", f.Name(), errors.Join(err, f.Close(), os.Remove(f.Name())))
		return nil, err
	}
	w.path = f.Name()
	return w, nil
}

// createFile creates a file that is ours: it did not exist, it stays locked while open, and
// it was not pruned before it was locked.
func createFile(dir string, started time.Time) (*os.File, error) {
	stamp := started.UTC().Format("20060102T150405Z")
	for range 100 {
		var id [4]byte
		rand.Read(id[:]) // never fails
		path := filepath.Join(dir, stamp+"-"+hex.EncodeToString(id[:])+suffix)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("create a log: %w", err)
		}
		if filelock.Lock(f) && stillThere(f) {
			return f, nil
		}
		f.Close()
	}
	return nil, fmt.Errorf("create a log in %s: %w", dir, fs.ErrExist)
}

func stillThere(f *os.File) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(mine, there)
}

// restore makes the file again if it was removed, as with all of the state directory. Messages of before
// are lost.
func (w *Writer) restore() error {
	if w.path == "" {
		return nil
	}
	if _, err := os.Lstat(w.path); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	filelock.Lock(f)
	w.log.out.Close()
	return w.log.restart(f)
}
