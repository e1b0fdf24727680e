package ui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// On a small screen the composer gives its frame to the question, of which several rows
// can be read at once.
func TestQuestionOnASmallScreen(t *testing.T) {
	const long = `{"toolCallId":"t1","title":"x","kind":"execute","rawInput":{"command":"echo one\necho two\necho three\necho four\necho five\necho six"}}`
	drive(t, func(d *driver, _ *Options) { d.fake.Turn(asking(long, usual)) }, func(d *driver) {
		d.connected()
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.types("go\n")
		d.wait(time.Second)
		d.sees("Run    echo one", "Run a command", "more rows ↓", "y Allow once", "› Ask the agent")
		if from, to := d.m.Front.Question.OnScreen(); to-from < 4 {
			t.Errorf("%d rows of the question:\n%s", to-from, d.screen())
		}
		d.types("so") // the composer still works
		d.sees("› so")
	})
}
