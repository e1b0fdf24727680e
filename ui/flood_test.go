package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// chatting is a model of that size with a session in which a turn runs.
func chatting(width, height int) *Model {
	m := New(Options{FrontEnd: workspace.FrontEnd{Options: workspace.Options{Cwd: uitest.Dir, Agents: []workspace.Spec{{Name: "fake"}}}}, Theme: "dark"})
	m.Update(tea.WindowSizeMsg{Width: width, Height: height})
	m.Choosing = false
	m.Front.Agent.SetForTest(&workspace.Connection{Client: &acpclient.Client{}, Session: &acpclient.Session{}}, "")
	m.applyTo(m.Front, event.TurnStarted{Text: "go on", At: uitest.Start})
	return m
}

// BenchmarkFlood is an answer of 20 MB that comes in portions as large as they
// get: the longest that the screen thinks about one, with the view.
func BenchmarkFlood(b *testing.B) {
	const portion = maxPortion - 1024
	text := uitest.Answer(20 << 20)
	for b.Loop() {
		m := chatting(120, 40)
		var longest, sum time.Duration
		n := 0
		for rest := text; rest != ""; n++ {
			e := event.TextArrived{Role: event.Agent, Text: rest[:min(portion, len(rest))]}
			rest = rest[len(e.Text):]
			began := time.Now()
			m.Update(resultMsg{m.Front.Agent.NewBatch(e)})
			m.View()
			took := time.Since(began)
			longest, sum = max(longest, took), sum+took
		}
		b.ReportMetric(float64(longest.Microseconds())/1000, "max-ms")
		b.ReportMetric(float64(sum.Microseconds())/1000/float64(n), "mean-ms")
	}
}
