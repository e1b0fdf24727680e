package linear

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/transcript"
)

// approval asks what is to become of questions that no rule answers.
func (c *chat) approval() {
	if c.Agent.Conn() == nil || c.ACP == nil {
		c.say("The session is not open yet.")
		return
	}
	set := func(m permissions.Mode) {
		c.SetApproval(m)
		c.say("From now on: %s, %s.", m, m.Says())
	}
	var choices []choice
	for _, m := range permissions.Modes {
		label := fmt.Sprintf("%s: %s", m, m.Says())
		if m == c.Approval() {
			label += ", as it is now"
		}
		choices = append(choices, choice{label: label, do: func() {
			if m != permissions.AllMode {
				set(m)
				return
			}
			c.menuOr("Allow everything in this session, commands and files, without a question?", []choice{{label: "Yes, everything", do: func() { set(m) }}}, false, "No, leave it as it is")
		}})
	}
	c.menu("What is to become of questions:", choices, false)
}

// trust says what the agent has changed and run, by the word that it had for it, and
// what changed that it did not tell of.
func (c *chat) trust() { c.Changes(c.trusted) }

func (c *chat) trusted(changes []workspace.FileChange) {
	unnamed := workspace.Unnamed(c.Thread, changes)
	n := len(unnamed)
	for _, trust := range thread.Trusts {
		if trust == thread.Unasked { // only what was rejected is worse than what was hidden
			for _, f := range unnamed {
				c.say("Changed on the disk, and no tool call named it: turn %d, %s.", f.Turn, c.changeLine(f))
			}
		}
		for _, it := range c.Thread.Items {
			if it.Tool == nil || it.Tool.Trust != trust {
				continue
			}
			number := 0
			if s := c.told[it.Index]; s != nil {
				number = s.number
			}
			n++
			title := trust.Title()
			c.say("%s: %s, %s.", strings.ToUpper(title[:1])+title[1:], toolName(it.Tool, number), subject(it.Tool, c.cwd()))
		}
	}
	if n == 0 {
		c.say("The agent has changed and run nothing that it told of.")
	}
}

// changes says which files have changed; with undo it offers to put them back.
func (c *chat) changes(undo bool) {
	if c.Agent.Conn() == nil || c.ACP == nil || c.Agent.Conn().Changes == nil {
		c.say("Changes are not watched here.")
		return
	}
	conn, session := c.Agent.Conn(), c.ACP.ID()
	c.async(func(ctx context.Context) func() {
		turns, _ := conn.Changes(session)
		left := slices.DeleteFunc(slices.Clone(turns), func(f workspace.FileChange) bool { return f.Undone })
		last := 0
		for _, f := range left {
			last = max(last, f.Turn)
		}
		left = slices.DeleteFunc(left, func(f workspace.FileChange) bool { return f.Turn != last })
		undone := slices.DeleteFunc(slices.Clone(turns), func(f workspace.FileChange) bool { return !f.Undone })
		var could []workspace.PutBack
		if undo {
			could = conn.PutBack(ctx, session, left, true)
		}
		return func() {
			switch {
			case len(turns) == 0:
				c.say("Nothing was changed that parley knows of.")
			case undo && len(left) == 0:
				c.offerAgain(conn, session, undone)
			case undo:
				c.offerUndo(conn, session, could)
			default:
				for _, f := range turns {
					c.say("Turn %d: %s.", f.Turn, c.changeLine(f))
				}
			}
		}
	})
}

// changeLine is a change in words.
func (c *chat) changeLine(f workspace.FileChange) string {
	line := fmt.Sprintf("%s %s, %s", f.Kind, safetext.Line(transcript.Short(f.Path, c.cwd()), 300), f.By)
	if f.Undone {
		line += ", put back"
	}
	return line
}

// offerUndo asks before the changes of the last turn are put back.
func (c *chat) offerUndo(conn *workspace.Connection, session string, could []workspace.PutBack) {
	var can []workspace.FileChange
	for _, p := range could {
		switch {
		case p.Change.Why != "":
			c.say("Stays as it is: %s: %s.", c.changeLine(p.Change), safetext.Line(p.Change.Why, 200))
		case p.Err != nil:
			c.say("Stays as it is: %s: %s.", c.changeLine(p.Change), safetext.Line(p.Err.Error(), 200))
		default:
			can = append(can, p.Change)
			c.say("Can be put back: %s.", c.changeLine(p.Change))
		}
	}
	if len(can) == 0 {
		c.say("There is nothing to put back.")
		return
	}
	c.menuOr(fmt.Sprintf("Put back what the last turn changed, files: %d?", len(can)), []choice{{label: "Yes", do: func() {
		c.async(func(ctx context.Context) func() {
			done := conn.PutBack(ctx, session, can, false)
			return func() { c.came("put back", done) }
		})
	}}}, false, "No")
}

// offerAgain asks before what was put back is done again.
func (c *chat) offerAgain(conn *workspace.Connection, session string, undone []workspace.FileChange) {
	for _, f := range undone {
		c.say("Was put back: %s.", c.changeLine(f))
	}
	c.menuOr(fmt.Sprintf("Everything was put back. Do it again, files: %d?", len(undone)), []choice{{label: "Yes", do: func() {
		c.async(func(ctx context.Context) func() {
			done := conn.DoAgain(ctx, session, undone)
			return func() { c.came("changed again", done) }
		})
	}}}, false, "No")
}

// came says what has come of putting changes back.
func (c *chat) came(what string, done []workspace.PutBack) {
	n := 0
	for _, p := range done {
		if p.Err != nil {
			c.say("Left alone: %s: %s.", c.changeLine(p.Change), safetext.Line(p.Err.Error(), 200))
			continue
		}
		n++
	}
	c.say("Files %s: %d. The agent does not know of it.", what, n)
}
