package ui

// nextWaiting shows the next session that waits.
func (m *Model) nextWaiting() {
	if next := m.waiting(m.Front); len(next) > 0 {
		m.Workspace.Show(next[0].Session)
		return
	}
	m.Front.Say("No other session is waiting for you")
}
