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
	// ErrChangedSince: the file is not what the agent left.
	ErrChangedSince = errors.New("it was changed since")
	// ErrNotKept: it cannot be put back; Change.Why says the reason.
	ErrNotKept = errors.New("it cannot be put back")
	// ErrClosed: the Journal was closed.
	ErrClosed = errors.New("the session was closed")
)

// Result is what became of one change.
type Result struct {
	Change Change
	// Err is nil where the file is now as it was before the change (of Redo: after).
	Err error
	// Already says that it was so before anything was done: somebody else did it,
	// and the change is not marked as undone.
	Already bool
}

// Undo puts back what was there before the changes, the later first. A file is
// left alone, with ErrChangedSince, unless it is exactly what the change left: its
// content and its mode, or that there is none; an empty directory counts as none.
// Only files and links are removed or replaced, each in one step; directories that
// are empty by that go too, except roots and those that held files before the turn,
// and so does an empty one in the place of a file. Nothing is reached through a
// link. Results are in the order of the changes. Contents come back byte by byte
// with their permission bits; directories that are made anew have the usual ones.
//
// A ctx that ends leaves the rest undone, with its cause. What is put back during
// a turn is a change on the disk like any other.
func (j *Journal) Undo(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, false, false)
}

// Redo does changes again that were undone, under the same conditions: a file must
// be exactly what Undo left.
func (j *Journal) Redo(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, true, false)
}

// Look says what Undo would do, without doing it: what to show before asking. It
// is no promise, Undo looks again.
func (j *Journal) Look(ctx context.Context, changes []Change) []Result {
	return j.run(ctx, changes, false, true)
}

// task is one file to change.
type task struct {
	at       int // in the list of the caller
	c        Change
	from, to state
	dirs     int // that go with it if they are empty
}

// goes tells whether there will be no file.
func (t task) goes() bool { return noFile(t.to) }

func (j *Journal) run(ctx context.Context, changes []Change, again, dry bool) []Result {
	j.work.Lock()
	defer j.work.Unlock()
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
		}
	}
	return results
}

// possible says why a change is not to be tried at all.
func (j *Journal) possible(c Change, again bool) error {
	switch {
	case j.isClosed():
		return ErrClosed
	case c.Why != "":
		return fmt.Errorf("%w: %s", ErrNotKept, c.Why)
	case c.Path == "" || len(c.ids) == 0:
		return fmt.Errorf("%w: it is no change of this session", ErrNotKept)
	case again && !c.Undone:
		return fmt.Errorf("%w: it was not undone", ErrNotKept)
	case !again && c.Undone:
		return fmt.Errorf("%w: it was undone already", ErrNotKept)
	}
	return nil
}

// order is by turn, the way it came about or back. Within a turn, names first lose
// their files, the inner first, and then get them: a file may have become a
// directory, or the other way round.
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

// mark notes that changes were undone, or done again.
func (j *Journal) mark(ids []int, undone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, id := range ids {
		if c := j.entry(id); c != nil {
			c.undone = undone
		}
	}
}

// keepMode notes the mode of a file that was not known until the file went away: of the
// one after the changes, or before them.
func (j *Journal) keepMode(ids []int, after bool, mode fs.FileMode) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if c := j.entry(ids[0]); c != nil && !after {
		c.before.mode, c.before.noMode = mode, false
	}
	if c := j.entry(ids[len(ids)-1]); c != nil && after {
		c.after.mode, c.after.noMode = mode, false
	}
}

// entry finds a change by its number; nil where it is forgotten. The caller holds mu.
func (j *Journal) entry(id int) *change {
	i, ok := slices.BinarySearchFunc(j.entries, id, func(c *change, id int) int { return cmp.Compare(c.id, id) })
	if !ok {
		return nil
	}
	return j.entries[i]
}

// restorer changes files, one after the other.
type restorer struct {
	j     *Journal
	dry   bool
	would map[string]state // by path: what would be there by now
	found state            // by the last do, before it changed anything
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

// now is what is there. An empty directory is nothing: no turn sees it come or go.
func (r *restorer) now(w *walker, p place) state {
	e, _ := r.look.at(w, p.rel, nil) // fails at keeping alone
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

// leftAs tells whether there is now what was left. Where a directory was left,
// none is as good: nothing is lost with it.
func leftAs(now, left state) bool {
	return same(now, left) || left.kind == directory && now.kind == absent
}
