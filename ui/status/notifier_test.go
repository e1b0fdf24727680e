package status

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/tty"
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
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, tty.Profile{Notify: tty.NotifyOSC777})
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
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, tty.Profile{Notify: tty.NotifyBell})
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

// A notification with an id replaces the one before, and is withdrawn when what it is about was answered
// or the user looks.
func TestNotificationWithdrawn(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, tty.Profile{Notify: tty.NotifyOSC99})
	n.Watch(tea.BlurMsg{})
	id := fmt.Sprintf("i=parley-%d", os.Getpid())
	gone := "\x1b]99;" + id + ":p=close;\x1b\\"
	asks := func() {
		t.Helper()
		now = now.Add(notifyPause)
		if got, want := told(n.Tell(permissions.Asked{}, "fake", "", false)), "\x1b]99;"+id+";fake is waiting for you\x1b\\"; got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	for _, over := range []event.Event{event.PermissionAnswered{}, event.ElicitationEnded{}, event.TurnEnded{StopReason: "cancelled"}} {
		asks()
		if got := told(n.Tell(over, "fake", "", false)); got != gone {
			t.Errorf("after %T: %q, want %q", over, got, gone)
		}
		if got := told(n.Tell(over, "fake", "", false)); got != "" {
			t.Errorf("after another %T: %q", over, got)
		}
	}
	asks()
	if got := told(n.Watch(tea.BlurMsg{})); got != "" {
		t.Errorf("still elsewhere: %q", got)
	}
	if got := told(n.Watch(tea.FocusMsg{})); got != gone {
		t.Errorf("the user is back: %q, want %q", got, gone)
	}
	if got := told(n.Watch(tea.KeyPressMsg{Code: 'x'})); got != "" {
		t.Errorf("nothing is left: %q", got)
	}
	n.Watch(tea.BlurMsg{})
	now = now.Add(notifyPause)
	n.Tell(done, "fake", "", false)
	if got := told(n.Tell(event.PermissionAnswered{}, "other", "", false)); got != "" {
		t.Errorf("it says that a turn is done, and is withdrawn: %q", got)
	}
}

// In tmux the bell marks the window, and the sequence is passed on to the terminal.
func TestNotificationInTmux(t *testing.T) {
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	for how, want := range map[tty.Notification]string{tty.NotifyOSC9: "\a\x1bPtmux;\x1b\x1b]9;fake is done\a\x1b\\", tty.NotifyBell: "\a"} {
		n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, tty.Profile{Notify: how, Multiplexer: "tmux"})
		n.Watch(tea.BlurMsg{})
		if got := told(n.Tell(done, "fake", "", false)); got != want {
			t.Errorf("%s: got %q, want %q", how, got, want)
		}
	}
	n := NewNotifier(&layer.Env{Now: func() time.Time { return now }}, tty.Profile{Notify: tty.NotifyOSC99, Multiplexer: "tmux"})
	n.Watch(tea.BlurMsg{})
	n.Tell(done, "fake", "", false)
	if got := told(n.Watch(tea.FocusMsg{})); !strings.HasPrefix(got, "\x1bPtmux;\x1b\x1b]99;i=") || !strings.Contains(got, ":p=close;") {
		t.Errorf("withdrawn by %q", got)
	}
}
