package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// rested tells Options.Rested when these events ended what was going on.
func (m *Model) rested(events []event.Event) tea.Cmd {
	if m.opts.Rested == nil || !slices.ContainsFunc(events, ends) {
		return nil
	}
	for _, c := range m.chats {
		if s := c.thread.State; s != thread.Idle && s != thread.Ended {
			return nil
		}
	}
	return func() tea.Msg {
		m.opts.Rested()
		return nil
	}
}

// ends tells whether an event is the end of something that can be long.
func ends(e event.Event) bool {
	switch e.(type) {
	case event.TurnEnded, event.HistoryEnded, event.Disconnected:
		return true
	}
	return false
}
