package ui

import (
	"io"
	"os"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/ui/glyphs"
	"parley/ui/inline"
)

// lentCommand is one that has the terminal for a while.
type lentCommand struct{ out io.Writer }

func (l *lentCommand) Run() error {
	_, err := io.WriteString(l.out, "U+10FF41 is \U0010ff41.")
	return err
}
func (l *lentCommand) SetStdin(io.Reader)    {}
func (l *lentCommand) SetStdout(w io.Writer) { l.out = w }
func (l *lentCommand) SetStderr(io.Writer)   {}

// A command that has the terminal writes to it as it is, and leaves it measuring
// as before.
func TestTheTerminalIsLent(t *testing.T) {
	for _, clusters := range []bool{false, true} {
		glyphs.Measure(clusters)
		t.Cleanup(func() { glyphs.Measure(false) })
		want := "U+10FF41 is \U0010ff41."
		if clusters {
			want += ansi.SetModeUnicodeCore
		}
		var b strings.Builder
		cmd := onTerminal(&lentCommand{})
		cmd.SetStdout(glyphs.Writer{To: &b})
		if err := cmd.Run(); err != nil || b.String() != want {
			t.Errorf("%q %v, want %q", b.String(), err, want)
		}
		file := exact{os.Stdout}
		taken := &lentCommand{}
		for _, w := range []io.Writer{file, inline.New(file, nil)} {
			if onTerminal(taken).SetStdout(w); taken.out != io.Writer(os.Stdout) {
				t.Errorf("%T is lent as %T", w, taken.out)
			}
		}
	}
}

// When the terminal says that it measures by clusters, everything is laid out
// again; what is copied is the source, either way.
func TestTheTerminalSaysHowItMeasures(t *testing.T) {
	const family, prompt = "1👨\u200d👩\u200d👧\u200d👦2", "xe\u0301y p\u0302"
	drive(t, func(d *driver, _ *Options) {
		d.turn = func(t *turn) string {
			t.say("| A | B |\n|---|---|\n| " + family + " | end |\n\n" + family)
			return "end_turn"
		}
	}, func(d *driver) {
		t.Cleanup(func() { glyphs.Measure(false) })
		g := &netted{m: d.m}
		d.connected()
		d.types(prompt + "\n")
		d.rest()
		for _, c := range []struct{ clusters, shown, rule string }{
			{"runes", "1👨👩👧👦2", "  ────────────┼─────"},
			{"clusters", family, "  ──────┼─────"},
		} {
			if c.clusters == "clusters" {
				d.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			}
			shown := string(glyphs.Restore([]byte(ansi.Strip(g.View().Content))))
			for _, want := range []string{"▌ xéy p\u0302 ", "  " + c.shown + "\n", " " + c.shown + " │ end", c.rule} {
				if !strings.Contains(shown+"\n", want) && !strings.Contains(strings.ReplaceAll(shown, " \n", "\n"), want) {
					t.Errorf("by %s: %q is not shown:\n%s", c.clusters, want, shown)
				}
			}
			for row := range strings.SplitSeq(d.m.View().Content, "\n") {
				if w := glyphs.Width(row); w > 80 {
					t.Errorf("by %s: %d cells: %q", c.clusters, w, row)
				}
			}
			d.sees(family, prompt) // of which copies and finds are made
		}
	})
}
