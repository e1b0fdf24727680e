package transcript

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// A notice of the agent stays in the transcript, with a word for its severity.
func TestNoticeKeepsItsSeverity(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 60, 12)
	for _, e := range []event.Event{
		event.NoticeArrived{For: in, Severity: "error", Title: "MCP server db is down", Description: "connection refused"},
		event.NoticeArrived{For: in, Severity: "warning", Title: "Deprecated model"},
		event.NoticeArrived{For: in, Severity: "info", Title: "Context was trimmed"},
		event.NoticeArrived{For: in, Severity: "_acme", Title: "Slow today"},
	} {
		v.Changed(th.Apply(e))
	}
	got := uitest.Text(v.Rows())
	for _, want := range []string{"✗ Error: MCP server db is down: connection refused\n", "⚠ Warning: Deprecated model\n", "· Context was trimmed\n", "· acme: Slow today"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
