package transcript

import (
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// Each prompt in the scrollback is marked for the terminal, if that takes marks: its
// beginning, and where the answer begins.
func TestPromptsAreMarked(t *testing.T) {
	const prompt, answer = "\x1b]133;A;redraw=0\x07", "\x1b]133;C\x07"
	th := turnOf(says("One."))
	for _, e := range []event.Event{event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Now}, event.TurnStarted{For: in, Text: numbers(3), At: uitest.Now}, says("Two.")} {
		th.Apply(e)
	}
	for _, d := range []Density{Normal, Everything} {
		look := *theme.Plain()
		look.Links = true
		w := NewWritten(th, uitest.Dir, &look)
		w.Look(61, &look, d)
		rows := strings.Join(w.Rest(), "\n")
		for n, part := range strings.Split(rows, prompt)[1:] {
			words, _, _ := strings.Cut(part, answer)
			if lines := strings.Count(words, "\n"); !strings.HasPrefix(words, theme.Plain().UserBar.Paint(userBar)) || lines != 2*n {
				t.Errorf("%s: prompt %d is marked as %q", d, n, words)
			}
		}
		if strings.Count(rows, prompt) != 2 || strings.Count(rows, answer) != 2 {
			t.Errorf("%s: not two prompts: %q", d, rows)
		}
	}
	w := NewWritten(th, uitest.Dir, theme.Plain())
	w.Look(61, theme.Plain(), Normal)
	if rows := strings.Join(w.Rest(), "\n"); strings.Contains(rows, "133;") {
		t.Errorf("marks for a terminal that takes none: %q", rows)
	}
}
