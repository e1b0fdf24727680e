package paint

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/tty"

	tea "charm.land/bubbletea/v2"
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

// look opens a Screen on a terminal, below a net. It is to be closed.
func look(cols, rows int) (*glass, *Screen) {
	g := &glass{emu: vt.NewEmulator(cols, rows), cols: cols, rows: rows}
	s := newScreen(g, tty.Of([]string{"TERM=linux"}))
	s.measure = func() (int, int, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.cols, g.rows, nil
	}
	go func() {
		defer func() { _ = recover() }()
		s.run()
	}()
	return g, s
}

// live is a view below what is printed.
func live(x, y int, rows ...string) tea.View {
	return tea.View{Content: strings.Join(rows, "\n"), Cursor: tea.NewCursor(x, y)}
}

// lines checks the lines of the terminal.
func lines(t *testing.T, g *glass, want ...string) {
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
		var rows []string
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
			case rnd.IntN(4) == 0 || len(rows) == 0:
				rows = nil
				for range 1 + rnd.IntN(7) {
					rows = append(rows, word())
				}
			case rnd.IntN(3) == 0: // as a tail that is cut at its top
				at := rnd.IntN(len(rows))
				rows = slices.Insert(rows[min(rnd.IntN(2), len(rows)-1):], min(at, len(rows)-1), word()+" and what makes it long enough")
				rows = rows[:min(7, len(rows))]
			case rnd.IntN(3) == 0:
				at := rnd.IntN(len(rows))
				if rows = slices.Delete(rows, at, min(len(rows), at+1+rnd.IntN(3))); len(rows) == 0 {
					rows = []string{"none"}
				}
			default:
				rows[rnd.IntN(len(rows))] += "more"[:rnd.IntN(5)]
			}
			x := rnd.IntN(20)
			term.Show(live(x, rnd.IntN(len(rows)), rows...), false)
			time.Sleep(20 * time.Millisecond)
			want := slices.Clone(all)
			for _, l := range rows {
				want = append(want, strings.TrimRight(ansi.Truncate(ansi.Strip(l), 29, ""), " "))
			}
			lines(t, g, want...)
			if at := g.emu.CursorPosition(); at.X != x {
				t.Fatalf("the cursor is in column %d, want %d", at.X, x)
			}
		}
		term.Close("the end")
		lines(t, g, append(all, "the end")...)
	})
}

// What is left at the end is printed once, however the goroutines of a closing Screen are scheduled.
func TestClosesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			g, term := look(30, 8)
			term.Close("the end")
			lines(t, g, "the end")
		}
	})
}

// Rows that go from the live part into the scrollback are not written again.
func TestWritesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(80, 24)
		defer term.Close()
		term.Show(live(0, 2, "first", "second", "composer"), false)
		time.Sleep(time.Second)
		g.take()
		term.Print("first", "second")
		term.Show(live(0, 0, "composer"), false)
		time.Sleep(time.Second)
		lines(t, g, "first", "second", "composer")
		if out := g.take(); len(out) > 0 {
			t.Errorf("nothing has changed on the screen, and it wrote %q", out)
		}
		term.Show(live(0, 0, "composer"), false)
		time.Sleep(time.Hour)
		if out := g.take(); len(out) > 0 {
			t.Errorf("idle, and it wrote %q", out)
		}
		term.Show(live(0, 0, "composer and a tail"), false)
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
		defer term.Close()
		term.Show(live(0, 1, "first", "composer"), false)
		time.Sleep(time.Second)
		term.Print("first")
		term.Raw("\x1b]2;title\x07")
		time.Sleep(time.Second)
		lines(t, g, "first", "composer")
		term.Show(live(0, 0, "composer"), false)
		time.Sleep(time.Second)
		lines(t, g, "first", "composer")
	})
}

