package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/theme"
)

// painted returns the text painted as the current match.
func (d *driver) painted() string {
	out := ""
	ink := theme.Plain().Selected
	for row := range strings.SplitSeq(visible(d.m.View()), "\n") {
		if _, rest, ok := strings.Cut(row, ink.On()); ok {
			text, _, _ := strings.Cut(rest, ink.Off())
			out += text
		}
	}
	return out
}

// / searches while typing; enter keeps the matches, n and N move between them, esc leaves the
// search.
func TestSearchTranscript(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab")
		d.selected("That was two.")
		d.press("/")
		d.sees("Type to search · a capital letter matches case")
		d.types("that was")
		d.sees("2 of 2") // from the selected one on
		d.selected("That was")
		if got := d.painted(); got != "That was" {
			t.Errorf("%q is painted", got)
		}
		d.types(" two")
		d.sees("1 of 1")
		d.selected("That was two.")
		d.types("x")
		d.sees("No match")
		d.press("backspace", "enter")
		d.sees("1 of 1 · n N · esc")
		d.press("n")
		d.sees("1 of 1 · wrapped")
		d.press("esc")
		d.misses("1 of 1")
		d.selected("That was two.") // the keys are the transcript's still
		d.press("g", "/")
		d.types("last row")
		d.sees("1 of 2", "last row of one")
		d.press("esc") // back to where it began
		d.misses("last row of one")
		d.selected("one  ") // the prompt, and not what it is in
		if got := d.painted(); got != "" {
			t.Errorf("%q is still painted", got)
		}
		d.press("/")
		d.types("ROW\n")
		d.sees("No match")
		d.press("esc", "esc")
		d.misses("┃")
	})
}

// Matches in closed entries are shown: the entry is open while its match is selected.
func TestSearchInWhatIsClosed(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.misses("last row of")
		d.press("tab", "g", "/")
		d.types("last row of\n")
		d.sees("1 of 2", "last row of one")
		d.misses("last row of two")
		d.golden("search")
		d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
		d.press("n")
		d.sees("2 of 2", "last row of two")
		d.press("n")
		d.sees("1 of 2 · wrapped", "last row of one")
		d.press("N")
		d.sees("2 of 2 · wrapped", "last row of two")
		d.press("N")
		d.sees("1 of 2")
		d.press("esc")
		d.misses("last row of")
		d.press("n") // the same once more
		d.sees("1 of 2", "last row of one")
		d.press("/", "enter")
		d.sees("1 of 2")
		d.press("tab") // leaves the transcript, and with it the search
		d.misses("last row of", "1 of 2")
		d.types("typed on")
		d.draft("typed on")
	})
}

// New text is found while a search is open; pasted text is searched for.
func TestSearchContinues(t *testing.T) {
	withTranscript(t, nil, func(d *driver) {
		d.press("tab", "g", "/")
		d.send(tea.PasteMsg{Content: "needle\n"})
		d.sees("No match")
		d.press("enter")
		for i := range 3 {
			d.Agent().Update("s1", fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"x%d","title":"needle %d","kind":"other","status":"completed"}`, i, i))
		}
		d.soon()
		for i := range 3 {
			d.press("n")
			d.sees(fmt.Sprintf("%d of 3", i+1))
			d.selected(fmt.Sprintf("needle %d", i))
		}
		d.draft("")
	})
}

// A search takes no key of a question that is given them, and gives its row back.
func TestSearchAndQuestion(t *testing.T) {
	withTranscript(t, whenAsked(asking(push, usual)), func(d *driver) {
		d.press("tab", "/")
		d.types("two\n")
		d.press("esc", "esc")
		d.types("ask\n")
		d.soon()
		d.press("tab", "/")
		d.types("yan")
		d.wait(3 * time.Second)
		d.sees("fake asks")
		d.types("y")
		d.soon()
		d.outcomes("")
		d.sees("/ yany")
		d.press("esc")
		d.misses("/ yany")
	})
}
