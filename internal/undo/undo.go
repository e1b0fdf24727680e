package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// The errors of a Result.
var (
	// ErrChangedSince: the file is not as the agent left it.
	ErrChangedSince = errors.New("it was changed since")
	// ErrNotKept: it cannot be undone; Change.NoUndoReason says why.
	ErrNotKept = errors.New("it cannot be put back")
	// ErrClosed: the Journal was closed.
	ErrClosed = errors.New("the session was closed")
)

// Result is the outcome for one change.
type Result struct {
	Change Change
	// Err is nil if the file is now as it was before the change (for Redo: after).
	Err error
	// Already says that the file was in that state before: the change is not marked as undone.
	Already bool
}

// Undo reverts changes, the latest first. It leaves a file alone, with ErrChangedSince, unless it
// is exactly as the change left it: its content and mode, or its absence; an empty directory counts
// as absent. Only files and links are removed or replaced, each in one step. Directories that
// become empty are removed too, except roots and those that contained files before the turn; so is
// an empty directory in the place of a file. It follows no links. The results are in the order of
// the changes. Contents are restored byte by byte with their permission bits; recreated directories
// have the usual bits.
//
// If ctx ends, the remaining results have its cause. What is reverted during a turn is no change of
// that turn.
func (j *Journal) Undo(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, false, false)
}

// Redo applies undone changes again, under the same conditions: a file must be exactly as Undo left
// it.
func (j *Journal) Redo(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, true, false)
}

// Preview says what Undo would do, to show before asking. Undo checks again.
func (j *Journal) Preview(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, false, true)
}

// task is one file to change.
type task struct {
	at       int // in the list of the caller
	c        Change
	from, to state
	dirs     int // how many directories to remove with it if empty
}

// goes reports whether the file will be absent.
func (t task) goes() bool { return noFile(t.to) }

func (j *Journal) run(ctx context.Context, changes []Change, again, dry bool) []Result {
	j.work.Lock()
	defer j.work.Unlock()
	refused := make([]error, len(changes))
	if isRenamed := func(c Change) bool { return c.removal != nil }; !dry && slices.ContainsFunc(changes, isRenamed) {
		for i, r := range j.whole(ctx, changes, refused, again, true) {
			if isRenamed(r.Change) { // both of its names or none
				refused[i] = r.Err
			}
		}
	}
	return j.whole(ctx, changes, refused, again, dry)
}

// whole undoes or redoes all parts of the changes that are not refused.
func (j *Journal) whole(ctx context.Context, changes []Change, refused []error, again, dry bool) []Result {
	var parts []Change
	for i, c := range changes {
		if refused[i] == nil {
			parts = append(parts, c.Parts()...)
		}
	}
	done := j.each(ctx, parts, again, dry)
	results := make([]Result, len(changes))
	for i, c := range changes {
		r := Result{Change: c, Err: refused[i], Already: refused[i] == nil}
		for range c.Parts() {
			if refused[i] != nil {
				break
			}
			r.Err, r.Already, r.Change.Undone = cmp.Or(r.Err, done[0].Err), r.Already && done[0].Already, done[0].Change.Undone
			done = done[1:]
		}
		results[i] = r
	}
	return results
}

// each undoes or redoes changes of one name.
func (j *Journal) each(ctx context.Context, changes []Change, again, dry bool) []Result {
	results := make([]Result, len(changes))
	var tasks []task
	for i, c := range changes {
		results[i].Change = c
		t := task{at: i, c: c, from: c.after, to: c.before, dirs: c.newDirs}
		if again {
			t.from, t.to, t.dirs = t.to, t.from, c.goneDirs
		}
		if err := j.possible(c, again); err != nil {
			results[i].Err = err
			continue
		}
		tasks = append(tasks, t)
	}
	slices.SortStableFunc(tasks, func(a, b task) int { return order(a, b, again) })
	r := &restorer{j: j, dry: dry, would: map[string]state{}}
	for _, t := range tasks {
		err := context.Cause(ctx)
		if err == nil {
			results[t.at].Already, err = r.do(t)
		}
		results[t.at].Err = err
		if err == nil && !dry && !results[t.at].Already {
			j.mark(t.c.ids, !again)
			if t.from.noMode && t.to.kind != file {
				j.keepMode(t.c.ids, !again, r.found.mode)
			}
			results[t.at].Change.Undone = !again
			j.rebase(t, again)
		}
	}
	if !dry {
		_ = j.save() // EndTurn and Close try again, and report the error
	}
	return results
}

