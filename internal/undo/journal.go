package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/gitsafe"
)

// Default limits, and bounds of what a Journal remembers.
const (
	DefaultMaxBytes = 256 << 20 // bytes of copies
	maxEntries      = 60_000    // changes; the oldest go first
	maxNotes        = 20
)

// Options configure a Journal.
type Options struct {
	Dir      string   // directory for copies; each Journal has its own subdirectory
	Roots    []string // directories that exist
	Git      string   // the program; "" looks for it
	MaxBytes int64    // bytes that the copies may take; 0 means DefaultMaxBytes
	Keep     *Kept    // where changes outlive the Journal, which closes it; nil: Close discards them
}

// Journal tracks the changes of one session.
type Journal struct {
	opts  Options
	store *store
	roots []*root
	git   gitCalls
	most  int // files of a root

	work sync.Mutex // held by what looks at the disk or changes it; taken before mu

	// mu guards the fields below. It is never held while waiting for the disk.
	mu        sync.Mutex
	turn      *turn // between BeginTurn and EndTurn
	entries   []*change
	nextID    int
	lastTurn  int
	notes     []Note
	lateTurns int    // turns; see Late
	lateNote  string // of them
	unsaved   bool   // something was recorded since the last save
	gone      []int  // saved changes that were dropped since
	closed    bool
}

// gitCalls are methods of git, which tests imitate.
type gitCalls struct {
	tracked func(ctx context.Context, dir string, was *index) (*index, error)
	ignored func(ctx context.Context, dir string, names []string) ([]bool, error)
	blobs   func(ctx context.Context, dir string, repo *repository, wanted []wantedBlob) error
}

// turn is a running turn.
type turn struct {
	number int
	was    map[*root]*snapshot // by root, unless that could not be scanned
}

// New creates the Journal of a session. It waits for the disk. Call Close when done.
func New(opts Options) (*Journal, error) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.Git == "" {
		opts.Git, _ = gitsafe.Program()
	}
	s, err := openStore(opts.Dir, opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	roots, err := openRoots(opts.Roots, opts.Dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("find the roots of what can be undone: %w", err), s.close())
	}
	j := &Journal{opts: opts, store: s, roots: roots, most: MaxFiles}
	if k := opts.Keep; k != nil {
		s.older = k.copies
		j.continues(k.past)
	}
	g := git(opts.Git)
	j.git = gitCalls{g.tracked, g.ignored, g.blobs}
	return j, nil
}

// Close discards all changes and removes the copies, except what Options.Keep keeps.
func (j *Journal) Close() error {
	j.work.Lock()
	defer j.work.Unlock()
	k := j.opts.Keep
	j.mu.Lock()
	if k != nil && len(j.entries) > 0 && j.lastTurn > k.past.Turn {
		j.unsaved = true // later Journals continue its number
	}
	j.mu.Unlock()
	failed := j.save()
	j.mu.Lock()
	closed := j.closed
	j.closed, j.entries, j.turn = true, nil, nil
	j.mu.Unlock()
	if closed {
		return nil
	}
	if k != nil {
		failed = errors.Join(failed, k.Close())
	}
	return errors.Join(failed, j.store.close())
}

// LastTurn returns the number of the latest turn, which an earlier Journal may have recorded; 0 if there
// was none.
func (j *Journal) LastTurn() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.lastTurn
}

