package thread

import (
	"testing"
	"time"

	"parley/acpclient/event"
)

// The duration of a call does not include the time in which it waited for the user.
func TestTookWithoutTheWait(t *testing.T) {
	in := event.For{Session: "s"}
	start := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	of := func(s string) *string { return &s }
	th := New("s")
	apply := func(e event.Event) { th.Apply(e) }
	apply(event.TurnStarted{For: in, At: start})
	apply(event.ToolChanged{For: in, ID: "a", Status: of("pending"), At: at(0)})
	tool := th.Items[len(th.Items)-1].Tool
	took := func(now, want int) {
		t.Helper()
		if got := tool.Duration(at(now)); got != time.Duration(want)*time.Second {
			t.Errorf("after %d s: %s, want %d s", now, got, want)
		}
	}
	took(1, 1)
	apply(event.PermissionRequested{For: in, Key: 1, ToolID: "a", At: at(2)})
	took(40, 2)
	apply(event.PermissionRequested{For: in, Key: 2, ToolID: "a", At: at(10)})
	apply(event.PermissionAnswered{For: in, Key: 1, ToolID: "a", At: at(20)})
	took(40, 2)
	apply(event.PermissionAnswered{For: in, Key: 2, ToolID: "a", At: at(62)})
	took(63, 3)
	apply(event.ToolChanged{For: in, ID: "a", Status: of("completed"), At: at(65)})
	took(100, 5)
	apply(event.PermissionAnswered{For: in, Key: 9, ToolID: "a", At: at(120)})
	took(200, 5)
}

// A form blocks its call. A question without a call, or with an unknown one, holds up
// the only call that runs.
func TestTookWithoutTheWaitForAForm(t *testing.T) {
	in := event.For{Session: "s"}
	start := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	of := func(s string) *string { return &s }
	begun := func(ids ...string) *Thread {
		th := New("s")
		th.Apply(event.TurnStarted{For: in, At: start})
		for _, id := range ids {
			th.Apply(event.ToolChanged{For: in, ID: id, Status: of("in_progress"), At: at(0)})
		}
		return th
	}
	for name, c := range map[string]struct {
		calls           []string
		asked, settled  event.Event
		first, secondly int // durations of the calls after 60 s
	}{
		"form":     {[]string{"a", "b"}, event.ElicitationAsked{For: in, Key: 1, ToolID: "a", At: at(1)}, event.ElicitationEnded{For: in, Key: 1, At: at(58)}, 3, 60},
		"unnamed":  {[]string{"a"}, event.ElicitationAsked{For: in, Key: 1, At: at(1)}, event.ElicitationEnded{For: in, Key: 1, At: at(58)}, 3, 3},
		"unknown":  {[]string{"a"}, event.ElicitationAsked{For: in, Key: 1, ToolID: "x", At: at(1)}, event.ElicitationEnded{For: in, Key: 1, At: at(58)}, 3, 3},
		"question": {[]string{"a"}, event.PermissionRequested{For: in, Key: 1, At: at(1)}, event.PermissionAnswered{For: in, Key: 1, At: at(58)}, 3, 3},
		"several":  {[]string{"a", "b"}, event.PermissionRequested{For: in, Key: 1, At: at(1)}, event.PermissionAnswered{For: in, Key: 1, At: at(58)}, 60, 60},
	} {
		th := begun(c.calls...)
		th.Apply(c.asked)
		th.Apply(c.settled)
		for i, id := range c.calls {
			if got, want := th.Tool(id).Duration(at(60)), []int{c.first, c.secondly}[i]; got != time.Duration(want)*time.Second {
				t.Errorf("%s: %s took %s, want %d s", name, id, got, want)
			}
		}
	}
}
