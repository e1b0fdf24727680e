package status

import (
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/tty"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/uitest"
)

func aLine() Line {
	w := workspace.New(workspace.Options{})
	s := w.Front()
	s.Agent.Spec.Name = "fake"
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	s.Thread.State, s.Thread.TurnStarted = thread.Running, at.Add(-time.Minute)
	s.Thread.Unasked = 3
	return Line{Session: s, Env: &layer.Env{Now: func() time.Time { return at }, Keys: intent.Default, Theme: theme.For("plain", tty.Colours{})},
		Branch: "main"}
}

var modes = []event.Choice{{ID: "plan", Name: "Plan first"}, {ID: "acceptEdits", Name: "Accept Edits"}, {ID: "yolo", Name: "YOLO"}}

// A mode in which the agent does not ask has the colour of a warning, or of an error.
func TestLineColoursModes(t *testing.T) {
	l := aLine()
	l.Env.Theme = theme.Dark()
	for id, ink := range map[string]theme.Ink{"acceptEdits": l.Env.Theme.Warn, "yolo": l.Env.Theme.Bad} {
		l.Thread.Modes, l.Thread.Mode = modes, id
		if row := l.Row(120); !strings.Contains(row, ink.On()+"mode: "+event.NameOf(id, modes)) {
			t.Errorf("%s: %q", id, row)
		}
	}
}

// The parts that must not be overlooked come first.
func TestLine(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Line)
		want   string
	}{
		"a turn":     {func(*Line) {}, "fake · running 1m00s · opening · 3 unasked · ⎇ main esc stop"},
		"joined":     {func(l *Line) { l.Clients = 2 }, "fake · running 1m00s · opening · 2 joined · 3 unasked"},
		"others":     {func(l *Line) { l.Others, l.Approval = 2, permissions.AcceptEdits }, "approval: accept edits · 2 wait · alt+w · fake · running"},
		"allowed":    {func(l *Line) { l.Approval = permissions.AllMode }, "approval: EVERYTHING ALLOWED · fake · running"},
		"a mode":     {func(l *Line) { l.Thread.Modes, l.Thread.Mode = modes, "plan" }, "opening · approval: ask · mode: Plan first · 3 unasked"},
		"both modes": {func(l *Line) { l.Approval, l.Thread.Modes, l.Thread.Mode = permissions.ReadOnlyMode, modes, "yolo" }, "approval: read only · fake · running 1m00s · opening · mode: YOLO · 3 unasked"},
		"warned":     {func(l *Line) { l.Agent.Spec.Warning, l.Others, l.ReadOnly = "unverified", 1, true }, "unverified · 1 waits · alt+w · fake · read-only log"},
		"gone":       {func(l *Line) { l.Thread.State = thread.Ended }, "The agent has ended · enter restarts it ctrl+c quit"},
		"leaving":    {func(l *Line) { l.Leaving, l.Form = "ctrl+c again to quit", true }, "ctrl+c again to quit"},
		"beside":     {func(l *Line) { l.Beside, l.Others, l.Branch = true, 1, "" }, "fake · running 1m00s · opening · 3 unasked"},
		"a form":     {func(l *Line) { l.Asks, l.Form, l.Asked = true, true, l.Env.Now().Add(-5*time.Second) }, "fake · waiting for you 5s · opening · 3 unasked · ⎇ main esc cancel"},
		"a question": {func(l *Line) {
			l.Question, l.Thread.State, l.Asked = true, thread.Waiting, l.Env.Now().Add(-3*time.Minute-time.Second)
		}, "fake · waiting for you 3m ·"},
		"a limit": {func(l *Line) {
			l.Thread.Usage.Limit = &event.RateLimit{Status: "allowed", Utilization: 0.85, ResetsAt: l.Env.Now().Add(time.Hour)}
		}, "opening · limit 85%, resets 04:02 · 3 unasked"},
		"a limit, reached": {func(l *Line) {
			l.Thread.Usage.Limit = &event.RateLimit{Status: "rejected", Utilization: 1, ResetsAt: l.Env.Now().Add(24 * time.Hour)}
		}, "opening · limit reached, resets Tue 03:02 · 3 unasked"},
		"a limit, nearly": {func(l *Line) { l.Thread.Usage.Limit = &event.RateLimit{Status: "allowed_warning"} }, "opening · limit nearly reached · 3 unasked"},
		"a limit, far":    {func(l *Line) { l.Thread.Usage.Limit = &event.RateLimit{Status: "allowed", Utilization: 0.79} }, "opening · 3 unasked"},
		"a limit, reset": {func(l *Line) {
			l.Thread.Usage.Limit = &event.RateLimit{Status: "rejected", ResetsAt: l.Env.Now()}
		}, "opening · 3 unasked"},
		"a form, idle":  {func(l *Line) { l.Asks, l.Thread.State = true, thread.Idle }, "fake · waiting for you"},
		"on its own":    {func(l *Line) { l.Shell, l.Thread.State = true, thread.Idle }, "esc stop the command"},
		"nothing of it": {func(l *Line) { l.Thread.State = thread.Idle }, "? help"},
	} {
		l := aLine()
		tc.change(&l)
		if got := strings.Join(strings.Fields(uitest.Text([]string{l.Row(120)})), " "); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, tc.want)
		}
		for width := 1; width < 120; width++ {
			uitest.CheckRows(t, []string{l.Row(width), l.Short(width)}, width)
		}
	}
}

// On a narrow screen what nobody must overlook is dropped last, and how many lines were changed is kept
// before the context, the cost and the names of settings.
func TestLineWithoutRoom(t *testing.T) {
	l := aLine()
	l.Thread.Usage = event.UsageChanged{Used: 50_000, Size: 200_000, Cost: 1.5, Currency: "USD"}
	l.Thread.Modes, l.Thread.Mode = []event.Choice{{ID: "plan", Name: "Plan, and then ask before anything is done"}}, "plan"
	l.Thread.Added, l.Thread.Removed = 12, 3
	for width, want := range map[int]string{
		140: "fake · running 1m00s · opening · approval: ask · mode: Plan, and then ask before anything is done · +12 −3 · 3 unasked esc stop",
		110: "fake · running 1m00s · opening · approval: ask · +12 −3 · 3 unasked esc stop",
		64:  "fake · running 1m00s · opening · +12 −3 · 3 unasked esc stop",
		54:  "fake · running 1m00s · opening · 3 unasked esc stop",
		30:  "fake · 3 unasked esc stop",
		22:  "3 unasked esc stop",
	} {
		if got := strings.Join(strings.Fields(uitest.Text([]string{l.Row(width)})), " "); got != want {
			t.Errorf("at %d columns:\n%q, want\n%q", width, got, want)
		}
	}
}
