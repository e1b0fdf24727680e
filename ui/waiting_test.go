package ui

import (
	"strings"
	"testing"
	"time"

	"parley/internal/fakeagent"

	tea "charm.land/bubbletea/v2"
)

// waitingSessions opens three sessions: two wait for an answer, the third is on
// the screen.
func waitingSessions(t *testing.T, f func(d *driver)) {
	t.Helper()
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Second)
			if t.Text == "third" {
				return "end_turn"
			}
			return asking(push, usual)(t)
		})
	}, func(d *driver) {
		d.connected()
		d.types("first\n/new\n")
		d.soon()
		d.types("second\n/new\n")
		d.soon()
		d.types("third\n")
		d.wait(3 * time.Second)
		f(d)
	})
}

// The status line counts the sessions that wait elsewhere, and one key goes
// through them.
func TestNextWaiting(t *testing.T) {
	waitingSessions(t, func(d *driver) {
		for _, size := range [][2]int{{40, 12}, {80, 24}, {160, 50}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.sees("2 wait · alt+w")
		}
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.misses("fake asks")
		d.types("a draft")
		d.press("alt+w")
		d.sees("▌ first", "fake asks", "1 waits · alt+w")
		d.press("alt+w")
		d.sees("▌ second", "fake asks", "1 waits · alt+w")
		d.rest()
		d.press("n")
		d.wait(100 * time.Millisecond)
		d.sees("rejected 00:00", "1 waits · alt+w")
		d.press("alt+w")
		d.sees("▌ first", "fake asks")
		d.misses("alt+w")
		d.press("y") // right after another page nothing is answered
		d.outcomes("no")
		d.press("backspace")
		d.rest()
		d.press("y")
		d.wait(100 * time.Millisecond)
		d.outcomes("no|ok")
		d.press("alt+w")
		d.sees("No other session is waiting for you")
		d.press("ctrl+s", "end", "enter")
		d.soon()
		d.draft("a draft")
	})
}

// It goes there from wherever one is: the transcript, a list, a question that
// has the keys.
func TestNextWaitingFromAnywhere(t *testing.T) {
	for name, keys := range map[string]string{"transcript": "tab", "sessions": "ctrl+s", "help": "f1", "actions": "ctrl+p", "themes": "/ t h e m e enter"} {
		t.Run(name, func(t *testing.T) {
			waitingSessions(t, func(d *driver) {
				d.press(strings.Fields(keys)...)
				d.press("alt+w")
				d.sees("▌ first", "fake asks")
				d.press("alt+a")
				d.wait(100 * time.Millisecond)
				d.press("alt+w")
				d.sees("▌ second", "fake asks")
				d.outcomes("")
			})
		})
	}
}

// The list of sessions begins with those that wait.
func TestWaitingSessionsComeFirst(t *testing.T) {
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Wait(time.Second)
			if t.Text == "second" {
				return asking(push, usual)(t)
			}
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		for _, name := range []string{"first", "second", "third"} {
			d.types(name + "\n/new\n")
			d.soon()
		}
		d.wait(3 * time.Second)
		d.press("ctrl+s")
		d.soon()
		s := d.screen()
		if at := strings.Index(s, "2 ● second"); at < 0 || at > strings.Index(s, "1 ") && strings.Index(s, "1 • first") < at {
			t.Fatalf("the session that waits is not the first:\n%s", s)
		}
		d.press("enter")
		d.sees("fake asks")
	})
}
