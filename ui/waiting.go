package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// waits reports whether the page waits for the user: a question, a form, a login.
func (c *chat) waits() bool {
	return c.question.Open() || c.elicits.Wait() || c.login.Unasked()
}

// waiting returns the pages that wait and are not on the screen, in order, starting after the
// one that is.
func (m *Model) waiting() []*chat {
	return slices.DeleteFunc(m.after(m.chat), func(c *chat) bool { return !c.waits() })
}

// nextWaiting shows the next session that waits. A list that the user opened is closed; the
// login methods that an agent asked for are shown again later.
func (m *Model) nextWaiting() tea.Cmd {
	next := m.waiting()
	if len(next) == 0 {
		return m.chat.say("No other session is waiting for you")
	}
	m.chat.panels.open = nil
	m.chat.login.Dismiss()
	m.w.Show(next[0].Session)
	return nil
}
