package ui

import (
	"slices"

	"parley/ui/page"
)

// waiting returns the pages that wait and are not on the screen, in order, starting after the
// one that is.
func (m *Model) waiting() []*page.Page {
	return slices.DeleteFunc(m.after(m.Front), func(c *page.Page) bool { return !c.Waits() })
}

// nextWaiting shows the next session that waits.
func (m *Model) nextWaiting() {
	if next := m.waiting(); len(next) > 0 {
		m.Workspace.Show(next[0].Session)
		return
	}
	m.Front.Say("No other session is waiting for you")
}
