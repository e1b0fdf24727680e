package inline

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// glass is a terminal that does not reflow lines, with its scrollback.
type glass struct {
	mu         sync.Mutex
	emu        *vt.Emulator
	cols, rows int
	written    []byte
}

func (g *glass) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.written = append(g.written, p...)
	return g.emu.Write(p)
}
func (g *glass) Read([]byte) (int, error) { return 0, io.EOF }
func (g *glass) Close() error             { return nil }
func (g *glass) Fd() uintptr              { return 0 }

// take is what was written since it was last called.
func (g *glass) take() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := g.written
	g.written = nil
	return out
}

func (g *glass) size(cols, rows int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cols, g.rows = cols, rows
	g.emu.Resize(cols, rows)
}

// lines are those of the scrollback and of the screen, without blank ones at the
// end.
func (g *glass) lines() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []string
	for _, l := range g.emu.Scrollback().Lines() {
		out = append(out, strings.TrimRight(ansi.Strip(l.Render()), " "))
	}
	for y := range g.rows {
		var b strings.Builder
		for x := range g.cols {
			if c := g.emu.CellAt(x, y); c != nil && c.Width > 0 {
				b.WriteString(c.Content)
			} else if c == nil {
				b.WriteByte(' ')
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func look(cols, rows int) (*glass, *Terminal) {
	g := &glass{emu: vt.NewEmulator(cols, rows), cols: cols, rows: rows}
	t := New(g, []string{"TERM=linux"})
	t.measure = func() (int, int, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.cols, g.rows, nil
	}
	return g, t
}

func same(t *testing.T, g *glass, want []string) {
	t.Helper()
	want = slices.Clone(want)
	for len(want) > 0 && want[len(want)-1] == "" {
		want = want[:len(want)-1]
	}
	got := g.lines()
	if !slices.Equal(got, want) {
		n := 0
		for n < min(len(got), len(want)) && got[n] == want[n] {
			n++
		}
		t.Fatalf("from line %d on: got\n%s\nwant\n%s", n, strings.Join(got[n:], "\n"), strings.Join(want[n:], "\n"))
	}
}

// The printed rows and the live part are on the screen, whatever it showed before, and the
// cursor is in its place.
func TestDraws(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(1, 2))
		word := func() string {
			s := fmt.Sprintf("%d words", rnd.IntN(1000))
			switch rnd.IntN(6) {
			case 0:
				s = "\x1b[1m" + s + "\x1b[m and 漢字 " + strings.Repeat("x", rnd.IntN(5))
			case 1:
				s = "\x1b[38;5;4mblue " + s + "\x1b[m tail"
			case 2:
				s = ""
			}
			return s
		}
		g, term := look(30, 8)
		g.Write([]byte("$ parley\r\n"))
		all := []string{"$ parley"}
		var live []string
		for range 400 {
			n := 0
			if rnd.IntN(3) == 0 {
				n = rnd.IntN(20)
			}
			for range n {
				w := word()
				term.Print(w)
				all = append(all, strings.TrimRight(ansi.Strip(w), " "))
			}
			switch {
			case rnd.IntN(4) == 0 || len(live) == 0:
				live = nil
				for range 1 + rnd.IntN(7) {
					live = append(live, word())
				}
			case rnd.IntN(3) == 0: // as a tail that is cut at its top
				at := rnd.IntN(len(live))
				live = slices.Insert(live[min(rnd.IntN(2), len(live)-1):], min(at, len(live)-1), word()+" and what makes it long enough")
				live = live[:min(7, len(live))]
			case rnd.IntN(3) == 0:
				at := rnd.IntN(len(live))
				if live = slices.Delete(live, at, min(len(live), at+1+rnd.IntN(3))); len(live) == 0 {
					live = []string{"none"}
				}
			default:
				live[rnd.IntN(len(live))] += "more"[:rnd.IntN(5)]
			}
			f := Frame{Rows: slices.Clone(live), X: rnd.IntN(20), Y: rnd.IntN(len(live))}
			term.Show(f)
			time.Sleep(20 * time.Millisecond)
			want := slices.Clone(all)
			for _, l := range live {
				want = append(want, strings.TrimRight(ansi.Truncate(ansi.Strip(l), 29, ""), " "))
			}
			same(t, g, want)
			if at := g.emu.CursorPosition(); at.X != f.X {
				t.Fatalf("the cursor is in column %d, want %d", at.X, f.X)
			}
		}
		if err := term.End("the end"); err != nil {
			t.Fatal(err)
		}
		same(t, g, append(all, "the end"))
	})
}

// Rows that go from the live part into the scrollback are not written again.
func TestWritesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(80, 24)
		term.Show(Frame{Rows: []string{"first", "second", "composer"}, Y: 2})
		time.Sleep(time.Second)
		g.take()
		term.Print("first", "second")
		term.Show(Frame{Rows: []string{"composer"}})
		time.Sleep(time.Second)
		same(t, g, []string{"first", "second", "composer"})
		if out := g.take(); len(out) > 0 {
			t.Errorf("nothing has changed on the screen, and it wrote %q", out)
		}
		term.Show(Frame{Rows: []string{"composer"}})
		time.Sleep(time.Hour)
		if out := g.take(); len(out) > 0 {
			t.Errorf("idle, and it wrote %q", out)
		}
		term.Show(Frame{Rows: []string{"composer and a tail"}})
		time.Sleep(time.Second)
		if out := g.take(); bytes.Contains(out, []byte("compose")) || !bytes.Contains(out, []byte("and a tail")) {
			t.Errorf("it wrote %q, not only what is new", out)
		}
	})
}

