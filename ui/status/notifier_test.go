package status

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/permissions"
	"parley/ui/layer"
)

// told returns what a command sends to the terminal; "" for nothing.
func told(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	return cmd().(tea.RawMsg).Msg.(string)
}

var done = event.TurnEnded{StopReason: "end_turn"}

// Who looks elsewhere is told that a turn is over and that something is asked, in words
// that are harmless to the terminal; who looks is not.
func TestNotifier(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, NotifyOSC777)
	n.Watch(tea.FocusMsg{})
	now = now.Add(time.Minute)
	if got := told(n.Tell(done, "fake", "", false)); got != "" {
		t.Errorf("in sight: %q", got)
	}
	n.Watch(tea.BlurMsg{})
	for _, e := range []event.Event{event.TurnEnded{StopReason: "cancelled"}, event.TextArrived{}} {
		if got := told(n.Tell(e, "fake", "", false)); got != "" {
			t.Errorf("%T: %q", e, got)
		}
	}
	if got := told(n.Tell(done, "fake", "", true)); got != "" {
		t.Errorf("it continues: %q", got)
	}
	got := told(n.Tell(done, "fake", "a;b\x1b]0;x\x07", false))
	if !strings.HasPrefix(got, "\x1b]777;notify;parley;fake is done: a,b") || strings.Count(got, ";") != 3 || strings.Count(got, "\x1b") != 2 {
		t.Errorf("got %q", got)
	}
	if got := told(n.Tell(permissions.Asked{}, "fake", "", false)); got != "" {
		t.Errorf("at once again: %q", got)
	}
	now = now.Add(notifyPause)
	if got := told(n.Tell(permissions.Asked{}, "fake", "", false)); !strings.Contains(got, "fake is waiting for you") {
		t.Errorf("got %q", got)
	}
}

// A terminal that does not report its focus is notified after a while without keys.
func TestNotifierWithoutFocus(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, NotifyBell)
	now = now.Add(away)
	n.Watch(tea.KeyPressMsg{Code: 'x'})
	if got := told(n.Tell(done, "fake", "", false)); got != "" {
		t.Errorf("somebody types: %q", got)
	}
	now = now.Add(away)
	if got := told(n.Tell(done, "fake", "", false)); got != "\a" {
		t.Errorf("got %q", got)
	}
}
