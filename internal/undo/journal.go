package undo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/programs"
)

// Limits where Options leaves them out, and of what a Journal remembers.
const (
	DefaultRoom = 256 << 20 // bytes of copies
	maxEntries  = 60_000    // changes; the oldest go first
)

var errIgnored = errors.New("git ignores it")

// Options say what a Journal is about.
type Options struct {
	Dir   string   // where copies are kept, each Journal's in a directory of its own
	Roots []string // directories that exist
	Git   string   // the program; "" looks for it
	Room  int64    // bytes that the copies may take; 0 means DefaultRoom
}

// Journal knows what changed in one session.
type Journal struct {
	opts  Options
	store *store
	roots []*root
	names func(ctx context.Context, dir string, most int, args ...string) ([]string, error) // list, of opts.Git

	work sync.Mutex // held by what looks at the disk or changes it; taken before mu

	// mu guards what is below. It is never held while waiting for the disk.
	mu        sync.Mutex
	turn      *turn // between Before and After
	entries   []*change
	nextID    int
	forgotten bool
	closed    bool
}

// turn is one that is under way.
type turn struct {
	number int
	was    map[*root]*snapshot // of the roots that are watched
}

// Note is something to tell the user about a root, once.
type Note struct {
	Root string // "" for the whole session
	Text string
	Err  error // why
}

// New makes the Journal of a session. It waits for the disk. End it with Close.
func New(opts Options) (*Journal, error) {
	if opts.Room <= 0 {
		opts.Room = DefaultRoom
	}
	if opts.Git == "" {
		opts.Git, _ = programs.Find("git")
	}
	s, err := openStore(opts.Dir, opts.Room)
	if err != nil {
		return nil, err
	}
	roots, err := openRoots(opts.Roots, opts.Dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the roots of what can be undone: %w", err), s.close())
	}
	j := &Journal{opts: opts, store: s, roots: roots}
	j.names = func(ctx context.Context, dir string, most int, args ...string) ([]string, error) {
		return list(ctx, opts.Git, dir, most, args...)
	}
	return j, nil
}

// Close forgets everything and removes the copies.
func (j *Journal) Close() error {
	j.work.Lock()
	defer j.work.Unlock()
	j.mu.Lock()
	closed := j.closed
	j.closed, j.entries, j.turn = true, nil, nil
	j.mu.Unlock()
	if closed {
		return nil
	}
	return j.store.close()
}

