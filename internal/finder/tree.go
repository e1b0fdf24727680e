package finder

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/internal/gitsafe"
)

// ErrSuperseded is returned by Find when a later search has replaced it.
var ErrSuperseded = errors.New("another search has begun")

// MaxMatches is the most matches that a search returns.
const MaxMatches = 50

// How old a list may get before it is renewed: at least fresh, and long enough that listing
// takes at most a tenth of the time.
const (
	fresh     = 4 * time.Second
	idleShare = 10
)

// patience is how long a search waits for a list that has just begun: most are complete by
// then, so an incomplete one is rarely seen.
const patience = 30 * time.Millisecond

// Match is a file or directory that was found.
type Match struct {
	Path  string // relative, with slashes; a directory ends in one
	Marks []int  // indexes of the matching runes of Path, in ascending order
}

// Found is the result of a search.
type Found struct {
	Matches  []Match // best first, at most MaxMatches
	Listed   int     // files and directories listed so far
	Complete bool    // Listed is final
}

// Tree finds the files below a directory.
type Tree struct {
	root string
	git  string // path of the program; "" if not found
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	mu     sync.Mutex
	list   *listing // the list that answers; nil before the first search
	next   *listing // the list being made, which will replace it
	began  time.Time
	listed time.Time // when list was complete
	took   time.Duration
	cancel context.CancelFunc // cancels the running search
	last   narrowed
}

// New returns the Tree of a directory, an absolute path. It reads nothing before the first
// search. End it with Close.
func New(root string) *Tree {
	git, _ := gitsafe.Program() // "" if not found
	t := &Tree{root: root, git: git}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// Close ends the running work and makes every search fail. It waits for that, but not for a
// file system that hangs.
func (t *Tree) Close() {
	t.mu.Lock()
	t.stop()
	t.mu.Unlock()
	over := make(chan struct{})
	go func() { t.wait.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(time.Second):
	}
}

// Find returns the best matches of the query, by fzf's scores for paths, then the shorter,
// then the one listed first. The empty query returns what is in the root itself. A search
// ends the one before it, which returns ErrSuperseded.
func (t *Tree) Find(ctx context.Context, query string) (Found, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	if t.ctx.Err() != nil || ctx.Err() != nil { // a search cancelled before it began ends no other
		t.mu.Unlock()
		return Found{}, context.Canceled
	}
	if t.cancel != nil {
		t.cancel()
	}
	t.cancel = cancel
	t.refresh()
	l := t.list
	t.mu.Unlock()

	select {
	case <-l.done:
	case <-ctx.Done():
	case <-time.After(t.rest()):
	}
	complete := l.complete() // before the snapshot, which must be at least as complete
	in := l.snapshot()
	t.mu.Lock()
	base := t.last.base(l, query, len(in.names))
	t.mu.Unlock()
	found := Found{Listed: len(in.names), Complete: complete}
	if query == "" {
		found.Matches = top(ctx, in.paths)
	} else {
		s := search(ctx, query, in, base)
		found.Matches = s.matches(query, in)
		if ctx.Err() == nil {
			t.mu.Lock()
			t.last = narrowed{l, query, len(in.names), s.all}
			t.mu.Unlock()
		}
	}
	if ctx.Err() != nil {
		return Found{}, ErrSuperseded
	}
	return found, nil
}

// rest returns how much longer to wait for the list being made.
func (t *Tree) rest() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, patience-time.Since(t.began))
}

// refresh starts a list if there is none, or if it is old. t.mu is held.
func (t *Tree) refresh() {
	if t.next != nil && t.next.complete() {
		t.list, t.next = t.next, nil
	}
	switch {
	case t.list == nil:
		t.list = newListing()
		t.start(t.list)
	case t.next == nil && t.list.complete() && time.Since(t.listed) > max(fresh, idleShare*t.took):
		t.next = newListing()
		t.start(t.next)
	}
}

// start lists on a goroutine. t.mu is held.
func (t *Tree) start(l *listing) {
	t.began = time.Now()
	t.wait.Go(func() {
		began := time.Now()
		list(t.ctx, t.root, t.git, l)
		t.mu.Lock()
		t.listed, t.took = time.Now(), time.Since(began)
		t.mu.Unlock()
	})
}
