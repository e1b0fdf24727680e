package undo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/internal/filelock"
)

const (
	storePrefix = "undo-"
	packName    = "contents"
	// sweepAfter is how old an unlocked directory must be: its Journal may have created it
	// and not locked it yet.
	sweepAfter = time.Hour
	// idleStore is how long a directory counts as in use on systems without locks.
	idleStore = 30 * 24 * time.Hour
)

var errDamaged = errors.New("the copy of it is damaged")

type sum = [sha256.Size]byte

// store keeps contents by their hash, appended to one file: less to clean up than a file each.
type store struct {
	dir  string
	pack *os.File
	room int64 // bytes that may be kept

	mu   sync.Mutex
	at   map[sum]span
	lost map[sum]bool // contents that could not be written, for example on a full disk
	size int64
}

type span struct{ off, n int64 }

// openStore creates a subdirectory of dir for this process alone.
func openStore(dir string, room int64) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory for what can be undone: %w", err)
	}
	own, err := os.MkdirTemp(dir, storePrefix) // 0700
	if err != nil {
		return nil, fmt.Errorf("make a directory for what can be undone: %w", err)
	}
	pack, err := os.OpenFile(filepath.Join(own, packName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		os.Remove(own)
		return nil, fmt.Errorf("make a file for what can be undone: %w", err)
	}
	filelock.Lock(pack)
	return &store{dir: own, pack: pack, room: room, at: map[sum]span{}, lost: map[sum]bool{}}, nil
}

// keep stores a content, unless less than leave bytes would remain.
func (s *store) keep(of sum, content []byte, leave int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.at[of]; ok || len(content) > 0 && s.size+int64(len(content)) > s.room-leave {
		return nil
	}
	if _, err := s.pack.WriteAt(content, s.size); err != nil {
		s.lost[of] = true
		return fmt.Errorf("keep a copy: %w", err)
	}
	delete(s.lost, of)
	s.at[of] = span{s.size, int64(len(content))}
	s.size += int64(len(content))
	return nil
}

func (s *store) has(of sum) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.at[of]
	return ok
}

func (s *store) hasLost(of sum) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost[of]
}

// content reads a kept content and checks its hash.
func (s *store) content(of sum) ([]byte, error) {
	s.mu.Lock()
	where, ok := s.at[of]
	s.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("no copy of it was kept: %w", fs.ErrNotExist)
	}
	b := make([]byte, where.n)
	if _, err := s.pack.ReadAt(b, where.off); err != nil {
		return nil, fmt.Errorf("read the copy: %w", err)
	}
	if sha256.Sum256(b) != of {
		return nil, errDamaged
	}
	return b, nil
}

func (s *store) close() error {
	err := s.pack.Close()
	if removed := os.RemoveAll(s.dir); removed != nil {
		err = errors.Join(err, removed)
	}
	if err != nil {
		return fmt.Errorf("remove what could be undone: %w", err)
	}
	return nil
}

// Sweep removes what Journals that were never closed left in dir. Those of running programs stay. A
// missing directory is no error.
func Sweep(dir string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep what could be undone: %w", err)
	}
	var failed []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), storePrefix) || now.Sub(info.ModTime()) < sweepAfter {
			continue
		}
		own := filepath.Join(dir, e.Name())
		pack := filepath.Join(own, packName)
		if filelock.InUse(pack, idleStore) {
			continue
		}
		// Removing an open file fails on some systems.
		if err := os.Remove(pack); err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.RemoveAll(own); err != nil {
			failed = append(failed, err)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("sweep what could be undone: %w", err)
	}
	return nil
}
