package undo

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
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

// Renamed finds files that have only got another name: a deleted file and a created one with the
// same content. It returns the index of the deleted one by that of the created one.
func Renamed(changes []Change) map[int]int {
	type content struct {
		sum    sum
		undone bool
	}
	deleted := map[content][]int{}
	for i, c := range changes {
		if c.Kind == Deleted && c.before.kind == file && c.before.size > 0 && c.after.kind == absent {
			of := content{c.before.sum, c.Undone}
			deleted[of] = append(deleted[of], i)
		}
	}
	from := map[int]int{}
	for i, c := range changes {
		if c.Kind != Created || c.after.kind != file {
			continue
		}
		of := content{c.after.sum, c.Undone}
		candidates := deleted[of]
		if len(candidates) == 0 {
			continue
		}
		best := 0
		for k, at := range candidates { // a file that was moved to another directory
			if filepath.Base(changes[at].Path) == filepath.Base(c.Path) {
				best = k
				break
			}
		}
		from[i] = candidates[best]
		deleted[of] = append(candidates[:best:best], candidates[best+1:]...)
	}
	return from
}

// ID identifies the state that a change left: it is never used again for another.
func (c Change) ID() int { return c.ids[len(c.ids)-1] }

// GitModes returns the modes of a change as git writes them: 100644, 100755 for an executable file,
// 120000 for a link, and "" where there is no file or the mode is not known.
func (c Change) GitModes() (before, after string) { return gitMode(c.before), gitMode(c.after) }

func gitMode(s state) string {
	switch {
	case s.kind == link:
		return "120000"
	case s.kind != file || s.noMode:
		return ""
	case s.mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// Permissions returns the permission bits of a file before and after a change; ok is false unless
// both are known.
func (c Change) Permissions() (before, after fs.FileMode, ok bool) {
	known := func(s state) bool { return s.kind == file && !s.noMode }
	return c.before.mode, c.after.mode, known(c.before) && known(c.after)
}
