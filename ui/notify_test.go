package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/permissions"
)

// Who looks elsewhere is told that a turn is over and that something is asked,
// in words that are harmless to the terminal; who looks is not.
func TestNotify(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Notify = NotifyOSC777 }, func(d *driver) {
		d.connected()
		c := d.m.chat
		told := func(e event.Event) string {
			cmd := d.m.notify(c, e)
			if cmd == nil {
				return ""
			}
			return cmd().(tea.RawMsg).Msg.(string)
		}
		done := event.TurnEnded{StopReason: "end_turn"}
		d.send(tea.FocusMsg{})
		d.wait(time.Minute)
		if got := told(done); got != "" {
			t.Errorf("in sight: %q", got)
		}
		d.send(tea.BlurMsg{})
		c.Thread.Title = "a;b\x1b]0;x\x07"
		got := told(done)
		if !strings.HasPrefix(got, "\x1b]777;notify;parley;fake is done: a,b") || strings.Count(got, ";") != 3 || strings.Count(got, "\x1b") != 2 {
			t.Errorf("%q", got)
		}
		if got := told(permissions.Asked{}); got != "" {
			t.Errorf("at once again: %q", got)
		}
		d.wait(3 * time.Second)
		if got := told(permissions.Asked{}); !strings.Contains(got, "fake waits for you") {
			t.Errorf("%q", got)
		}
		d.wait(3 * time.Second)
		if got := told(event.TurnEnded{StopReason: "cancelled"}); got != "" {
			t.Errorf("of one's own doing: %q", got)
		}
	})
}

// A terminal that does not report its focus is told after a while without keys.
func TestNotifyWithoutFocus(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Notify = NotifyBell }, func(d *driver) {
		d.connected()
		done := event.TurnEnded{StopReason: "end_turn"}
		d.types("x")
		if d.m.notify(d.m.chat, done) != nil {
			t.Error("somebody types")
		}
		d.wait(away)
		if cmd := d.m.notify(d.m.chat, done); cmd == nil || cmd().(tea.RawMsg).Msg != "\a" {
			t.Error("no bell")
		}
	})
}

// The title says what goes on, and the progress bar as well.
func TestTitleAndProgress(t *testing.T) {
	drive(t, func(_ *driver, o *Options) { o.Progress = true }, func(d *driver) {
		d.connected()
		shows := func(title string, state tea.ProgressBarState) {
			t.Helper()
			v := d.m.View()
			bar := tea.ProgressBarNone
			if v.ProgressBar != nil {
				bar = v.ProgressBar.State
			}
			if v.WindowTitle != title || bar != state {
				t.Errorf("%q %v, want %q %v", v.WindowTitle, bar, title, state)
			}
		}
		shows("fake - parley", tea.ProgressBarNone)
		release := make(chan struct{})
		d.turn = func(t *turn) string { <-release; return "end_turn" }
		d.types("go")
		d.press("enter")
		d.wait(50 * time.Millisecond)
		shows("… fake - parley", tea.ProgressBarIndeterminate)
		close(release)
		d.wait(50 * time.Millisecond)
		shows("fake - parley", tea.ProgressBarNone)
	})
}
