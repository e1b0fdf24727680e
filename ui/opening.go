package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
)

// opener starts agents for the first page.
type opener struct{ m *Model }

func (o opener) Start(a workspace.Spec) { o.m.Workspace.Start(a) }

func (o opener) CanGoBack() bool { return len(o.m.Workspace.Sessions()) > 1 || !o.m.Front.Blank() }

func (o opener) Back() tea.Cmd {
	m := o.m
	if !o.CanGoBack() {
		return m.quit()
	}
	if m.Front.Blank() {
		m.Workspace.Remove(m.Front.Session)
	}
	m.Choosing = false
	return nil
}
