// Package undotest has a record of changes in memory, for the tests of those that show and undo them.
package undotest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"parley/internal/undo"
)

// Journal implements workspace.Journal for one session. Its methods may be called from several
// goroutines; the fields must not be changed meanwhile.
type Journal struct {
	Files   []undo.Change                                       // by turn
	Text    func(c undo.Change) (before, after string, ok bool) // nil: no content is known
	Refuse  func(c undo.Change) error                           // why a change cannot be undone; may be nil
	Rewrote func(c undo.Change, content string) error           // may be nil
	Staged  func(c undo.Change, content *string) error          // may be nil
	Gaps    []string                                            // what is not recorded
	OnTurn  func(turn int, begins bool)                         // may be nil
	Number  int                                                 // of the last turn
	Never   bool                                                // turns are not counted

	mu    sync.Mutex
	asked []int
	done  []string
}

// Asked returns the turns that Since was called with, and forgets them.
func (j *Journal) Asked() []int {
	j.mu.Lock()
	defer j.mu.Unlock()
	asked := j.asked
	j.asked = nil
	return asked
}

// Undone returns what was undone, such as "/x/a.go of turn 2", and forgets it.
func (j *Journal) Undone() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	done := j.done
	j.done = nil
	return done
}

// Turn implements workspace.Journal.
func (j *Journal) Turn(begins bool) int {
	if j.Never {
		return 0
	}
	if begins {
		j.Number++
	}
	if j.OnTurn != nil {
		j.OnTurn(j.Number, begins)
	}
	return j.Number
}

// Changes implements workspace.Journal.
func (j *Journal) Changes() []undo.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.Files)
}

// Since implements workspace.Journal.
func (j *Journal) Since(first int) []undo.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.asked = append(j.asked, first)
	return slices.DeleteFunc(slices.Clone(j.Files), func(c undo.Change) bool { return c.Turn < first })
}

// Texts implements workspace.Journal.
func (j *Journal) Texts(c undo.Change) (before, after string, ok bool) {
	if j.Text == nil {
		return "", "", false
	}
	return j.Text(c)
}

// Preview implements workspace.Journal.
func (j *Journal) Preview(_ context.Context, changes []undo.Change) (out []undo.Result) {
	for _, c := range changes {
		var err error
		if j.Refuse != nil {
			err = j.Refuse(c)
		}
		out = append(out, undo.Result{Change: c, Err: err})
	}
	return out
}

// Undo implements workspace.Journal.
func (j *Journal) Undo(ctx context.Context, changes []undo.Change) []undo.Result {
	out := j.Preview(ctx, changes)
	for i := range out {
		if out[i].Err == nil {
			j.mark(&out[i].Change, true)
		}
	}
	return out
}

// Redo implements workspace.Journal.
func (j *Journal) Redo(_ context.Context, changes []undo.Change) (out []undo.Result) {
	for _, c := range changes {
		j.mark(&c, false)
		out = append(out, undo.Result{Change: c})
	}
	return out
}

// mark marks a change as undone or not.
func (j *Journal) mark(c *undo.Change, undone bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if undone {
		j.done = append(j.done, fmt.Sprint(c.Path, " of turn ", c.Turn))
	}
	c.Undone = undone
	for i, f := range j.Files {
		if f.Path == c.Path && f.Turn == c.Turn {
			j.Files[i].Undone = undone
		}
	}
}

// Rewrite implements workspace.Journal.
func (j *Journal) Rewrite(_ context.Context, c undo.Change, content string) error {
	if j.Rewrote == nil {
		return nil
	}
	return j.Rewrote(c, content)
}

// Stage implements workspace.Journal.
func (j *Journal) Stage(_ context.Context, c undo.Change, content *string) error {
	if j.Staged == nil {
		return nil
	}
	return j.Staged(c, content)
}

// NotRecorded implements workspace.Journal.
func (j *Journal) NotRecorded() []string { return j.Gaps }
