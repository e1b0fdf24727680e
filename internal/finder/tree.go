package finder

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/internal/programs"
)

// ErrSuperseded is returned by Find when a later one has taken its place.
var ErrSuperseded = errors.New("another search has begun")

// MaxMatches is how many matches a search returns at most.
const MaxMatches = 50

// How old a list may get until it is made anew: at least fresh, and so that
// listing takes a tenth of the time at most.
const (
	fresh     = 4 * time.Second
	idleShare = 10
)

// patience is how long a search waits for a list that has only just begun: most
// are there by then, and nobody has to see a half of one.
const patience = 30 * time.Millisecond

// Match is a file or directory that was found.
type Match struct {
	Path  string // relative, with slashes; of a directory it ends in one
	Marks []int  // the runes of Path that matched, in ascending order
}

// Found is what a search has found.
type Found struct {
	Matches  []Match // the best first, at most MaxMatches
	Listed   int     // files and directories that there are, so far
	Complete bool    // that is all of them
}

// Tree finds the files below a directory.
type Tree struct {
	root string
	git  string // the program; "" for none
	ctx  context.Context
	end  context.CancelFunc
	wait sync.WaitGroup

	mu     sync.Mutex
	list   *listing // answers; nil before the first search
	next   *listing // under way, to take its place
	began  time.Time
	listed time.Time // when list was complete
	took   time.Duration
	cancel context.CancelFunc // of the search under way
	last   narrowed
}

// New makes the Tree of a directory, which is an absolute path. It reads nothing
// before the first search. End it with Close.
func New(root string) *Tree {
	git, _ := programs.Find("git") // "" where there is none
	t := &Tree{root: root, git: git}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t
}

// Close ends what is under way and makes every search fail. It waits for that, but
// not for a file system that does not answer.
func (t *Tree) Close() {
	t.mu.Lock()
	t.end()
	t.mu.Unlock()
	over := make(chan struct{})
	go func() { t.wait.Wait(); close(over) }()
	select {
	case <-over:
	case <-time.After(time.Second):
	}
}

// Find returns what matches the query best: by fzf's scores of paths, then the
// shorter, then the one listed first. The empty query returns what lies in the
// root itself. A search ends the one before it, which returns ErrSuperseded.
func (t *Tree) Find(ctx context.Context, query string) (Found, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	if t.ctx.Err() != nil || ctx.Err() != nil { // one that was given up before it began ends no other
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
	complete := l.complete() // before the snapshot: what it says must hold
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

// rest is how long the list that is being made may still be waited for.
func (t *Tree) rest() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, patience-time.Since(t.began))
}

// refresh begins a list where there is none, or where it is old. With mu.
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

// start lists on a goroutine. With mu.
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
