package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/page"
)

// resultMsg is the result of a task of the workspace.
type resultMsg struct{ workspace.Result }

// carryOut does what the components of the pages want.
func (m *Model) carryOut() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range m.chats() {
		cmds = append(cmds, c.CarryOut())
	}
	return tea.Batch(cmds...)
}

// sync runs the tasks of the workspace and shows its news. It is called after anything that
// may have changed the workspace.
func (m *Model) sync() tea.Cmd {
	var cmds []tea.Cmd
	for {
		for _, task := range m.Workspace.Tasks() {
			cmds = append(cmds, func() tea.Msg {
				if r := task(); r != nil {
					return resultMsg{r}
				}
				return nil
			})
		}
		n, ok := m.Workspace.TakeNews()
		if !ok {
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.onNews(n), m.carryOut())
	}
}

// onNews handles one piece of news from the workspace.
func (m *Model) onNews(n workspace.News) tea.Cmd {
	m.dirty = m.dirty || !isApplied(n)
	if m.terminals.away || m.notifier.Elsewhere() {
		m.Options.TellElsewhere(n)
	}
	switch n := n.(type) {
	case workspace.EventApplied:
		return m.deliver(m.pageOf(n.Session), n)
	case workspace.AgentStarting:
		m.Choosing = false
		m.front(n.Agent).DropQuestions()
	case workspace.AgentNotStarted:
		if all := n.Agent.Front().Compared(); all != nil {
			m.compareDone(all)
		}
	case workspace.AgentStarted:
		c := m.pageOf(n.Session)
		cmd := c.OnNews(n)
		if c == m.Front {
			m.show(c)
		}
		return cmd
	case workspace.AgentGone:
		if m.Front.Agent != n.Agent && !m.Quitting {
			m.Front.Say(n.Agent.Name() + " has ended: " + m.Keys.ChatKey(intent.Sessions))
		}
	case workspace.SessionShown:
		m.show(m.pageOf(n.Session))
	case workspace.SessionNotOpened:
		if n.Logged != nil {
			m.Front.Say(m.Front.WhyReadOnly())
		} else {
			m.Front.Say(words.Sentence(n.Err.Error()))
		}
	case workspace.SessionRemoved:
		return m.removed(n.Session)
	case workspace.Reconnected:
		if n.Replaced {
			m.inline.Hold()
		}
		return m.pageOf(n.Session).OnNews(n)
	case workspace.AccountChanged:
		m.start.Refresh()
	case workspace.ClientsChanged:
		pace(m)
		m.Front.Say(n.Line)
	case workspace.SessionsListed:
		m.start.Refresh()
		if l := m.Front.Panels.ListOf(intent.Sessions); l != nil && n.Err != nil {
			l.Note, l.Lasting = "", words.Sentence(n.Err.Error())
		}
	case workspace.LoggingIn, workspace.ConnectionLost, workspace.Redialing, workspace.Redialed, workspace.FoundLog,
		workspace.Reconnecting, workspace.SessionGone, workspace.NotReopened, workspace.QueuePaused: // drawn from the state of the agent or session
	default:
		return m.pageOf(n.About()).OnNews(n)
	}
	return nil
}

func isApplied(n workspace.News) bool {
	_, ok := n.(workspace.EventApplied)
	return ok
}

// deliver shows the effects of an event. A turn that ends on a page that is not on the screen
// marks that page as unread.
func (m *Model) deliver(c *page.Page, n workspace.EventApplied) tea.Cmd {
	m.resting.saw(n.Event)
	cmd := tea.Batch(c.OnNews(n), m.notifier.Tell(n.Event, c.Agent.Name(), c.Title(), c.Running()))
	_, ended := n.Event.(event.TurnEnded)
	_, lost := n.Event.(event.Disconnected)
	switch compared := c.Compared(); {
	case !ended && !lost || c.Running(): // it continues with what was queued
	case compared != nil:
		m.compareDone(compared)
	case !lost && c != m.Front:
		c.Unread = true
		m.Front.Say("Another session is done: " + m.Keys.ChatKey(intent.Sessions))
	}
	return cmd
}

// removed drops the page of a session, and moves what was being typed there to the page on the screen.
func (m *Model) removed(s *workspace.Session) tea.Cmd {
	from := m.pageOf(s)
	m.Store.Leave(from.Composer)
	m.pages.forget(s)
	return m.Front.Inherit(from)
}

// show puts a page on the screen.
func (m *Model) show(c *page.Page) {
	if m.Front != c {
		m.Front.Leave()
	}
	m.Front = c
	c.Enter()
}
