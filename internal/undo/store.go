package undo

import (
	"bytes"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
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

// store keeps contents by their hash in one file: less to clean up than a file each. Each content is kept once.
type store struct {
	dir   string   // to be removed by close; "" keeps it
	pack  *os.File // nil while there is none
	room  int64    // bytes that may be kept
	older *store   // has further contents; may be nil

	mu   sync.Mutex
	at   map[sum]span
	lost map[sum]bool // contents that could not be written, for example on a full disk
	used int64        // by the contents
	end  int64        // of the file
	gaps []span       // before the end, that no content uses

	refused bool // a content, for lack of room
	deflate *flate.Writer
	small   bytes.Buffer
}

// span is where a content is in the file. It is compressed if its size is greater than what is kept of it.
type span struct{ off, n, size int64 }

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

// CanKeep returns why no copies can be kept in dir, or nil.
func CanKeep(dir string) error {
	s, err := openStore(dir, 0)
	if err != nil {
		return err
	}
	return s.close()
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

// moveTo copies what is in the file of the store, if it has one, into another, which becomes its file.
func (s *store) moveTo(pack *os.File) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pack != nil {
		if _, err := io.Copy(pack, io.NewSectionReader(s.pack, 0, s.end)); err != nil {
			return fmt.Errorf("keep the copies: %w", err)
		}
	}
	s.pack = pack // who reads the other now may end: it is closed when nobody has it
	return nil
}

// keep stores a content, unless less than leave bytes would remain. Once a quarter of the room is used, it is
// compressed.
func (s *store) keep(of sum, content []byte, leave int64) error {
	if s.older != nil && s.older.has(of) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.at[of]; ok {
		return nil
	}
	size := int64(len(content))
	if s.used > s.room/4 {
		if small := s.deflated(content); len(small) < len(content) {
			content = small
		}
	}
	where := span{s.place(int64(len(content))), int64(len(content)), size}
	if where.n > 0 && (s.used+where.n > s.room-leave || where.off > 2*s.room) {
		s.free(where)
		s.refused = true
		return nil
	}
	if _, err := s.pack.WriteAt(content, where.off); err != nil {
		s.lost[of] = true
		s.free(where)
		return fmt.Errorf("keep a copy: %w", err)
	}
	delete(s.lost, of)
	s.at[of] = where
	s.used += where.n
	return nil
}

// place returns where n bytes can be written. The caller holds mu.
func (s *store) place(n int64) (off int64) {
	for i, g := range s.gaps {
		if g.n >= n {
			s.gaps = slices.Delete(s.gaps, i, i+1)
			s.free(span{off: g.off + n, n: g.n - n})
			return g.off
		}
	}
	s.end += n
	return s.end - n
}

// free lets bytes be written again. The caller holds mu.
func (s *store) free(where span) {
	if where.n > 0 {
		s.gaps = append(s.gaps, where)
	}
}

// forget removes contents that are no longer needed, or kept elsewhere.
func (s *store) forget(sums []sum) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range sums {
		s.used -= s.at[of].n
		s.free(s.at[of])
		delete(s.at, of)
	}
}

// findGaps finds the gaps between the contents.
func (s *store) findGaps() {
	s.gaps, s.end = nil, 0
	for _, where := range slices.SortedFunc(maps.Values(s.at), func(a, b span) int { return cmp.Compare(a.off, b.off) }) {
		s.free(span{off: s.end, n: where.off - s.end})
		s.end = max(s.end, where.off+where.n)
	}
}

// isFull reports whether little room is left.
func (s *store) isFull() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used > s.room/8*7
}

// makeRoom removes contents from a store that is full: first those that nothing needs, then those that the oldest
// turns need. turns has the latest turn that needs a content, pinned those that must stay. It reports
// whether a turn has lost one.
func (s *store) makeRoom(turns map[sum]int, pinned map[sum]bool) (lost bool) {
	all := slices.DeleteFunc(s.sums(), func(of sum) bool { return pinned[of] })
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(all, func(a, b sum) int {
		return cmp.Or(cmp.Compare(turns[a], turns[b]), cmp.Compare(s.at[a].off, s.at[b].off))
	})
	var removable int64
	for _, of := range all {
		removable += s.at[of].n
	}
	enough := max(s.room/4*3, s.used-removable/2)
	for _, of := range all {
		if s.used <= enough {
			break
		}
		lost = lost || turns[of] > 0
		s.used -= s.at[of].n
		delete(s.at, of)
	}
	s.findGaps()
	return lost
}

// deflated compresses a content. The result is valid until the next call. The caller holds mu.
func (s *store) deflated(content []byte) []byte {
	if s.deflate == nil {
		s.deflate, _ = flate.NewWriter(nil, flate.BestSpeed)
	}
	s.small.Reset()
	s.deflate.Reset(&s.small)
	s.deflate.Write(content)
	s.deflate.Close()
	return s.small.Bytes()
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

func (s *store) hasRefused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// spans lists where contents are, if they are kept.
func (s *store) spans(sums []sum) (all []savedCopy) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range sums {
		if where, ok := s.at[of]; ok {
			c := savedCopy{Sum: of[:], Off: where.off, N: where.n}
			if where.size > where.n {
				c.Size = where.size
			}
			all = append(all, c)
		}
	}
	return all
}

// content reads a kept content and checks its hash.
func (s *store) content(of sum) ([]byte, error) {
	s.mu.Lock()
	where, ok := s.at[of]
	pack := s.pack
	s.mu.Unlock()
	switch {
	case !ok && s.older != nil:
		return s.older.content(of)
	case !ok:
		return nil, fmt.Errorf("no copy of it was kept: %w", fs.ErrNotExist)
	}
	b := make([]byte, where.n)
	if _, err := pack.ReadAt(b, where.off); err != nil {
		return nil, fmt.Errorf("read the copy: %w", err)
	}
	if where.size > where.n {
		var err error
		if b, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), where.size+1)); err != nil {
			return nil, errDamaged
		}
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