// BeginTurn scans the roots before a turn. What the agent changes on disk before it returns may be
// listed without what was there before, or be missed; writes through parley are not. Turn numbers must
// increase. A turn that was not ended with EndTurn only has the writes through parley. The notes say
// which roots are not tracked.
func (j *Journal) BeginTurn(ctx context.Context, number int) []Note {
	j.work.Lock()
	defer j.work.Unlock()
	if j.isClosed() {
		return nil
	}
	next := &turn{number: number, was: map[*root]*snapshot{}}
	var notes []Note
	for _, r := range j.roots {
		s, gap, err := j.snapshotBefore(ctx, r)
		if err == nil {
			next.was[r] = s
		}
		if gap = cmp.Or(err, gap); gap != nil {
			notes = j.note(notes, Note{r.real, unlisted, gap})
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.turn, j.lastTurn = next, max(j.lastTurn, number)
	return notes
}

// EndTurn scans the roots after a turn. Later changes on disk belong to no turn.
func (j *Journal) EndTurn(ctx context.Context, number int) []Note {
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
		is, err := j.snapshotAfter(ctx, r, was, slices.Collect(maps.Keys(writes)))
		if err != nil {
			notes = j.note(notes, Note{r.real, fmt.Sprintf("what changed on the disk during turn %d is not known", number), err})
			continue
		}
		if err := j.resolve(ctx, r, was, is); err != nil {
			notes = j.note(notes, Note{r.real, fmt.Sprintf("what some files held before turn %d is not known", number), err})
		}
		was.findDirs()
		is.findDirs()
		j.recordTurn(number, r, was, is, writes)
	}
	if j.trim() {
		notes = j.note(notes, Note{Text: "the oldest changes are no longer listed", Err: errTooManyChanges})
	}
	full := fmt.Errorf("the copies of a session may take %d MiB", j.opts.MaxBytes>>20)
	if j.makeRoom() {
		notes = j.note(notes, Note{Text: "the oldest changes can no longer be undone", Err: full})
	}
	if j.store.hasRefused() {
		notes = j.note(notes, Note{Text: "not every change can be undone", Err: full})
	}
	if err := j.save(); err != nil {
		notes = append(notes, Note{Text: "changes are lost when parley ends", Err: err})
	}
	return notes
}

// makeRoom removes copies once there are many, and reports whether a change has lost one. Those of what
// files hold now stay: the next turn may need them. The caller holds work.
func (j *Journal) makeRoom() (lost bool) {
	stores := []*store{j.store}
	if j.opts.Keep != nil {
		stores = append(stores, j.opts.Keep.copies)
	}
	if stores = slices.DeleteFunc(stores, func(s *store) bool { return !s.isFull() }); len(stores) == 0 {
		return false
	}
	turns, pinned := map[sum]int{}, map[sum]bool{}
	for _, r := range j.roots {
		for _, e := range r.known {
			pinned[e.state.sum] = true
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.entries { // later ones have later turns
		turns[c.before.sum], turns[c.after.sum] = c.turn, c.turn
	}
	for _, s := range stores {
		lost = s.makeRoom(turns, pinned) || lost
	}
	if k := j.opts.Keep; k != nil {
		k.past.size, j.unsaved = 0, true // the record must not name what is gone
	}
	return lost
}

// trim drops the oldest of too many changes, and reports whether it did.
func (j *Journal) trim() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) <= maxEntries {
		return false
	}
	for _, c := range j.entries[:len(j.entries)-maxEntries] {
		j.drop(c)
	}
	j.entries = slices.Clone(j.entries[len(j.entries)-maxEntries:])
	return true
}

// drop notes that a change is no longer listed. The caller holds mu.
func (j *Journal) drop(c *change) {
	if c.saved {
		j.gone = append(j.gone, c.id)
	}
}

// writesOf returns the writes through parley of a turn below a root, by name.
func (j *Journal) writesOf(number int, r *root) map[string][]*change {
	j.mu.Lock()
	defer j.mu.Unlock()
	writes := map[string][]*change{}
	for _, c := range j.entries {
		if c.turn != number || c.undone {
			continue
		}
		if rel, ok := below(r.real, c.path); ok && !slices.ContainsFunc(r.apart, func(dir string) bool {
			return strings.HasPrefix(filepath.ToSlash(rel), dir+"/")
		}) {
			writes[filepath.ToSlash(rel)] = append(writes[filepath.ToSlash(rel)], c)
		}
	}
	return writes
}

// recordTurn compares two snapshots and replaces the recorded writes to a file by its change.
func (j *Journal) recordTurn(number int, r *root, was, is *snapshot, writes map[string][]*change) {
	names := slices.Concat(slices.Collect(maps.Keys(was.files)), slices.Collect(maps.Keys(is.files)), slices.Collect(maps.Keys(writes)))
	slices.Sort(names)
	replaced := map[*change]bool{}
	var made []*change
	for _, name := range slices.Compact(names) {
		if len(writes[name]) == 0 && !was.changedEarly[name] && same(was.files[name].state, is.files[name].state) {
			continue // the common case
		}
		c := compare(was, is, name, writes[name], j.firstEarly(writes[name], was.files[name].state))
		if c == nil {
			continue // the snapshots do not tell: keep the recorded writes
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
	j.unsaved = j.unsaved || len(replaced) > 0
	j.entries = slices.DeleteFunc(j.entries, func(c *change) bool {
		if !replaced[c] || c.undone {
			return false
		}
		j.drop(c)
		return true
	})
	for _, c := range made {
		j.add(c)
	}
}

// firstEarly returns the first write of a turn to a file if the scan before the turn has found the
// file as one of them left it, else nil. Writes that the scan after an earlier turn has found belong
// to that turn.
func (j *Journal) firstEarly(writes []*change, found state) *change {
	if len(writes) == 0 || !writes[0].early {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range slices.Backward(j.entries) {
		if c.path != writes[0].path || c.turn >= writes[0].turn {
			continue
		}
		if i := slices.IndexFunc(writes, func(w *change) bool { return same(w.after, c.after) }); i >= 0 {
			writes = writes[i+1:]
		}
		break
	}
	if !slices.ContainsFunc(writes, func(w *change) bool { return w.early && same(w.after, found) }) {
		return nil
	}
	return writes[0]
}

// compare returns the change of a name, which may be Same; nil if the snapshots do not tell. first is
// the first write that the scan before the turn has found done, or nil.
func compare(was, is *snapshot, name string, writes []*change, first *change) *change {
	a, listed := was.files[name]
	b := is.files[name]
	c := &change{before: a.state, after: b.state, by: OnDisk, newDirs: was.without(name), goneDirs: is.without(name)}
	switch {
	case listed && first != nil:
		c.before, c.newDirs = first.before, first.newDirs
	case was.changedEarly[name] && len(writes) == 0:
		c.before, c.doubt = state{kind: unknowable, size: -1}, doubtLate
	case listed && !was.changedEarly[name] || len(writes) == 0:
	case b.state.kind == absent && writes[0].before.kind == absent:
		return c // created and deleted in the turn
	case was.hidden.holds(name):
		return nil
	default:
		// If the first write found a file that git did not list before, it was created in this
		// turn, and not necessarily by the agent.
		c.before = writes[0].before
	}
	if len(writes) == 0 {
		if !listed && b.state.kind == directory {
			c.after = c.before // newly ignored, or in a nested repository: no longer tracked
		}
		switch {
		case listed:
		case was.hidden.holds(name):
			c.doubt = doubtHidden
		case older(b.stamp, was.began):
			c.doubt = doubtUnseen
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

// older reports whether a file, its name and its mode have not changed since well before t.
func older(st stamp, t time.Time) bool {
	return st.ctime != 0 && wellBefore(st.ctime, t)
}

// wellBefore reports whether the time of a file is before t, however coarse the file system's clock is.
func wellBefore(ns int64, t time.Time) bool { return ns < t.Add(-ticks(ns)).UnixNano() }

// chained reports whether writes lead from one state to the other.
func chained(from state, writes []*change, to state) bool {
	for _, w := range writes {
		if !same(from, w.before) {
			return false
		}
		from = w.after
	}
	return same(from, to)
}

// anyDirs is the number of empty directories of a file if it is unknown.
const anyDirs = math.MaxInt

// without returns how many directories of a name, from the innermost, contain no file.
func (s *snapshot) without(name string) int {
	n := 0
	for dir := path.Dir(name); dir != "." && !s.dirs[dir]; dir = path.Dir(dir) {
		n++
	}
	return n
}

// twins finds files that are new by name only: on a file system that ignores case, removing one
// would remove the other.
func twins(made []*change, was, is *snapshot, r *root) {
	folded, sizes := map[string]string{}, map[int]bool{} // few names have the size of one of them
	for _, c := range made {
		if c.before.kind == absent && c.after.kind != absent {
			rel, _ := below(r.real, c.path)
			folded[strings.ToLower(filepath.ToSlash(rel))] = filepath.ToSlash(rel)
			sizes[len(rel)] = true
		}
	}
	if len(folded) == 0 {
		return
	}
	twin := map[string]bool{}
	check := func(name string, ino uint32) {
		if !sizes[len(name)] {
			return
		}
		other, ok := folded[strings.ToLower(name)]
		if ok && other != name && ino == uint32(is.files[other].stamp.ino) {
			twin[filepath.Join(r.real, filepath.FromSlash(other))] = true
		}
	}
	for name := range was.files {
		if a := is.files[name]; a.state.kind != absent {
			check(name, uint32(a.stamp.ino))
		}
	}
	for i, clean := range is.clean {
		if clean != 0 {
			check(is.index.files[i].name, is.index.files[i].ino)
		}
	}
	for _, c := range made {
		if twin[c.path] {
			c.doubt = doubtTwin
		}
	}
}

// add numbers a change. The caller holds mu.
func (j *Journal) add(c *change) {
	c.id = j.nextID
	j.nextID++
	j.unsaved, j.lastTurn = true, max(j.lastTurn, c.turn)
	j.entries = append(j.entries, c)
}

func (j *Journal) isClosed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.closed
}
