package app

import (
	"context"

	"parley/internal/cli"
	"parley/internal/undo"
	"parley/ui"
)

// answerable gives the screen what it needs to make rules, to show what was
// changed and to put it back.
func answerable(conn *ui.Connection, c *cli.Connection) {
	conn.AddRule, conn.LastAsked, conn.Turn = c.AddRule, c.LastAsked, c.Turn
	conn.KillTerminal = c.Host.KillTerminal
	conn.Changes = func(session string) (turns, together []ui.FileChange) {
		t, all := c.Changes(session)
		return shown(t), shown(all)
	}
	conn.Texts = func(session string, f ui.FileChange) (before, after string, ok bool) {
		return c.ChangeTexts(session, f.Handle.(undo.Change))
	}
	conn.PutBack = func(ctx context.Context, session string, changes []ui.FileChange, try bool) []ui.PutBack {
		return outcome(c.PutBack(ctx, session, handles(changes), try))
	}
	conn.DoAgain = func(ctx context.Context, session string, changes []ui.FileChange) []ui.PutBack {
		return outcome(c.DoAgain(ctx, session, handles(changes)))
	}
}

func handles(changes []ui.FileChange) (raw []undo.Change) {
	for _, f := range changes {
		raw = append(raw, f.Handle.(undo.Change))
	}
	return raw
}

func outcome(results []undo.Result) (out []ui.PutBack) {
	for _, r := range results {
		out = append(out, ui.PutBack{Change: shown([]undo.Change{r.Change})[0], Err: r.Err})
	}
	return out
}

func shown(changes []undo.Change) []ui.FileChange {
	out := make([]ui.FileChange, 0, len(changes))
	for _, c := range changes {
		out = append(out, ui.FileChange{Path: c.Path, Kind: c.Kind.String(), By: c.By.String(), Turn: c.Turn, Disk: c.By != undo.ThroughParley, Why: c.Why, Undone: c.Undone, Handle: c})
	}
	return out
}