// Printed rows are never on the screen together with a live part that still shows them.
func TestPrintsWithFrame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(80, 24)
		term.Show(Frame{Rows: []string{"first", "composer"}, Y: 1})
		time.Sleep(time.Second)
		term.Print("first")
		time.Sleep(time.Second)
		term.Write([]byte("\x1b]2;title\x07"))
		same(t, g, []string{"first", "composer"})
		term.Show(Frame{Rows: []string{"composer"}})
		time.Sleep(time.Second)
		same(t, g, []string{"first", "composer"})
	})
}

// The library's own writes find an empty row, and what they take away is drawn
// again. The alternate screen shows nothing of the live part, which is there
// again after it; what was printed meanwhile comes then.
func TestLibrary(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(40, 10)
		term.Print("one")
		term.Show(Frame{Rows: []string{"live", "composer"}, Y: 1})
		time.Sleep(time.Second)
		term.Write([]byte("\r\x1b[J\x1b]2;title\x07"))
		same(t, g, []string{"one", "live", "composer"})
		term.Hide()
		term.Write([]byte(ansi.SetModeAltScreenSaveCursor + "\x1b[2J\x1b[Hhelp"))
		term.Print("two")
		time.Sleep(time.Second)
		if s := g.lines(); s[0] != "help" || slices.Contains(s, "two") {
			t.Errorf("the page shows %q", s)
		}
		term.Write([]byte(ansi.ResetModeAltScreenSaveCursor))
		term.Show(Frame{Rows: []string{"live", "composer"}, Y: 1})
		time.Sleep(time.Second)
		same(t, g, []string{"one", "two", "live", "composer"})

		term.Write([]byte("\x1b[J" + ansi.ResetModeBracketedPaste)) // it lets go of the terminal
		term.Print("three")
		term.Show(Frame{Rows: []string{"live", "composer"}, Y: 1})
		time.Sleep(time.Second)
		same(t, g, []string{"one", "two"})
		g.Write([]byte("$ fg\r\n"))
		term.Write([]byte(ansi.SetModeBracketedPaste))
		same(t, g, []string{"one", "two", "$ fg", "three", "live", "composer"})
	})
}

// Nothing is drawn before a new size has lasted, and what was written stays.
func TestResize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(40, 10)
		for i := range 30 {
			term.Print(fmt.Sprintf("line %d", i))
		}
		term.Show(Frame{Rows: []string{"live", "composer"}, Y: 1})
		time.Sleep(time.Second)
		g.take()
		g.size(30, 10)
		term.Print("another")
		term.Write([]byte("\r"))
		term.Show(Frame{Rows: []string{"live", "composer"}, Y: 1})
		term.Write([]byte("\r\x1b[J"))
		time.Sleep(100 * time.Millisecond)
		g.size(40, 12)
		time.Sleep(250 * time.Millisecond)
		if out := g.take(); len(out) > 0 {
			t.Errorf("it wrote %q while the size was not known", out)
		}
		time.Sleep(2 * settled)
		var want []string
		for i := range 30 {
			want = append(want, fmt.Sprintf("line %d", i))
		}
		if got := g.lines(); !slices.Equal(got, append(want, "another", "live", "composer")) {
			t.Errorf("got %q", got)
		}
	})
}

func TestAbove(t *testing.T) {
	t.Parallel()
	term := New(&glass{}, []string{"TERM=xterm-256color"})
	term.size = extent{100, 24}
	term.live = []row{{cells: 90}, {cells: 40}, {cells: 41}, {}, {cells: 60}}
	term.y, term.x = 4, 45
	for _, c := range []struct{ cols, want int }{{100, 4}, {120, 4}, {90, 4}, {89, 5}, {45, 6}, {40, 8}} {
		if got := term.above(c.cols); got != c.want {
			t.Errorf("at %d columns %d rows above, want %d", c.cols, got, c.want)
		}
	}
	term.Reflow(false)
	if got := term.above(40); got != 4 {
		t.Errorf("in a terminal that does not reflow: got %d rows above, want 4", got)
	}
}

func TestReflows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  string
		want bool
	}{
		{"TERM=xterm-256color", true}, {"TERM=xterm-kitty", true}, {"TERM=linux", false}, {"TERM=screen-256color STY=1.pts", false},
		{"TERM=screen-256color TMUX=/tmp/x", true}, {"TERM=xterm XTERM_VERSION=XTerm(390)", false}, {"TERM=st-256color", false}, {"TERM=stterm", true},
	} {
		if got := Reflows(strings.Fields(c.env)); got != c.want {
			t.Errorf("%s: got %v", c.env, got)
		}
	}
}

// A row is written from where it differs, never from inside a character, and not after one
// whose width terminals disagree about.
func TestChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, now, style, rest string
		skip                  int
	}{
		{"abc", "abcd", "", "cd", 2},
		{"abe\u0301", "abe", "", "e", 2},
		{"abe", "abe\u0301", "", "e\u0301", 2},
		{"a\x1b[1mbold\x1b[m x", "a\x1b[1mbond\x1b[m x", "\x1b[1m", "ond\x1b[m x", 2},
		{"a\x1b[1mb\x1b[mcd", "a\x1b[1mb\x1b[mcde", "", "de", 3},
		{"a漢bcd", "a漢bce", "", "漢bce", 1},
	} {
		skip, style, rest := changed(c.old, c.now)
		if skip != c.skip || style != c.style || rest != c.rest {
			t.Errorf("%q to %q: after %d cells %q%q, want %d, %q%q", c.old, c.now, skip, style, rest, c.skip, c.style, c.rest)
		}
	}
}