// Before looks at the roots before a turn: call it before the prompt is sent, and
// let the prompt wait for it, for what changes meanwhile counts to neither side.
// Numbers of turns grow. A turn that was not ended with After is known by what was
// written through parley. Notes say which roots are not watched.
func (j *Journal) Before(ctx context.Context, number int) []Note {
	j.work.Lock()
	defer j.work.Unlock()
	if j.isClosed() {
		return nil
	}
	next := &turn{number: number, was: map[*root]*snapshot{}}
	var notes []Note
	for _, r := range j.roots {
		err := exec.ErrNotFound
		if j.opts.Git != "" {
			var s *snapshot
			if s, err = j.before(ctx, r); err == nil {
				next.was[r] = s
				continue
			}
		}
		notes = r.note(notes, "only what is written here through parley can be shown and undone", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turn = next
	return notes
}

// note adds one that was not made before.
func (r *root) note(notes []Note, text string, err error) []Note {
	said := text + "\x00" + err.Error()
	if r.said[said] {
		return notes
	}
	r.said[said] = true
	return append(notes, Note{Root: r.real, Text: text, Err: err})
}

// After looks at the roots after a turn. What changes on the disk later belongs
// to no turn.
func (j *Journal) After(ctx context.Context, number int) []Note {
	j.work.Lock()
	defer j.work.Unlock()
	j.mu.Lock()
	t := j.turn
	if t != nil && t.number == number {
		j.turn = nil
	}
	j.mu.Unlock()
	if t == nil || t.number != number {
		return nil
	}
	var notes []Note
	for _, r := range j.roots {
		was := t.was[r]
		if was == nil {
			continue
		}
		writes := j.writesOf(number, r)
		is, err := j.after(ctx, r, was, slices.Collect(maps.Keys(writes)))
		if err != nil {
			notes = r.note(notes, "what changed on the disk during the turn is not known", err)
			continue
		}
		j.settle(number, r, was, is, writes)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) > maxEntries {
		j.entries = slices.Clone(j.entries[len(j.entries)-maxEntries:])
		if !j.forgotten {
			j.forgotten = true
			notes = append(notes, Note{Text: "the oldest changes are not listed any longer", Err: errTooMany})
		}
	}
	return notes
}

// writesOf are what was written through parley in a turn below a root, by name.
func (j *Journal) writesOf(number int, r *root) map[string][]*change {
	j.mu.Lock()
	defer j.mu.Unlock()
	writes := map[string][]*change{}
	for _, c := range j.entries {
		if rel, ok := below(r.real, c.path); ok && c.turn == number && !c.undone && !slices.ContainsFunc(r.apart, func(dir string) bool {
			return strings.HasPrefix(filepath.ToSlash(rel), dir+"/")
		}) {
			writes[filepath.ToSlash(rel)] = append(writes[filepath.ToSlash(rel)], c)
		}
	}
	return writes
}

// settle turns two snapshots into changes, which take the place of what was
// written through parley to the same files.
func (j *Journal) settle(number int, r *root, was, is *snapshot, writes map[string][]*change) {
	names := slices.Concat(slices.Collect(maps.Keys(was.files)), slices.Collect(maps.Keys(is.files)), slices.Collect(maps.Keys(writes)))
	slices.Sort(names)
	replaced := map[*change]bool{}
	var made []*change
	for _, name := range slices.Compact(names) {
		if len(writes[name]) == 0 && same(was.files[name].state, is.files[name].state) {
			continue // most of them
		}
		c := compare(was, is, name, writes[name])
		if c == nil {
			continue // not to be told from the disk: what was written stays as it is
		}
		for _, w := range writes[name] {
			replaced[w] = true
		}
		if c.kind() == Same {
			continue
		}
		c.turn, c.path = number, filepath.Join(r.real, filepath.FromSlash(name))
		made = append(made, c)
	}
	twins(made, was, is, r)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = slices.DeleteFunc(j.entries, func(c *change) bool { return replaced[c] && !c.undone })
	for _, c := range made {
		j.add(c)
	}
}

// compare makes the change of a name, which may be Same; nil if the snapshots do
// not tell.
func compare(was, is *snapshot, name string, writes []*change) *change {
	a, listed := was.files[name]
	b := is.files[name]
	c := &change{before: a.state, after: b.state, by: OnDisk, newDirs: was.without(name), goneDirs: is.without(name)}
	switch {
	case listed || len(writes) == 0:
	case b.state.kind == absent && writes[0].before.kind == absent:
		return c // made and gone in the turn
	case was.hidden.holds(name):
		return nil
	default:
		// Where the first write found a file that git did not know, somebody made it
		// in this turn, and it need not have been the agent.
		c.before = writes[0].before
	}
	if len(writes) == 0 {
		if !listed && b.state.kind == directory {
			c.after = c.before // git begins to ignore, or a repository of its own: none of our files
		}
		switch {
		case listed:
		case was.hidden.holds(name):
			c.doubt = "git did not show it before the turn, so what was there is not known"
		case older(b.stamp, was.began):
			c.doubt = "it was there before the turn, where it was not seen"
		}
		return c
	}
	if chained(c.before, writes, c.after) {
		c.by = ThroughParley
	} else {
		c.by = Both
	}
	return c
}

// older tells whether a file has not changed since some time before t, its name
// and mode included.
func older(st stamp, t time.Time) bool {
	return st.ctime != 0 && st.ctime < t.Add(-ticks(st.ctime)).UnixNano()
}

// chained tells whether writes lead from one state to the other.
func chained(from state, writes []*change, to state) bool {
	for _, w := range writes {
		if !same(from, w.before) {
			return false
		}
		from = w.after
	}
	return same(from, to)
}

// anyDirs stands for the directories of a file when nothing is known of them.
const anyDirs = math.MaxInt

// without is how many of the directories of a name, from the innermost upwards,
// hold no file.
func (s *snapshot) without(name string) int {
	n := 0
	for dir := path.Dir(name); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
		n++
	}
	return n
}

// twins finds files that are new by name only: on a file system that takes names
// of another case for the same, removing one would remove the other.
func twins(made []*change, was, is *snapshot, r *root) {
	folded := map[string]string{}
	for _, c := range made {
		if c.before.kind == absent && c.after.kind != absent {
			rel, _ := below(r.real, c.path)
			folded[strings.ToLower(filepath.ToSlash(rel))] = filepath.ToSlash(rel)
		}
	}
	if len(folded) == 0 {
		return
	}
	twin := map[string]bool{}
	for name := range was.files {
		other, ok := folded[strings.ToLower(name)]
		a, b := is.files[name], is.files[other]
		if ok && other != name && a.state.kind != absent && (a.stamp.ino == 0 || a.stamp.ino == b.stamp.ino && a.stamp.dev == b.stamp.dev) {
			twin[filepath.Join(r.real, filepath.FromSlash(other))] = true
		}
	}
	for _, c := range made {
		if twin[c.path] {
			c.doubt = "it is another name of a file that was there before"
		}
	}
}

// add gives a change its number. The caller holds mu.
func (j *Journal) add(c *change) {
	c.id = j.nextID
	j.nextID++
	j.entries = append(j.entries, c)
}

func (j *Journal) isClosed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}
