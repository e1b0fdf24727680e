package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/uitest"
)

// answer is about so many bytes of an answer of all kinds of blocks.
func answer(bytes int) string {
	var b strings.Builder
	for n := 1; b.Len() < bytes; n++ {
		fmt.Fprintf(&b, "## Step %d: the `parser`\n\n", n)
		for range 3 {
			b.WriteString(strings.Repeat("A sentence with `code()` in it, **words** of weight, 日本語 and a [link](https://example.com/a). ", 3) + "\n\n")
		}
		b.WriteString("- one of the points\n- another *one* of them\n\n```go\n")
		for i := range 8 {
			fmt.Fprintf(&b, "func step%d(n int) error {\n\treturn fmt.Errorf(\"step %%d: %%w\", n, errors.ErrUnsupported) // %d\n}\n", i, n)
		}
		b.WriteString("```\n\n| name | time | count |\n|---|---:|---:|\n| one | 17 | 4 |\n| two | 1200 | 44 |\n\n> quoted\n\n")
	}
	return b.String()
}

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
	text := answer(20 << 20)
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
