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

// nextWaiting shows the next session that waits.
func (m *Model) nextWaiting() tea.Cmd {
	next := m.waiting()
	if len(next) == 0 {
		return m.chat.say("No other session is waiting for you")
	}
	m.w.Show(next[0].Session)
	return nil
}
