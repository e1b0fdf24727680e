package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
)

// timers are the pending timers for the two reasons to draw without a message: a clock or
// spinner moves, or a question that waits for quiet takes the keys.
type timers struct{ ticking, looking bool }

// Messages of the timers.
type (
	tickMsg  time.Time
	quietMsg struct{} // perhaps nothing was typed for a while
)

// start starts the timers that are needed. It is called after each message. rest is how long
// it must stay quiet, or 0 if nothing waits for that.
func (t *timers) start(moving bool, rest time.Duration) tea.Cmd {
	var cmds []tea.Cmd
	if moving && !t.ticking {
		t.ticking = true
		cmds = append(cmds, tea.Tick(200*time.Millisecond, func(at time.Time) tea.Msg { return tickMsg(at) }))
	}
	if rest > 0 && !t.looking {
		t.looking = true
		cmds = append(cmds, tea.Tick(rest+20*time.Millisecond, func(time.Time) tea.Msg { return quietMsg{} }))
	}
	return tea.Batch(cmds...)
}

// moving reports whether something on the screen has a clock: a page, or its head.
func (m *Model) moving() bool {
	return !m.choosing && slices.ContainsFunc(append(m.columns(), m.tabs()...), func(c column) bool { return c.moving() })
}

// moving reports whether something on the page has a clock.
func (c *chat) moving() bool {
	if c.Agent.Opening() {
		return c.Agent.Err() == nil
	}
	return c.Busy() || c.Agent.LoggingIn() != "" || c.retrying() || c.shells.Running()
}

// refreshMsg says that something shown for a while is to disappear.
type refreshMsg struct{}

func (refreshMsg) handle(*Model) tea.Cmd { return nil }

// later redraws the screen after d, when something shown for a while is to disappear.
func later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return refreshMsg{} })
}
