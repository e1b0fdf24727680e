package ui

import tea "charm.land/bubbletea/v2"

// leaveStart returns from the first page to the previous one, or quits.
func (m *Model) leaveStart(quit bool) tea.Cmd {
	if quit {
		return m.quit()
	}
	if m.Front.Blank() {
		m.Workspace.Remove(m.Front.Session)
	}
	m.Choosing = false
	return nil
}
