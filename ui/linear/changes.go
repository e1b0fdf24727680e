package linear

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/linear/plain"
	"parley/ui/transcript"
)

// changes lists and undoes the agent's changes in a session.
type changes struct {
	dialogs *dialogs
	tasks   *tasks
	conn    *workspace.Connection
	session string
	cwd     string // paths are shown relative to it
}

// showChanges lists the changed files of a session. With undo it offers to restore them.
func showChanges(ds *dialogs, tasks *tasks, s *workspace.Session, undo bool) {
	conn := s.Agent.Conn()
	if s.ACP == nil || conn == nil || conn.Changes == nil {
		ds.out.say("Changes are not tracked in this session.")
		return
	}
	c := changes{ds, tasks, conn, s.ACP.ID(), cwd(s)}
	tasks.run(func(ctx context.Context) func() {
		turns := conn.Changes(c.session)
		var last, undone []workspace.FileChange // of the last turn with changes that are not undone
		for _, f := range turns {
			switch {
			case f.Undone:
				undone = append(undone, f)
			case len(last) > 0 && f.Turn > last[0].Turn:
				last = []workspace.FileChange{f}
			case len(last) == 0 || f.Turn == last[0].Turn:
				last = append(last, f)
			}
		}
		var could []workspace.PutBack
		if undo {
			could = conn.PutBack(ctx, c.session, last, true)
		}
		return func() {
			switch {
			case len(turns) == 0:
				ds.out.say("No changes recorded in this session.")
			case undo && len(last) == 0:
				c.offerAgain(undone)
			case undo:
				c.offerUndo(could)
			default:
				for _, f := range turns {
					ds.out.say("Turn %d: %s.", f.Turn, changeLine(f, c.cwd))
				}
			}
		}
	})
}

// changeLine describes a change in words.
func changeLine(f workspace.FileChange, cwd string) string {
	line := fmt.Sprintf("%s %s, %s", f.Kind, safetext.Line(transcript.Short(f.Path, cwd), 300), f.By)
	if f.Undone {
		line += ", restored"
	}
	return line
}

// offerUndo asks before it restores the files of the last turn.
func (c changes) offerUndo(could []workspace.PutBack) {
	out := c.dialogs.out
	var can []workspace.FileChange
	for _, p := range could {
		why := p.Change.Why
		if why == "" && p.Err != nil {
			why = p.Err.Error()
		}
		if why != "" {
			out.say("Cannot be restored: %s: %s.", changeLine(p.Change, c.cwd), safetext.Line(why, 200))
			continue
		}
		can = append(can, p.Change)
		out.say("Can be restored: %s.", changeLine(p.Change, c.cwd))
	}
	if len(can) == 0 {
		out.say("Nothing to restore.")
		return
	}
	c.dialogs.confirm(fmt.Sprintf("Restore what the last turn changed, %s?", plain.Count(len(can), "file")), "Yes", "No", func() {
		c.apply("Restored", func(ctx context.Context) []workspace.PutBack { return c.conn.PutBack(ctx, c.session, can, false) })
	})
}

// offerAgain asks before it redoes changes that were undone.
func (c changes) offerAgain(undone []workspace.FileChange) {
	for _, f := range undone {
		c.dialogs.out.say("Restored before: %s.", changeLine(f, c.cwd))
	}
	c.dialogs.confirm(fmt.Sprintf("All changes were restored. Apply them again, %s?", plain.Count(len(undone), "file")), "Yes", "No", func() {
		c.apply("Changed again", func(ctx context.Context) []workspace.PutBack { return c.conn.DoAgain(ctx, c.session, undone) })
	})
}

// apply runs change in a task and reports the outcome.
func (c changes) apply(what string, change func(context.Context) []workspace.PutBack) {
	c.tasks.run(func(ctx context.Context) func() {
		done := change(ctx)
		return func() {
			n := len(done)
			for _, p := range slices.DeleteFunc(done, func(p workspace.PutBack) bool { return p.Err == nil }) {
				n--
				c.dialogs.out.say("Not changed: %s: %s.", changeLine(p.Change, c.cwd), safetext.Line(p.Err.Error(), 200))
			}
			c.dialogs.out.say("%s %s. The agent was not told.", what, plain.Count(n, "file"))
		}
	})
}
