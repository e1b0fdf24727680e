package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// timers are what is under way of the two reasons to draw again without a message: a
// clock or spinner moves, or what waits for quiet takes the keys.
type timers struct{ ticking, looking bool }

// Messages of the timers.
type (
	tickMsg  time.Time
	quietMsg struct{} // nothing may have been typed for a while
)

// start starts those that are wanted. It is called after everything that may have changed
// that. rest is how long it has to stay quiet; 0 where
// nothing waits for that.
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

// moving tells whether something on the screen has a clock.
func (m *Model) moving() bool {
	return m.page == connectingPage && m.starting.Err() == nil || m.page == chatPage && (m.chat.Busy() || m.chat.Agent.LoggingIn() != "" || m.chat.retrying() || m.chat.shells.Running())
}

// refreshMsg says that something is over that was shown for a while.
type refreshMsg struct{}

func (refreshMsg) handle(*Model) tea.Cmd { return nil }

// later makes the screen look again, when something shown for a while is over.
func later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return refreshMsg{} })
}
