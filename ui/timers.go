package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
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
func (d division) moves(now time.Time) (next time.Time) {
	if d.covered {
		return next
	}
	for _, c := range append(d.columns, d.tabs...) {
		if at := c.Moves(now); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// ticked moves the clocks and spinners.
func (m *Model) ticked(at time.Time) {
	m.timers.due = time.Time{}
	if m.divided().moves(at).IsZero() {
		return
	}
	m.dirty = true
	for _, col := range m.divided().columns {
		col.Tick(at)
	}
}
