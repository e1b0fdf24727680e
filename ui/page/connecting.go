package page

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/start"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// leaving handles the keys that always work while an agent starts: cancel, and the log.
type leaving struct{ connecting }

func (l leaving) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch {
	case p.Want == intent.Interrupt && c.Composer.Empty():
		return l.giveUp(), true
	case p.Want == intent.Interrupt && c.height >= leastAhead:
		c.Composer.AddToHistory(c.Composer.Value())
		c.Composer.Reset()
	case p.Want == intent.Interrupt:
	case p.Want == intent.ToggleLog:
		toggleLog(c)
	default:
		return nil, false
	}
	return nil, true
}

func (l ahead) Paste(text string) (tea.Cmd, bool) {
	if l.c.height >= leastAhead {
		return l.c.Composer.Paste(text), true
	}
	return nil, true
}

// connecting is the page of a session whose agent is starting or failed to start.
type connecting struct{ c *Page }

func (l connecting) layers() []layer.Layer {
	c := l.c
	return []layer.Layer{
		anywhere{c},
		when(c.Panels.open != nil, c.Panels.open),
		leaving{l},
		when(logins{c}.shown(), c.login),
		when(c.Elicits.Current() != nil, c.Elicits.Current()),
		when(c.Panels.reading != nil, c.Panels.reading),
		when(logins{c}.addressShown(), logins{c}.address()),
		when(c.Question.Open(), c.Question),
		asked{c},
		l,
		ahead{c},
	}
}

func (l connecting) Key(p layer.Press) (tea.Cmd, bool) {
	c, a := l.c, l.c.Agent
	gives := p.Want == intent.FocusQuestion
	switch {
	case p.Want == intent.Stop && a.Login.Running() != "":
		a.Login.Cancel()
	case p.Want == intent.Stop:
		l.leave()
	case gives && c.login.Open():
		c.login.Grab()
	case (gives || c.Composer.Empty() && c.screen.Keys.Of(intent.Empty, p.Name) == intent.FocusTranscript) && c.giveKeys():
	case p.Name == "ctrl+r" && a.FallbackLog() != nil:
		c.login.Close()
		a.ReadLog()
	case p.Want == intent.Send && a.NoSession():
		a.StartNew()
	case p.Want == intent.Send && a.Err() != nil && !c.login.Open():
		a.Restart()
	case p.Want == intent.QuitIfEmpty && c.Composer.Empty():
		return l.giveUp(), true
	default:
		return nil, false
	}
	return nil, true
}

// ahead is the composer before there is a session. A prompt is sent when the agent is ready, and
// commands of parley's that need it wait, too.
type ahead struct{ c *Page }

func (l ahead) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.height < leastAhead { // the composer is not visible
		return nil, true
	}
	text := c.Composer.Value()
	send, empty := p.Want == intent.Send, c.screen.Keys.Of(intent.Empty, p.Name)
	edit := empty == intent.EditQueued
	switch {
	case send && (c.shelling() || strings.TrimSpace(text) == ""): // a shell command is not a prompt
	case send:
		c.Composer.Clear()
		cmd, _ := c.submitLine(text, false)
		return cmd, true
	case (edit || empty == intent.DropQueued) && c.Composer.Empty() && len(c.Prompts.Queue.Texts()) > 0:
		c.unqueue(edit)
	default:
		c.Composer.Key(p.KeyPressMsg, c.screen.Keys.Of(intent.Draft, p.Keystroke()))
	}
	return nil, true
}

// leave cancels the start of the agent. The page of one that is compared is removed, else another agent
// can be chosen.
func (l connecting) leave() tea.Cmd {
	c := l.c
	c.login.Close()
	c.Agent.CancelStart()
	if c.Compared() != nil {
		c.nextColumn()
		c.screen.Workspace.Remove(c.Session)
		return nil
	}
	return c.out.Add(ForScreen{Intent: intent.AnotherAgent})
}

// giveUp cancels the start of the agent, and quits if nothing else is open.
func (l connecting) giveUp() tea.Cmd {
	if l.alone() {
		return l.c.out.Add(ForScreen{Intent: intent.Quit})
	}
	return l.leave()
}

// alone reports whether nothing else is open.
func (l connecting) alone() bool { return len(l.c.screen.Workspace.Sessions()) == 1 }

// rows draws the wait for an agent, why it did not start, or its login methods, and the
// composer below.
func (l connecting) rows(width, height int) ([]string, *tea.Cursor, Shown) {
	c, a := l.c, l.c.Agent
	on := Shown{page: c}
	below, cursor := ahead{c}.rows(width, height)
	leave := "another agent"
	if c.Compared() != nil {
		leave = "close"
	}
	wait := start.Wait{Env: &c.screen.Env, Agent: a, Alone: l.alone(), Leave: leave, Login: c.login.Open(), Toast: c.toast.At(c.screen.Now()), Failure: transcript.Failure}
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
		on.Saw(c.Panels.open, width, max(4, top))
	case c.Panels.reading != nil:
		rows = nil
		lay(c.Panels.reading.Rows(width, max(4, top)))
		on.Saw(c.Panels.reading, width, max(4, top))
	case c.login.Open():
		room := max(5, top-len(rows))
		if c.login.Asks() { // more important than the reason above it
			room = max(room, min(top, leastLogin))
		}
		lay(c.login.Rows(width, room))
		on.Saw(c.login, width, room)
	case c.Question.Open(): // of a session that is being loaded
		room := max(leastBox, top-min(len(rows), 4))
		if c.Question.Full() {
			room = top
		}
		var box []string
		box, on.question = c.Question.Rows(width, room, false)
		lay(box, nil)
	case c.Elicits.OnScreen() != nil:
		var box []string
		var at *tea.Cursor
		box, at, on.form = c.Elicits.Current().Rows(width, max(leastBox, top-min(len(rows), 4)), false)
		lay(box, at)
	}
	for len(rows) < top {
		rows = append(rows, "")
	}
	if cursor != nil && len(below) > 0 && cursor.Y < 0 { // the composer's
		cursor.Y += height
	}
	return fit(append(rows, below...), height), cursor, on
}

// leastAhead is the lowest screen that shows the composer while the agent starts.
const leastAhead = 12

// rows returns the composer with the prompts to be sent; nil if there is no room. The row
// of the cursor counts from the bottom of the screen.
func (l ahead) rows(width, height int) ([]string, *tea.Cursor) {
	c := l.c
	if height < leastAhead {
		return nil, nil
	}
	below := queueRows(c.Session, c.Composer.DisplayText, width, 3, &c.screen.Env)
	above := len(below)
	below = append(below, box.Box{Body: c.Composer.Draw()}.Rows(width, c.screen.Theme)...)
	x, y := c.Composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}
