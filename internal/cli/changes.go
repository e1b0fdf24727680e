package cli

import (
	"context"
	"fmt"

	"parley/internal/gitsafe"
	"parley/internal/stage"
	"parley/internal/undo"
)

// ChangesSince returns the changes of a turn and all later ones, combined: each file once. It waits
// for the disk, as do all methods of this file.
func (c *Connection) ChangesSince(session string, first int) []undo.Change {
	if s := c.journal(session); s != nil {
		return s.Since(first)
	}
	return nil
}

// ChangeTexts returns the contents of a file before and after a change, if they are known.
func (c *Connection) ChangeTexts(session string, change undo.Change) (before, after string, ok bool) {
	if s := c.journal(session); s != nil {
		return s.Texts(change)
	}
	return "", "", false
}

// Undo undoes changes of a session. With try it only reports what would happen. Files changed
// since are left alone. It returns nil if the session is closed.
func (c *Connection) Undo(ctx context.Context, session string, changes []undo.Change, try bool) []undo.Result {
	s := c.journal(session)
	switch {
	case s == nil:
		return nil
	case try:
		return s.Preview(ctx, changes)
	}
	return s.Undo(ctx, changes)
}

// Redo applies changes of a session again after Undo. Files changed since are left alone.
func (c *Connection) Redo(ctx context.Context, session string, changes []undo.Change) []undo.Result {
	if s := c.journal(session); s != nil {
		return s.Redo(ctx, changes)
	}
	return nil
}

// RewriteChange undoes a part of a change: it replaces the content that the change left. A file
// changed since is left alone.
func (c *Connection) RewriteChange(ctx context.Context, session string, change undo.Change, content string) error {
	if s := c.journal(session); s != nil {
		return s.Rewrite(ctx, change, content)
	}
	return undo.ErrClosed
}

// StageChange adds the change of a file to git's index: all of it, or with content a part that would
// leave this. Two changes are those of a renamed file.
func (c *Connection) StageChange(ctx context.Context, session string, changes []undo.Change, content *string) error {
	s := c.journal(session)
	if s == nil {
		return undo.ErrClosed
	}
	git, err := gitsafe.Program()
	if err != nil {
		return fmt.Errorf("staging needs git: %w", err)
	}
	var files []stage.File
	for _, u := range changes {
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
