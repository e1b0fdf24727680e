package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/status"
)

// timers are the pending timers for the two reasons to draw without a message: a clock or
// spinner moves, or a question that waits for quiet takes the keys.
type timers struct {
	due     time.Time // when a clock or spinner moves next; zero: none does
	looking bool
}

// Messages of the timers.
type (
	tickMsg  struct{ at, due time.Time }
	quietMsg struct{} // perhaps nothing was typed for a while
)

// start starts the timers that are needed. It is called after each message. next is when a
// clock or spinner moves, or zero if none does; rest is how long it must stay quiet, or 0 if
// nothing waits for that.
func (t *timers) start(now, next time.Time, rest time.Duration) tea.Cmd {
	var cmds []tea.Cmd
	if !next.IsZero() && (t.due.IsZero() || next.Before(t.due)) { // a tick that is due later is ignored
		t.due = next
		cmds = append(cmds, tea.Tick(next.Sub(now), func(at time.Time) tea.Msg { return tickMsg{at, next} }))
	}
	if rest > 0 && !t.looking {
		t.looking = true
		cmds = append(cmds, tea.Tick(rest+20*time.Millisecond, func(time.Time) tea.Msg { return quietMsg{} }))
	}
	return tea.Batch(cmds...)
}

// moves returns when a clock or spinner on the screen moves next, of a page or its head; zero
// if none does.
func (m *Model) moves(now time.Time) (next time.Time) {
	if m.choosing {
		return next
	}
	for _, c := range append(m.columns(), m.tabs()...) {
		if at := c.moves(now); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// ticked moves the clocks and spinners.
func (m *Model) ticked(at time.Time) {
	m.timers.due = time.Time{}
	if m.moves(at).IsZero() {
		return
	}
	m.dirty = true
	for _, col := range m.columns() {
		col.tick(at)
	}
}

// moves is Model.moves for one page.
func (c *chat) moves(now time.Time) time.Time {
	switch {
	case !c.moving():
		return time.Time{}
	case c.resting():
		return status.WaitingChanges(c.asked(), now)
	}
	return now.Add(200 * time.Millisecond)
}

// moving reports whether something on the page has a clock.
func (c *chat) moving() bool {
	if c.Agent.Opening() {
		return c.Agent.Err() == nil
	}
	return c.Busy() || c.Agent.Login.Running() != "" || c.retrying() || c.shells.Running()
}

// resting reports whether nothing on the page moves but the clock of a turn that waits for the
// user.
func (c *chat) resting() bool {
	if !c.Busy() || c.Thread.State != thread.Waiting && !c.asks() || c.panels.open != nil || c.panels.reading != nil ||
		c.Agent.Login.Running() != "" || c.retrying() || c.shells.Running() {
		return false
	}
	return !slices.ContainsFunc(c.recent(), func(it *thread.Item) bool { return it.Tool != nil && runs(it.Tool) && !it.Tool.Asked })
}

// refreshMsg says that something shown for a while is to disappear.
type refreshMsg struct{}

func (refreshMsg) handle(*Model) tea.Cmd { return nil }

// later redraws the screen after d, when something shown for a while is to disappear.
func later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return refreshMsg{} })
}
