package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/page"
	"parley/ui/uitest"
)

// OnIdle is called when a turn or a history is over and nothing else goes
// on: not in between, and not while another page works.
func TestRested(t *testing.T) {
	told := 0
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: uitest.Dir, Agents: []workspace.Spec{{Name: "fake"}}}}, Theme: "dark", OnIdle: func() { told++ }})
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	m.Choosing = false
	first := m.Front
	other := m.pageOf(m.Workspace.Add(m.Front.Agent))
	want := func(what string, n int, c *page.Page, events ...event.Event) {
		t.Helper()
		for _, e := range events {
			m.applyTo(c, e)
		}
		if cmd := m.resting.reportIdle(m.Workspace.Sessions()); cmd != nil {
			cmd()
		}
		if told != n {
			t.Errorf("%s: OnIdle was called %d times, want %d", what, told, n)
		}
	}
	started := event.TurnStarted{Text: "go on", At: uitest.Start}
	ended := event.TurnEnded{StopReason: "end_turn", At: uitest.Start}
	want("a turn begins", 0, first, started)
	want("while it runs", 0, first, event.TextArrived{Role: event.Agent, Text: "text"})
	want("it ends", 1, first, ended)
	want("a late chunk", 1, first, event.TextArrived{Role: event.Agent, Text: "more"})
	want("a turn of another page", 1, other, started)
	want("one that is over at once", 1, first, started, ended)
	want("the other page is done, too", 2, other, ended)
	want("a history", 3, first, event.HistoryBegan{}, event.HistoryEnded{})
	want("the next turn is under way", 3, first, started, ended, started)
}
