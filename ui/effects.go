package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/page"
)

// carryOut does what the pages and their components want.
func (m *Model) carryOut() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range m.chats() {
		cmd, asked := c.CarryOut()
		cmds = append(cmds, cmd)
		for _, a := range asked {
			cmd, _ := m.do(c, a)
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

// do does an action that a page leaves to the screen; false if it is none of those.
func (m *Model) do(c *page.Page, what page.ForScreen) (cmd tea.Cmd, known bool) {
	switch what.Intent {
	case intent.Quit:
		cmd = m.quit()
	case intent.Sessions:
		sessions{m}.show()
	case intent.NextWaiting:
		m.nextWaiting()
	case intent.NewSession:
		m.newSession()
	case intent.AnotherAgent:
		m.anotherAgent()
	case intent.Rename:
		cmd = sessions{m}.renamePage(c, what.Args)
	case intent.Compare:
		cmd = contest{m, c}.compare(what.Args)
	case intent.ShowReview:
		cmd = m.showReview(c)
	case intent.Theme:
		cmd = m.showThemes()
	case intent.SidePanel:
		m.toggleSide()
	case intent.Inline:
		cmd = m.toggleInline(c)
	default:
		return nil, false
	}
	return cmd, true
}
