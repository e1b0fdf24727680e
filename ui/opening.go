package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/keeper"
	"parley/internal/workspace"
	"parley/ui/page"
	"parley/ui/start"
)

// leaveStart returns from the first page to the previous one, or quits.
func (m *Model) leaveStart(quit bool) tea.Cmd {
	if quit {
		return departure{m}.leave()
	}
	if m.Front.Blank() {
		m.Workspace.Remove(m.Front.Session)
	}
	m.Choosing = false
	return nil
}

// chooseFrom returns what the first page offers, and starts what is chosen there: along, the user is shown first what
// the agent is told of the conversation in front.
func chooseFrom(m *Model) (start.Choices, func(spec workspace.Spec, along bool) tea.Cmd) {
	opts := &m.Options
	return start.Choices{Agents: opts.Agents, Choice: opts.Choice, TypedAgent: opts.TypedAgent, Dir: opts.Place(opts.Cwd), Along: func() bool { return len(m.Front.Thread.Prompts()) > 0 },
			Attach: func(k keeper.Session) tea.Cmd { return openKept(m, k) }, Registry: opts.Registry},
		func(spec workspace.Spec, along bool) tea.Cmd {
			if !along {
				m.Workspace.Start(spec)
				return nil
			}
			m.Choosing = false
			return page.HandOver(m.Front, -1, spec)
		}
}
