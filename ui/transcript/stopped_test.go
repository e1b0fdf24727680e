package transcript

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/ui/uitest"
)

// An answer that was stopped is drawn like one that is complete, whatever it was in the middle of.
func TestStoppedLooksComplete(t *testing.T) {
	for name, text := range map[string]string{
		"table": "| a | b |\n|---|---|\n| one | two |\n| thr", "fence": "```go\nfunc main() {\n\tpri", "emphasis": "It is **not", "list": "- one\n- tw",
	} {
		whole := turnOf(says(text), event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Start})
		stopped := turnOf(says(text))
		v := viewOf(stopped, "dark", 60, 40)
		v.Rows()
		v.Changed(stopped.Apply(event.TurnCancelled{For: in}))
		v.Changed(stopped.Apply(event.TurnEnded{For: in, StopReason: "cancelled", At: uitest.Start}))
		colour(v)
		want := viewOf(whole, "dark", 60, 40)
		colour(want)
		got := strings.TrimSpace(strings.TrimSuffix(textOf(v), "  Stopped"))
		if got != strings.TrimSpace(textOf(want)) || strings.Contains(got, "| ") {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, textOf(want))
		}
	}
}
