package thread

import (
	"testing"
	"time"

	"parley/acpclient/event"
)

// What a call has taken is its own time: that in which it waited for the user is none.
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
		if got := tool.Took(at(now)); got != time.Duration(want)*time.Second {
			t.Errorf("after %d s: %s, want %d s", now, got, want)
		}
	}
	took(1, 1)
	apply(event.PermissionAsked{For: in, Key: 1, ToolID: "a", At: at(2)})
	took(40, 2)
	apply(event.PermissionAsked{For: in, Key: 2, ToolID: "a", At: at(10)})
	apply(event.PermissionSettled{For: in, Key: 1, ToolID: "a", At: at(20)})
	took(40, 2)
	apply(event.PermissionSettled{For: in, Key: 2, ToolID: "a", At: at(62)})
	took(63, 3)
	apply(event.ToolChanged{For: in, ID: "a", Status: of("completed"), At: at(65)})
	took(100, 5)
	apply(event.PermissionSettled{For: in, Key: 9, ToolID: "a", At: at(120)})
	took(200, 5)
}
