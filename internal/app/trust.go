package app

import (
	"context"

	"parley/internal/cli"
	"parley/internal/undo"
	"parley/internal/workspace"
)

// addRulesAndUndo gives the screen the functions to add rules, and to show and undo changes.
func addRulesAndUndo(conn *workspace.Connection, c *cli.Connection) {
	conn.AddRule, conn.LastAsked, conn.Turn = c.AddRule, c.LastAsked, c.Turn
	conn.KillTerminal = c.Host.KillTerminal
	conn.Changes = func(session string) (turns, together []workspace.FileChange) {
		t, all := c.Changes(session)
		return shown(t), shown(all)
	}
	conn.Texts = func(session string, f workspace.FileChange) (before, after string, ok bool) {
		return c.ChangeTexts(session, f.Handle.(undo.Change))
	}
	conn.Undo = func(ctx context.Context, session string, changes []workspace.FileChange, try bool) []workspace.UndoResult {
		return outcome(c.Undo(ctx, session, handles(changes), try))
	}
	conn.Redo = func(ctx context.Context, session string, changes []workspace.FileChange) []workspace.UndoResult {
		return outcome(c.Redo(ctx, session, handles(changes)))
	}
}

func handles(changes []workspace.FileChange) (raw []undo.Change) {
	for _, f := range changes {
		raw = append(raw, f.Handle.(undo.Change))
	}
	return raw
}

func outcome(results []undo.Result) (out []workspace.UndoResult) {
	for _, r := range results {
		out = append(out, workspace.UndoResult{Change: shown([]undo.Change{r.Change})[0], Err: r.Err})
	}
	return out
}

func shown(changes []undo.Change) []workspace.FileChange {
	out := make([]workspace.FileChange, 0, len(changes))
	for _, c := range changes {
		out = append(out, workspace.FileChange{Path: c.Path, Kind: c.Kind.String(), By: c.By.String(), Turn: c.Turn, Disk: c.By != undo.ThroughParley, NoUndoReason: c.NoUndoReason, Undone: c.Undone, Handle: c})
	}
	return out
}
