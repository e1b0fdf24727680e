package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/start"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// startRows draws the wait for an agent, why it did not start, or its login methods, and the
// composer below.
func (c *frame) startRows(height int) ([]string, *tea.Cursor) {
	width, a := c.width, c.Agent
	below, cursor := c.aheadRows(height)
	leave := "another agent"
	if c.Compared() != nil {
		leave = "close"
	}
	wait := start.Wait{Env: &c.screen.Env, Agent: a, Alone: c.alone(), Leave: leave, Login: c.login.Open(), Toast: c.toast.At(c.screen.Now()), Failure: transcript.Failure}
	rows := wait.Rows(width, height-len(below))
	if len(rows)+len(below) > height && c.Composer.Empty() { // what to do next comes first
		below, cursor = nil, nil
	}
	if c.login.Asks() && height-len(below) < leastLogin+4 {
		below, cursor = nil, nil
	}
	top := height - len(below)
	rows = rows[:min(len(rows), top)]
	lay := func(box []string, at *tea.Cursor) {
		rows = append(rows[:min(len(rows), max(0, top-len(box)))], box...)
		if at != nil {
			at.Y += len(rows) - len(box)
			cursor = at
		}
	}
	switch {
	case c.Panels.open != nil:
		box, at := c.Panels.open.Rows(width, max(4, top))
		lay(box, at)
		c.on.Saw(c.Panels.open, width, max(4, top))
	case c.Panels.reading != nil:
		rows = nil
		lay(c.Panels.reading.Rows(width, max(4, top)))
		c.on.Saw(c.Panels.reading, width, max(4, top))
	case c.login.Open():
		room := max(5, top-len(rows))
		if c.login.Asks() { // more important than the reason above it
			room = max(room, min(top, leastLogin))
		}
		lay(c.login.Rows(width, room))
		c.on.Saw(c.login, width, room)
	case c.Question.Open(): // of a session that is being loaded
		room := max(leastBox, top-min(len(rows), 4))
		if c.Question.Full() {
			room = top
		}
		var box []string
		box, c.on.question = c.Question.Rows(width, room, false)
		lay(box, nil)
	case c.Elicits.OnScreen() != nil:
		var box []string
		var at *tea.Cursor
		box, at, c.on.form = c.Elicits.Current().Rows(width, max(leastBox, top-min(len(rows), 4)), false)
		lay(box, at)
	}
	for len(rows) < top {
		rows = append(rows, "")
	}
	if cursor != nil && len(below) > 0 && cursor.Y < 0 { // the composer's
		cursor.Y += height
	}
	return fit(append(rows, below...), height), cursor
}

// leastAhead is the lowest screen that shows the composer while the agent starts.
const leastAhead = 12

// aheadRows returns the composer with the prompts to be sent; nil if there is no room. The row
// of the cursor counts from the bottom of the screen.
func (c *frame) aheadRows(height int) ([]string, *tea.Cursor) {
	width := c.width
	if height < leastAhead {
		return nil, nil
	}
	below := queueRows(c.Session, c.Composer.DisplayText, width, 3, &c.screen.Env)
	above := len(below)
	below = append(below, box.Box{Body: c.Composer.Draw()}.Rows(width, c.screen.Theme)...)
	x, y := c.Composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}
