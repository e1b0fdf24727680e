package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/uitest"
)

// A toast has the row above the composer: the status line stays, and nothing moves where
// that row is blank anyway.
func TestToastAboveComposer(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		for _, height := range []int{24, 12} {
			d.send(tea.WindowSizeMsg{Width: 80, Height: height})
			line := d.m.Front.Status(d.m.around(d.m.divided())).Row(80)
			before := strings.Split(visible(d.m.View()), "\n")
			d.press("alt+w")
			rows := strings.Split(visible(d.m.View()), "\n")
			if toast := ansi.Strip(rows[height-5]); !strings.Contains(toast, "No other session is waiting for you") || rows[height-1] != line {
				t.Errorf("height %d: the toast is not above the composer, or the status line changed:\n%s", height, uitest.Text(rows))
			}
			if !slices.Equal(before[height-4:], rows[height-4:]) {
				t.Errorf("height %d: the toast changes the rows below it", height)
			}
			d.wait(time.Hour)
			d.misses("No other session is waiting for you")
		}
	})
}

// The composer's border has the accent only while a question waits that does not have the
// keys: then the user types, and something wants the eye.
func TestComposerBorder(t *testing.T) {
	withQuestion(t, push, usual, func(d *driver) {
		border := func(want string, when string) {
			t.Helper()
			rows := strings.Split(visible(d.m.View()), "\n")
			ink := map[string]string{"accent": d.m.Theme.BorderFocus.On(), "dim": d.m.Theme.Border.On()}[want]
			if row := rows[len(rows)-4]; !strings.HasPrefix(row, ink+"╭") {
				t.Errorf("%s: got %q, want it %s", when, row, want)
			}
		}
		d.types("half a dra")
		d.rest()
		border("accent", "a question waits while the user types")
		d.press("alt+a")
		border("dim", "the question has the keys")
		d.press("esc")
		d.rest()
		border("dim", "nothing is asked")
	})
}
