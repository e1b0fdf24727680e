package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/describe"
	"parley/internal/safetext"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/paint"
	"parley/ui/status"
)

// The screens, in columns, that have room for the side panel: if the user asked for it, and
// otherwise.
const (
	leastSide = status.SideWidth + 60
	autoSide  = 160
)

// sideWidth returns the width of the side panel; 0 if it is not shown. What fills the screen,
// such as a diff, has all of it.
func (m *Model) sideWidth() int {
	least := autoSide
	switch m.Options.SidePanel {
	case "off":
		return 0
	case "on":
		least = leastSide
	}
	if !m.conversing() || m.compared(m.Front) != nil || m.width < least || m.inlined() || m.Front.Fills() {
		return 0
	}
	return status.SideWidth
}

// toggleSide shows or hides the side panel.
func (m *Model) toggleSide() tea.Cmd {
	if m.sideWidth() > 0 {
		m.Options.SidePanel = "off"
	} else if m.Options.SidePanel = "on"; m.sideWidth() == 0 {
		m.Front.Say(fmt.Sprintf("The side panel needs the full screen and %d columns", leastSide))
	}
	return nil
}

// beside puts the side panel beside the rows of the page.
func (m *Model) beside(rows []string, width int) []string {
	out := slices.Clone(rows)
	for i, row := range m.side().Rows(len(rows), m.Theme) {
		out[i] = text.Pad(out[i], width) + paint.Beside + row
	}
	return out
}

// side collects what the side panel shows.
func (m *Model) side() status.Side {
	c := m.Front
	var s status.Side
	for _, one := range m.chats() {
		s.Sessions = append(s.Sessions, status.SideSession{Title: one.Heading(), State: one.Thread.State.String(),
			Here: one == c, Waits: one.Waits(), Unread: one.Unread})
	}
	for _, p := range c.Thread.Plan {
		p.Content = describe.StripMarkdown(p.Content)
		s.Plan = append(s.Plan, p)
	}
	s.Files, s.Running, s.Clients = c.Changes.Files(), c.Runs(), m.Workspace.Clients()
	s.Name = func(path string) string { return safetext.Line(words.RelativePath(path, c.Where()), 200) }
	return s
}
