package app

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/cli"
	"parley/internal/undo"
	"parley/internal/workspace"
)

// addRulesAndUndo gives the screen the functions to add rules, and to show, stage and undo changes.
func addRulesAndUndo(conn *workspace.Connection, c *cli.Connection) {
	conn.AddRule, conn.LastAsked, conn.Turn = c.AddRule, c.LastAsked, c.Turn
	conn.KillTerminal = c.Host.KillTerminal
	conn.Changes = func(session string) (turns []workspace.FileChange) {
		for _, u := range c.Changes(session) {
			turns = append(turns, shown(u))
		}
		return turns
	}
	conn.NotRecorded = c.NotRecorded
	conn.Since = func(session string, first int) []workspace.FileChange {
		return together(c.ChangesSince(session, first))
	}
	conn.Texts = func(session string, f workspace.FileChange) (before, after string, ok bool) {
		of := handles(f)
		before, after, ok = c.ChangeTexts(session, of[0])
		if len(of) > 1 && ok { // renamed: the file under its new name is the second
			after = before
		}
		return before, after, ok
	}
	conn.Undo = func(ctx context.Context, session string, changes []workspace.FileChange, try bool) []workspace.UndoResult {
		return eachWhole(changes, func(all []undo.Change, only bool) []undo.Result {
			return c.Undo(ctx, session, all, try || only)
		})
	}
	conn.Redo = func(ctx context.Context, session string, changes []workspace.FileChange) []workspace.UndoResult {
		return eachWhole(changes, func(all []undo.Change, only bool) []undo.Result {
			if only {
				return nil
			}
			return c.Redo(ctx, session, all)
		})
	}
	conn.Rewrite = func(ctx context.Context, session string, f workspace.FileChange, content string) error {
		return refusal(c.RewriteChange(ctx, session, handles(f)[0], content))
	}
	conn.Stage = func(ctx context.Context, session string, f workspace.FileChange, content *string) error {
		return c.StageChange(ctx, session, handles(f), content)
	}
}

func handles(f workspace.FileChange) []undo.Change { return f.Handle.([]undo.Change) }

// eachWhole puts back changes, or redoes them. A renamed file is two changes of the journal, which are
// put back together or not at all: only says to try first. The outcome has one entry for each.
func eachWhole(changes []workspace.FileChange, do func(all []undo.Change, only bool) []undo.Result) (out []workspace.UndoResult) {
	var all []undo.Change
	refused := make([]error, len(changes))
	for i, f := range changes {
		if of := handles(f); len(of) > 1 {
			refused[i] = firstError(do(of, true))
		}
		if refused[i] == nil {
			all = append(all, handles(f)...)
		}
	}
	results := do(all, false)
	if len(results) != len(all) { // the session is closed
		return nil
	}
	for i, f := range changes {
		if refused[i] == nil {
			n := len(handles(f))
			refused[i] = firstError(results[:n])
			results = results[n:]
		}
		out = append(out, workspace.UndoResult{Change: f, Err: refusal(refused[i])})
	}
	return out
}

// refusal returns an error of the journal as one of the workspace.
func refusal(err error) error {
	if errors.Is(err, undo.ErrChangedSince) {
		return changedSince{err}
	}
	return err
}

// changedSince is a workspace.ErrChangedSince in the journal's words.
type changedSince struct{ error }

func (changedSince) Is(target error) bool { return target == workspace.ErrChangedSince }

func firstError(results []undo.Result) error {
	for _, r := range results {
		if r.Err != nil {
			return r.Err
		}
	}
	return nil
}

func shown(changes ...undo.Change) workspace.FileChange {
	c := changes[0]
	f := workspace.FileChange{Path: c.Path, Kind: c.Kind.String(), By: c.By.String(), Turn: c.Turn, Disk: c.By != undo.ThroughParley, NoUndoReason: c.NoUndoReason, Undone: c.Undone,
		Before: c.Before, After: c.After, Handle: changes}
	for _, c := range changes {
		f.Version += fmt.Sprint(c.ID(), c.Undone, " ")
	}
	before, after := c.GitModes()
	f.Link = before == "120000" || after == "120000"
	if was, is, ok := c.Permissions(); ok && was != is {
		f.Modes = fmt.Sprintf("%03o → %03o", was, is)
	}
	return f
}

// together lists changes with renamed files as one change each, in the place of the new name.
func together(changes []undo.Change) (out []workspace.FileChange) {
	from := undo.Renamed(changes)
	moved := map[int]bool{}
	for _, i := range from {
		moved[i] = true
	}
	for i, c := range changes {
		if moved[i] {
			continue
		}
		old, renamed := from[i]
		if !renamed {
			out = append(out, shown(c))
			continue
		}
		f := shown(changes[old], c)
		f.Kind, f.From, f.Path, f.After = "renamed", f.Path, c.Path, c.After
		f.Turn, f.Disk = max(f.Turn, c.Turn), f.Disk || c.By != undo.ThroughParley
		if c.NoUndoReason != "" {
			f.NoUndoReason = c.NoUndoReason
		}
		out = append(out, f)
	}
	return out
}
