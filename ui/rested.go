package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
)

// rested tells Options.Rested when these events ended what was going on.
func (m *Model) rested(events []acpclient.Event) tea.Cmd {
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
func ends(e acpclient.Event) bool {
	switch e.(type) {
	case acpclient.TurnEnded, acpclient.HistoryEnded, acpclient.Disconnected:
		return true
	}
	return false
}