// rebase has the running turn begin with what Undo, Redo or Rewrite has made of a file, so that its end
// finds no change in that. A write of the turn itself that is redone stays one.
func (j *Journal) rebase(t task, again bool) {
	p, err := j.placeOf(t.c.Path)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil || !p.inRoot || j.turn == nil {
		return
	}
	began := t.to
	for _, id := range t.c.ids {
		if c := j.entry(id); again && c != nil && c.turn == j.turn.number {
			began = c.before
			break
		}
	}
	for r, was := range j.turn.was {
		switch {
		case r.real != p.dir || was.hidden.holds(p.rel) && !r.named[p.rel]:
		case noFile(began) && !r.named[p.rel]:
			delete(was.files, p.rel)
		default:
			was.set(p.rel, entry{state: began})
			delete(was.changedEarly, p.rel)
		}
	}
}

// possible returns why a change cannot be tried.
func (j *Journal) possible(c Change, again bool) error {
	switch {
	case j.isClosed():
		return ErrClosed
	case c.NoUndoReason != "":
		return fmt.Errorf("%w: %s", ErrNotKept, c.NoUndoReason)
	case c.Path == "" || len(c.ids) == 0:
		return fmt.Errorf("%w: it is no change of this session", ErrNotKept)
	case again && !c.Undone:
		return fmt.Errorf("%w: it was not undone", ErrNotKept)
	case !again && c.Undone:
		return fmt.Errorf("%w: it was undone already", ErrNotKept)
	}
	return nil
}

// order sorts by turn, forwards or backwards. Within a turn, names first lose their files, inner
// ones first, and then get them: a file may have become a directory, or the reverse.
func order(a, b task, again bool) int {
	back := func(n int) int {
		if again {
			return n
		}
		return -n
	}
	if n := cmp.Compare(a.c.Turn, b.c.Turn); n != 0 {
		return back(n)
	}
	switch {
	case a.goes() && !b.goes():
		return -1
	case b.goes() && !a.goes():
		return 1
	}
	n := strings.Compare(a.c.Path, b.c.Path)
	if a.goes() {
		n = -n
	}
	if n != 0 {
		return n
	}
	return back(cmp.Compare(a.c.ids[0], b.c.ids[0]))
}

// mark records that changes were undone, or redone.
func (j *Journal) mark(ids []int, undone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		if c := j.entry(id); c != nil {
			c.undone, c.saved, j.unsaved = undone, false, true
		}
	}
}

// keepMode records a mode that was unknown until the file was removed: of the state after the
// changes, or before them.
func (j *Journal) keepMode(ids []int, after bool, mode fs.FileMode) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.entry(ids[0]); c != nil && !after {
		c.before.mode, c.before.noMode, c.saved = mode, false, false
	}
	if c := j.entry(ids[len(ids)-1]); c != nil && after {
		c.after.mode, c.after.noMode, c.saved = mode, false, false
	}
}

// entry returns a change by its number; nil if it was dropped. The caller holds mu.
func (j *Journal) entry(id int) *change {
	i, ok := slices.BinarySearchFunc(j.entries, id, func(c *change, id int) int { return cmp.Compare(c.id, id) })
	if !ok {
		return nil
	}
	return j.entries[i]
}

// restorer changes files one by one.
type restorer struct {
	j     *Journal
	dry   bool
	would map[string]state // by path: the state that a dry run has reached
	found state            // by the last call of do, before it changed anything
	look  looker           // keeps nothing
}

func (r *restorer) do(t task) (already bool, err error) {
	p, err := r.j.placeOf(t.c.Path)
	if err != nil {
		return false, err
	}
	top, err := openTop(p.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%w: its root is gone", ErrChangedSince)
	}
	if err != nil {
		return false, fmt.Errorf("open %s: %w", p.dir, err)
	}
	defer top.Close()
	w := &walker{top: top}
	defer func() { w.leave(0) }()
	now, known := r.would[t.c.Path]
	if !known {
		now = r.now(w, p)
	}
	r.found = now
	if same(now, t.to) && t.to.kind != directory {
		return true, nil
	}
	if !leftAs(now, t.from) {
		return false, ErrChangedSince
	}
	if r.dry {
		r.would[t.c.Path] = t.to
		return false, nil
	}
	return false, r.put(w, p, t)
}

// now returns the present state. An empty directory counts as absent, since turns do not track it.
func (r *restorer) now(w *walker, p place) state {
	e, _ := r.look.at(w, p.rel, nil) // the error is only about keeping
	if e.state.kind == directory && empty(w, p.rel) {
		return state{}
	}
	return e.state
}

func empty(w *walker, rel string) bool {
	dir, err := w.enter(rel)
	if err != nil {
		return false
	}
	f, err := dir.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err == io.EOF
}

// leftAs reports whether the present state is the one that was left. Absence is as good as a
// directory: nothing is lost.
func leftAs(now, left state) bool {
	return same(now, left) || left.kind == directory && now.kind == absent
}
