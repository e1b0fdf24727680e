package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// waits tells whether the page wants something of the user: an answer, a form
// filled in, a login.
func (c *chat) waits() bool {
	return c.question.Open() || c.elicits.Wait() || c.login.Unasked()
}

// waiting are the pages that wait and are not on the screen, in the order of the
// pages from that one on.
func (m *Model) waiting() []*chat {
	return slices.DeleteFunc(m.after(m.chat), func(c *chat) bool { return !c.waits() })
}

// nextWaiting shows the next session that waits. What the user was choosing from is
// given up; what came up by itself stays for later.
func (m *Model) nextWaiting() tea.Cmd {
	next := m.waiting()
	if len(next) == 0 {
		return m.chat.say("No other session is waiting for you")
	}
	m.chat.panels.open = nil
	m.chat.login.Dismiss()
	m.show(next[0])
	return nil
}
