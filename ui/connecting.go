package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/layer"
	"parley/ui/start"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// opener starts agents for the first page.
type opener struct{ m *Model }

func (o opener) Start(a workspace.Spec) { o.m.w.Start(a) }

func (o opener) CanGoBack() bool { return len(o.m.w.Sessions()) > 1 || !o.m.chat.Blank() }

func (o opener) Back() tea.Cmd {
	m := o.m
	if !o.CanGoBack() {
		return m.quit()
	}
	if m.chat.Blank() {
		m.w.Remove(m.chat.Session)
	}
	m.choosing = false
	return nil
}

// leaving handles the keys that always work while an agent starts: cancel, and the log.
type leaving struct{ connecting }

func (l leaving) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch {
	case p.Want == intent.Interrupt && c.composer.Empty():
		return l.giveUp(), true
	case p.Want == intent.Interrupt && c.m.pageHeight() >= leastAhead:
		c.composer.AddToHistory(c.composer.Value())
		c.composer.Reset()
	case p.Want == intent.Interrupt:
	case p.Want == intent.ToggleLog:
		c.panels.toggleLog()
	default:
		return nil, false
	}
	return nil, true
}

func (l ahead) Paste(text string) (tea.Cmd, bool) {
	if l.c.m.pageHeight() >= leastAhead {
		return l.c.composer.Paste(text), true
	}
	return nil, true
}

// connecting is the page of a session whose agent is starting or failed to start.
type connecting struct{ c *chat }

func (l connecting) layers() []layer.Layer {
	c := l.c
	return []layer.Layer{
		always{c.m},
		anywhere{c},
		when(c.panels.open != nil, c.panels.open),
		leaving{l},
		when(logins{c}.shown(), c.login),
		when(c.elicits.Current() != nil, c.elicits.Current()),
		when(c.panels.reading != nil, c.panels.reading),
		when(logins{c}.addressShown(), logins{c}.address()),
		when(c.question.Open(), c.question),
		asked{c},
		l,
		ahead{c},
	}
}

func (l connecting) Key(p layer.Press) (tea.Cmd, bool) {
	c, m, a := l.c, l.c.m, l.c.Agent
	gives := p.Want == intent.FocusQuestion
	switch {
	case p.Want == intent.Stop && a.LoggingIn() != "":
		a.CancelLogin()
	case p.Want == intent.Stop:
		l.leave()
	case gives && c.login.Open():
		c.login.Grab()
	case (gives || c.composer.Empty() && m.Keys.Of(intent.Empty, p.Name) == intent.FocusTranscript) && c.giveKeys():
	case p.Name == "ctrl+r" && a.FallbackLog() != nil:
		c.login.Close()
		a.ReadLog()
	case p.Want == intent.Send && a.NoSession():
		a.StartNew()
	case p.Want == intent.Send && a.Err() != nil && !c.login.Open():
		a.Restart()
	case p.Want == intent.QuitIfEmpty && c.composer.Empty():
		return l.giveUp(), true
	default:
		return nil, false
	}
	return nil, true
}

// ahead is the composer before there is a session. A prompt is sent when the agent is ready, and
// commands of parley's that need it wait, too.
type ahead struct{ c *chat }

func (l ahead) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.m.pageHeight() < leastAhead { // the composer is not visible
		return nil, true
	}
	text := c.composer.Value()
	send, empty := p.Want == intent.Send, c.m.Keys.Of(intent.Empty, p.Name)
	edit := empty == intent.EditQueued
	switch {
	case send && (c.shelling() || strings.TrimSpace(text) == ""): // a shell command is not a prompt
	case send:
		c.composer.Clear()
		cmd, _ := c.submitLine(text, false)
		return cmd, true
	case (edit || empty == intent.DropQueued) && c.composer.Empty() && len(c.Queued()) > 0:
		c.unqueue(edit)
	default:
		c.composer.Key(p.KeyPressMsg, c.m.Keys.Of(intent.Draft, p.Keystroke()))
	}
	return nil, true
}

// leave cancels the start of the agent. The page of one that is compared is removed, else another agent
// can be chosen.
func (l connecting) leave() {
	m := l.c.m
	l.c.login.Close()
	l.c.Agent.CancelStart()
	if l.c.Compared() != nil {
		m.nextColumn()
		m.w.Remove(l.c.Session)
		return
	}
	m.start.Reset()
	m.choosing = true
}

// giveUp cancels the start of the agent, and quits if nothing else is open.
func (l connecting) giveUp() tea.Cmd {
	if l.alone() {
		return l.c.m.quit()
	}
	l.leave()
	return nil
}

// alone reports whether nothing else is open.
func (l connecting) alone() bool { return len(l.c.m.w.Sessions()) == 1 }

// rows draws the wait for an agent, why it did not start, or its login methods, and the
// composer below.
func (l connecting) rows(width, height int) ([]string, *tea.Cursor, onScreen) {
	c, m, a := l.c, l.c.m, l.c.Agent
	on := onScreen{page: c}
	below, cursor := ahead{c}.rows(width, height)
	leave := "another agent"
	if c.Compared() != nil {
		leave = "close"
	}
	wait := start.Wait{Env: &m.Env, Agent: a, Alone: l.alone(), Leave: leave, Login: c.login.Open(), Toast: c.toast.At(m.Now()), Failure: transcript.Failure}
	rows := wait.Rows(width, height-len(below))
	if len(rows)+len(below) > height && c.composer.Empty() { // what to do next comes first
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
	case c.panels.open != nil:
		box, at := c.panels.open.Rows(width, max(4, top))
		lay(box, at)
		on.saw(c.panels.open, width, max(4, top))
	case c.panels.reading != nil:
		rows = nil
		lay(c.panels.reading.Rows(width, max(4, top)))
		on.saw(c.panels.reading, width, max(4, top))
	case c.login.Open():
		room := max(5, top-len(rows))
		if c.login.Asks() { // more important than the reason above it
			room = max(room, min(top, leastLogin))
		}
		lay(c.login.Rows(width, room))
		on.saw(c.login, width, room)
	case c.question.Open(): // of a session that is being loaded
		room := max(leastBox, top-min(len(rows), 4))
		if c.question.Full() {
			room = top
		}
		var box []string
		box, on.question = c.question.Rows(width, room, false)
		lay(box, nil)
	case c.elicits.OnScreen() != nil:
		var box []string
		var at *tea.Cursor
		box, at, on.form = c.elicits.Current().Rows(width, max(leastBox, top-min(len(rows), 4)), false)
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
	below := queueRows(c.Session, c.composer.DisplayText, width, 3, &c.m.Env)
	above := len(below)
	below = append(below, box.Box{Body: c.composer.Draw()}.Rows(width, c.m.Theme)...)
	x, y := c.composer.Cursor()
	return below, c.cursor(x+2, above+1+y-len(below))
}
