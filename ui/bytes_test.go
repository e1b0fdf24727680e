package ui

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"parley/internal/fakeagent"
	"parley/internal/tty"
	"parley/ui/paint"
)

// painted runs the driver's model with its screen on a terminal of 120x40, under the driver's
// clock. It counts every byte written; the terminal must show the view.
type painted struct {
	*driver
	emu *vt.Emulator

	mu  sync.Mutex
	raw bytes.Buffer // since it was last taken
}

// Write implements io.Writer, for the screen.
func (p *painted) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.emu.Write(b)
	return p.raw.Write(b)
}

// painting puts the driver's screen into a terminal, until f is over.
func painting(t *testing.T, turn func(*fakeagent.Turn) string, f func(p *painted)) {
	t.Helper()
	drive(t, func(d *driver, o *Options) { d.fake.Turn(turn); o.Theme = "dark" }, func(d *driver) {
		p := &painted{driver: d, emu: vt.NewEmulator(120, 40)}
		go io.Copy(io.Discard, p.emu) // its answers are not for us
		screen := paint.Open(p, tty.Of([]string{"TERM=linux"}), func(run func()) { run() })
		defer func() { screen.Close(); p.emu.Close() }()
		d.m.painter = screen
		d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
		d.connected()
		p.pass(time.Second)
		f(p)
	})
}

// pass lets time pass, and hands over the messages of the driver's own commands.
func (p *painted) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(time.Millisecond, time.Until(end)))
		synctest.Wait()
		for msg, ok := p.nextMessage(); ok; msg, ok = p.nextMessage() {
			p.send(msg)
		}
	}
}

// wrote returns the output of an action and of the time after it.
func (p *painted) wrote(d time.Duration, act func()) string {
	p.t.Helper()
	p.mu.Lock()
	p.raw.Reset()
	p.mu.Unlock()
	act()
	p.pass(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.raw.String()
}

// right checks that the terminal shows the view.
func (p *painted) right(what string) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	want := strings.Split(visible(p.m.View()), "\n")
	for y := range 40 {
		var b strings.Builder
		for x := range 120 {
			if c := p.emu.CellAt(x, y); c == nil {
				b.WriteByte(' ')
			} else if c.Width > 0 {
				b.WriteString(c.Content)
			}
		}
		if got, row := strings.TrimRight(b.String(), " "), strings.TrimRight(ansi.Strip(want[y]), " "); got != row {
			p.t.Fatalf("%s: row %d is %q, in the view %q", what, y, got, row)
		}
	}
}

func (p *painted) key(name string) func() { return func() { p.send(keyPress(name)) } }

// wide fills a screen with words, characters of two cells and emoji: a renderer
// that writes rows of those again and again shows it here.
func wide(t *fakeagent.Turn) {
	for n := range 60 {
		t.Say(fmt.Sprintf("Paragraph **%d** with `code`, 漢字かな交じり文 and 🎉🚀 in it, so that nearly every row has cells that are wide.\n\n", n))
	}
}

// What a frame writes to the terminal, in bytes, with some room.
func TestBytesOfAFrame(t *testing.T) {
	painting(t, func(t *fakeagent.Turn) string {
		wide(t)
		if t.N == 2 {
			t.Say("The tail: ")
			t.Wait(time.Hour)
		}
		return "end_turn"
	}, func(p *painted) {
		p.send(keyPress("g"))
		p.send(keyPress("enter"))
		p.pass(2 * time.Second)
		p.right("the answer")
		check := func(what string, most int, d time.Duration, act func()) {
			t.Helper()
			raw := p.wrote(d, act)
			t.Logf("%s: %d bytes", what, len(raw))
			p.right(what)
			if len(raw) > most {
				t.Errorf("%s: %d bytes, at most %d were expected: %.300q", what, len(raw), most, raw)
			}
			if len(raw) == 0 && most > 0 {
				t.Errorf("%s: nothing was written", what)
			}
		}
		soon := 50 * time.Millisecond
		check("an idle second", 0, time.Second, func() {})
		check("the first letter", 120, soon, p.key("a"))
		check("a letter", 40, soon, p.key("b"))
		check("a wide letter", 40, soon, p.key("漢"))
		check("a letter deleted", 40, soon, p.key("backspace"))
		check("a row up", 220, soon, p.key("shift+up"))
		check("another row up", 220, soon, p.key("shift+up"))
		check("a row down", 220, soon, p.key("shift+down"))
		check("a page up", 4000, soon, p.key("pgup"))
		check("a page down", 4000, soon, p.key("pgdown"))
		p.send(keyPress("ctrl+end"))
		p.send(keyPress("enter"))
		p.pass(1010 * time.Millisecond)
		p.right("a turn")
		check("a second of a clock", 400, time.Second, func() {})
		check("twenty characters", 80, soon, func() { p.Agent().Say("s1", "agent", "漢字 and twenty more") })
		check("twenty more", 80, soon, func() { p.Agent().Say("s1", "agent", ", and twenty of them") })
	})
}