// The marks of a printed prompt reach the terminal once, in its row, and take no cell.
func TestPrintsMarks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const begin, end = "\x1b]133;A;redraw=0\a", "\x1b]133;C\a"
		g, term := look(80, 24)
		defer term.Close()
		term.Show(live(0, 0, "prompt", "composer"), false)
		time.Sleep(time.Second)
		g.take()
		term.Print(begin+"prompt"+end, "answer")
		term.Show(live(0, 0, "composer"), false)
		time.Sleep(time.Second)
		out := string(g.take())
		a, c, answer := strings.Index(out, begin), strings.Index(out, end), strings.Index(out, "answer")
		if strings.Count(out, "133;") != 2 || a < 0 || c < a || answer < c {
			t.Errorf("wrote %q", out)
		}
		lines(t, g, "prompt", "answer", "composer")
	})
}

// The alternate screen shows nothing of the live rows, which are there again after it;
// what was printed meanwhile comes then. A command that has the terminal finds nothing
// of them either.
func TestScreensAreSwitched(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(40, 10)
		defer term.Close()
		term.Print("one")
		term.Show(live(0, 1, "live", "composer"), false)
		time.Sleep(time.Second)
		lines(t, g, "one", "live", "composer")
		term.Show(tea.View{AltScreen: true, Content: "help"}, false)
		term.Print("two")
		time.Sleep(time.Second)
		if s := g.lines(); s[0] != "help" || slices.Contains(s, "two") {
			t.Errorf("the page shows %q", s)
		}
		term.Show(live(0, 1, "live", "composer"), false)
		time.Sleep(time.Second)
		lines(t, g, "one", "two", "live", "composer")

		term.Release()
		term.Print("three")
		term.Show(live(0, 1, "live", "composer"), false)
		time.Sleep(time.Second)
		lines(t, g, "one", "two")
		g.Write([]byte("$ fg\r\n"))
		term.Restore()
		synctest.Wait()
		lines(t, g, "one", "two", "$ fg", "three", "live", "composer")
	})
}

// Nothing is painted before a new size has lasted, and what was written stays.
func TestResize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, term := look(40, 10)
		defer term.Close()
		var want []string
		for i := range 30 {
			want = append(want, fmt.Sprintf("line %d", i))
		}
		term.Print(want...)
		term.Show(live(0, 1, "live", "composer"), false)
		time.Sleep(time.Second)
		g.take()
		g.size(30, 10)
		term.Print("another")
		term.Show(live(0, 1, "live", "composer"), false)
		time.Sleep(100 * time.Millisecond)
		g.size(40, 12)
		term.Show(live(0, 1, "live", "composer"), true)
		time.Sleep(250 * time.Millisecond)
		if out := g.take(); len(out) > 0 {
			t.Errorf("it wrote %q while the size was not known", out)
		}
		time.Sleep(2 * settled)
		lines(t, g, append(want, "another", "live", "composer")...)
	})
}

func TestAbove(t *testing.T) {
	t.Parallel()
	p := painter{terminal: tty.Profile{Reflows: true}, paintedSize: extent{100, 24}, y: 4, x: 45}
	for _, n := range []int{90, 40, 41, 0, 60} {
		p.live = append(p.live, row{text: strings.Repeat("x", n)})
	}
	for _, c := range []struct{ cols, want int }{{100, 4}, {120, 4}, {90, 4}, {89, 5}, {45, 6}, {40, 8}} {
		if got := p.above(c.cols); got != c.want {
			t.Errorf("at %d columns %d rows above, want %d", c.cols, got, c.want)
		}
	}
	p.terminal.Reflows = false
	if got := p.above(40); got != 4 {
		t.Errorf("in a terminal that does not reflow: got %d rows above, want 4", got)
	}
}

// A row that two frames share is as long as it was painted, not as the new size would cut it.
func TestErasesWrappedRows(t *testing.T) {
	t.Parallel()
	p := painter{terminal: tty.Profile{Reflows: true}}
	wide := strings.Repeat("x", 80)
	for _, last := range []string{"composer", "composer2"} {
		p.view = live(0, 1, wide, last)
		p.paint(nil, 100, 24)
	}
	if out, up := p.paint(nil, 60, 24), ansi.CursorUp(2); !bytes.Contains(out, []byte(up)) {
		t.Errorf("%q does not go up over the two rows that the first has become", out)
	}
}
