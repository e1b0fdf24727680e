package finder

import (
	"bytes"
	"path/filepath"
	"sync"
)

// Limits of a list. Files beyond them are not found.
const (
	MaxPaths = 1_000_000
	MaxBytes = 256 << 20
)

// The cost of an entry besides its bytes, and the size of the blocks that hold those.
const (
	entryCost = 96
	blockSize = 256 << 10
)

// entries are the listed files in three slices of the same length: a search goes through
// all traits, examines some of the names, and shows a few of the paths.
type entries struct {
	traits []traits
	names  []name
	paths  [][]byte
}

// listing is one list of the files. Added entries never change, so a snapshot is read
// without a lock.
type listing struct {
	most, bytes int           // limits
	done        chan struct{} // closed when the list is complete, or no more will be added

	mu sync.Mutex
	entries
	cost int
	full bool // a limit was reached

	// Used only by the goroutine that lists.
	block []byte
	dirs  map[string]struct{}
	last  []byte // the directory of the previous path
	prev  []byte
}

func newListing() *listing {
	return &listing{most: MaxPaths, bytes: MaxBytes, done: make(chan struct{}), dirs: map[string]struct{}{}}
}

// snapshot returns the entries so far.
func (l *listing) snapshot() entries {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries
}

func (l *listing) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.names)
}

// add adds files, and the new directories above them. It skips paths that lead out of the
// root. It reports false when a limit was reached.
func (l *listing) add(files [][]byte) bool {
	var more entries
	put := func(p []byte) {
		kept := l.keep(p)
		n := newName(kept)
		more.paths, more.names, more.traits = append(more.paths, kept), append(more.names, n), append(more.traits, traitsOf(&n))
		l.cost += entryCost + len(kept)
		if !n.IsBytes() {
			l.cost += 4 * len(kept)
		}
	}
	room := l.most - len(l.names)
	for _, p := range files {
		if len(p) == 0 || bytes.Equal(p, l.prev) || !filepath.IsLocal(filepath.FromSlash(string(p))) {
			continue
		}
		l.newDirs(p, put)
		put(p)
		l.prev = more.paths[len(more.paths)-1]
		if len(more.paths) >= room || l.cost >= l.bytes {
			l.full = true
			break
		}
	}
	n := min(len(more.paths), room)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.paths, l.names, l.traits = append(l.paths, more.paths[:n]...), append(l.names, more.names[:n]...), append(l.traits, more.traits[:n]...)
	return !l.full
}

// newDirs passes the new directories above a path to put, the outermost first.
func (l *listing) newDirs(p []byte, put func([]byte)) {
	dir := p[:bytes.LastIndexByte(p, '/')+1]
	if bytes.Equal(dir, l.last) { // most files are in the same directory as the one before
		return
	}
	l.last = append(l.last[:0], dir...)
	for i, c := range dir {
		if c != '/' {
			continue
		}
		if _, known := l.dirs[string(dir[:i+1])]; known {
			continue
		}
		l.dirs[string(dir[:i+1])] = struct{}{}
		l.cost += entryCost + i
		put(dir[:i+1])
	}
}

// keep copies bytes into a block: a million small allocations would keep the garbage
// collector busy.
func (l *listing) keep(p []byte) []byte {
	if len(p) > cap(l.block)-len(l.block) {
		l.block = make([]byte, 0, max(blockSize, len(p)))
	}
	at := len(l.block)
	l.block = append(l.block, p...)
	return l.block[at:len(l.block):len(l.block)]
}

// finish marks the list as complete.
func (l *listing) finish() {
	l.block, l.dirs, l.last, l.prev = nil, nil, nil, nil
	close(l.done)
}

// complete reports whether no more entries will be added.
func (l *listing) complete() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}
