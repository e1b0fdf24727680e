package cli

import (
	"context"
	"fmt"

	"parley/internal/gitsafe"
	"parley/internal/stage"
	"parley/internal/undo"
	"parley/internal/workspace"
)

// Journal is the record of what an agent changed in one session. Its methods wait for the disk, except
// Turn. Once the session is closed there are no changes, and nothing can be done to them.
type Journal struct {
	all     *journals // nil: changes of an agent at a URL are not recorded
	session string
}

// Journal returns the record of a session.
func (c *Connection) Journal(session string) workspace.Journal { return Journal{c.journals, session} }

// open waits for the queued scans and returns the session's journal, nil if there is none.
func (j Journal) open() *journal {
	if j.all == nil {
		return nil
	}
	return j.all.waitIdle(j.session)
}

// Turn notes the start or end of a turn: the agent may have made any change on disk in between. It
// returns the turn's number in Changes, 0 if the session is not tracked.
func (j Journal) Turn(begins bool) int {
	if j.all == nil {
		return 0
	}
	return j.all.turn(j.session, begins)
}

// NotRecorded says what is not recorded and why, in sentences without full stops, safe to show.
func (j Journal) NotRecorded() (lines []string) {
	s := j.open()
	switch {
	case j.all == nil:
		return []string{"Changes of an agent at a URL are not recorded"}
	case s == nil:
		return j.all.why(j.session)
	}
	for _, n := range s.Notes() {
		lines = append(lines, noteLine(n, s.roots > 1))
	}
	return lines
}

// Changes returns the changes, turn by turn.
func (j Journal) Changes() (turns []undo.Change) {
	s := j.open()
	if s == nil {
		return nil
	}
	for _, n := range s.Turns() {
		turns = append(turns, s.Changes(n)...)
	}
	return turns
}

// Since returns the changes of a turn and all later ones, combined: each file once.
func (j Journal) Since(first int) []undo.Change {
	if s := j.open(); s != nil {
		return s.Since(first)
	}
	return nil
}

// Texts returns the contents of a file before and after a change, if they are known.
func (j Journal) Texts(change undo.Change) (before, after string, ok bool) {
	if s := j.open(); s != nil {
		return s.Texts(change)
	}
	return "", "", false
}

// Preview says what Undo would do.
func (j Journal) Preview(ctx context.Context, changes []undo.Change) []undo.Result {
	return j.each(changes, func(s *journal) []undo.Result { return s.Preview(ctx, changes) })
}

// Undo undoes changes. Files changed since are left alone.
func (j Journal) Undo(ctx context.Context, changes []undo.Change) []undo.Result {
	return j.each(changes, func(s *journal) []undo.Result { return s.Undo(ctx, changes) })
}

// Redo applies changes again after Undo. Files changed since are left alone.
func (j Journal) Redo(ctx context.Context, changes []undo.Change) []undo.Result {
	return j.each(changes, func(s *journal) []undo.Result { return s.Redo(ctx, changes) })
}

func (j Journal) each(changes []undo.Change, do func(*journal) []undo.Result) (out []undo.Result) {
	if s := j.open(); s != nil {
		return do(s)
	}
	for _, c := range changes {
		out = append(out, undo.Result{Change: c, Err: undo.ErrClosed})
	}
	return out
}

// Rewrite undoes a part of a change: it replaces the content that the change left. A file changed since
// is left alone.
func (j Journal) Rewrite(ctx context.Context, change undo.Change, content string) error {
	if s := j.open(); s != nil {
		return s.Rewrite(ctx, change, content)
	}
	return undo.ErrClosed
}

// Stage adds the change of a file to git's index: all of it, or with content a part that would leave
// this.
func (j Journal) Stage(ctx context.Context, change undo.Change, content *string) error {
	s := j.open()
	if s == nil {
		return undo.ErrClosed
	}
	git, err := gitsafe.Program()
	if err != nil {
		return fmt.Errorf("staging needs git: %w", err)
	}
	var files []stage.File
	for _, u := range change.Parts() {
		f := stage.File{Path: u.Path, Created: u.Kind == undo.Created, Deleted: u.Kind == undo.Deleted}
		var ok bool
		if f.Before, f.After, ok = s.Texts(u); !ok && u.Kind != undo.Mode {
			return stage.ErrNoText
		}
		f.BeforeMode, f.AfterMode = u.GitModes()
		if content != nil {
			f.After, f.BeforeMode, f.AfterMode = *content, "", ""
		}
		files = append(files, f)
	}
	return stage.Stage(ctx, git, files...)
}
