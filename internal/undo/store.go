package undo

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	dir   string   // to be removed by close; "" keeps it
	pack  *os.File // nil while there is none
	room  int64    // bytes that may be kept
	older *store   // has further contents; may be nil

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
	s := newStore()
	if s.pack, err = createPack(own); err != nil {
		os.Remove(own)
		return nil, fmt.Errorf("make a file for what can be undone: %w", err)
	}
	s.dir, s.room = own, room
	return s, nil
}

func newStore() *store {
	return &store{room: DefaultMaxBytes, at: map[sum]span{}, lost: map[sum]bool{}}
}

// createPack creates and locks the file of a store.
func createPack(dir string) (*os.File, error) {
	pack, err := os.OpenFile(filepath.Join(dir, packName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		filelock.Lock(pack)
	}
	return pack, err
}

// keep stores a content, unless less than leave bytes would remain.
func (s *store) keep(of sum, content []byte, leave int64) error {
	if s.older != nil && s.older.has(of) {
		return nil
	}
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
	_, ok := s.at[of]
	s.mu.Unlock()
	return ok || s.older != nil && s.older.has(of)
}

func (s *store) hasLost(of sum) bool {
	s.mu.Lock()
	lost := s.lost[of]
	s.mu.Unlock()
	return lost || s.older != nil && s.older.hasLost(of)
}

// sums lists the contents.
func (s *store) sums() []sum {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.at))
}

// spans lists where contents are, if they are kept.
func (s *store) spans(sums []sum) (all []savedCopy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range sums {
		if where, ok := s.at[of]; ok {
			all = append(all, savedCopy{of[:], where.off, where.n})
		}
	}
	return all
}

// content reads a kept content and checks its hash.
func (s *store) content(of sum) ([]byte, error) {
	s.mu.Lock()
	where, ok := s.at[of]
	s.mu.Unlock()
	switch {
	case !ok && s.older != nil:
		return s.older.content(of)
	case !ok:
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
	var err error
	if s.pack != nil {
		err = s.pack.Close()
	}
	if s.dir != "" {
		err = errors.Join(err, os.RemoveAll(s.dir))
	}
	if err != nil {
		return fmt.Errorf("remove what could be undone: %w", err)
	}
	return nil
}

// Sweep removes what Journals that were never closed left in dir, and what was kept of others for
// longer than KeptFor or beyond MaxKeptBytes. What running programs use stays. A missing directory is
// no error.
func Sweep(dir string, now time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep what could be undone: %w", err)
	}
	failed := sweepKept(dir, entries, now)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !strings.HasPrefix(e.Name(), storePrefix) || now.Sub(info.ModTime()) < sweepAfter {
			continue
		}
		if _, err := removeUnused(filepath.Join(dir, e.Name())); err != nil {
			failed = append(failed, err)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("sweep what could be undone: %w", err)
	}
	return nil
}

// removeUnused removes a directory of copies unless a running program uses it.
func removeUnused(dir string) (removed bool, err error) {
	pack := filepath.Join(dir, packName)
	if filelock.InUse(pack, idleStore) {
		return false, nil
	}
	// Removing an open file fails on some systems.
	if err := os.Remove(pack); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, os.RemoveAll(dir)
}
