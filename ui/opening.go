package ui

// openEntry shows a session that is open, or has the agent open one it keeps.
func (m *Model) openEntry(e entry) {
	switch {
	case e.chat != nil:
		m.w.Show(e.chat.Session)
	case e.logged != nil && e.agent == nil:
		m.w.OpenLogged(*e.logged, m.w.WhyReadOnly(*e.logged))
	default:
		e.agent.OpenListed(*e.listed, e.logged)
	}
}
