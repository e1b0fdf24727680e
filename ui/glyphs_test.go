package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/fakeagent"
	"parley/internal/glyphs"
)

// When the terminal says that it measures by clusters, everything is laid out
// again; what is copied is the source, either way.
func TestTheTerminalSaysHowItMeasures(t *testing.T) {
	const family, prompt = "1👨\u200d👩\u200d👧\u200d👦2", "xe\u0301y p\u0302"
	drive(t, func(d *driver, _ *Options) {
		d.fake.Turn(func(t *fakeagent.Turn) string {
			t.Say("| A | B |\n|---|---|\n| " + family + " | end |\n\n" + family)
			return "end_turn"
		})
	}, func(d *driver) {
		t.Cleanup(func() { glyphs.Measure(false) })
		d.connected()
		d.types(prompt + "\n")
		d.rest()
		for _, c := range []struct{ clusters, rule string }{
			{"runes", "  ────────────┼─────"},
			{"clusters", "  ──────┼─────"},
		} {
			if c.clusters == "clusters" {
				d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			}
			shown := ansi.Strip(visible(d.m.View()))
			for _, want := range []string{"▌ " + prompt + " ", "  " + family + "\n", " " + family + " │ end", c.rule} {
				if !strings.Contains(shown+"\n", want) && !strings.Contains(strings.ReplaceAll(shown, " \n", "\n"), want) {
					t.Errorf("by %s: %q is not shown:\n%s", c.clusters, want, shown)
				}
			}
			for row := range strings.SplitSeq(visible(d.m.View()), "\n") {
				if w := glyphs.Width(row); w > 80 {
					t.Errorf("by %s: %d cells: %q", c.clusters, w, row)
				}
			}
			d.sees(family, prompt) // of which copies and finds are made
		}
	})
}
