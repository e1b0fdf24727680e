package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// BenchmarkView is one full frame at 200x50: the transcript's rows are ready,
// the composer and the status line are drawn.
func BenchmarkView(b *testing.B) {
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: uitest.Dir, Agents: []workspace.Spec{{Name: "fake"}}}}, Theme: "dark"})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	m.Choosing = false
	m.Front.Agent.SetForTest(&workspace.Connection{Client: &acpclient.Client{}, Session: &acpclient.Session{}}, "")
	for range 40 {
		m.applyTo(m.Front, event.TextArrived{Role: event.Agent, Text: "A **paragraph** of an answer with `code` in it, long enough to be wrapped on most screens there are today.\n\n"})
	}
	m.Front.Applied()
	m.present()
	b.ReportAllocs()
	for b.Loop() {
		m.dirty = true
		m.present()
	}
	b.ReportMetric(float64(len(m.last.view.Content)), "bytes/frame")
}

// BenchmarkUnchangedView is what Bubble Tea asks for when nothing has happened.
func BenchmarkUnchangedView(b *testing.B) {
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: uitest.Dir, Agents: []workspace.Spec{{Name: "fake"}}}}, Theme: "dark"})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	m.View()
	b.ReportAllocs()
	for b.Loop() {
		m.View()
	}
}
