package undo

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// Rewrite replaces the content of a file that a change left behind, to undo a part of the change.
// Like Undo it does so in one step, and leaves the file alone with ErrChangedSince unless it is
// exactly as the change left it. The new content belongs to the turn of the change, even if another
// one is running: it extends the change, which Undo then reverts as a whole.
func (j *Journal) Rewrite(ctx context.Context, c Change, content string) error {
	j.work.Lock()
	defer j.work.Unlock()
	if err := j.possible(c, false); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	to := state{kind: file, mode: c.after.mode, noMode: c.after.noMode, size: int64(len(content)), sum: sha256.Sum256([]byte(content))}
	switch {
	case c.after.kind != file:
		return fmt.Errorf("%w: it is no file", ErrNotKept)
	case len(content) > MaxKept:
		return fmt.Errorf("%w: %s", ErrNotKept, j.noCopy(to))
	}
	if err := j.keepText(to, content); err != nil {
		return err
	}
	if !j.store.has(to.sum) {
		return fmt.Errorf("%w: %s", ErrNotKept, j.noCopy(to))
	}
	r := &restorer{j: j}
	t := task{c: c, from: c.after, to: to}
	already, err := r.do(t)
	if already && !same(c.after, to) { // by somebody else
		err = ErrChangedSince
	}
	if already || err != nil {
		return err
	}
	made := &change{turn: c.Turn, path: c.Path, before: c.after, after: to, by: c.By, goneDirs: c.goneDirs}
	j.mu.Lock()
	running := j.turn != nil && j.turn.number == c.Turn // its end finds the new content
	j.add(made)
	j.mu.Unlock()
	if !running {
		j.rebase(t, false)
	}
	_ = j.save() // EndTurn and Close try again, and report the error
	return nil
}
