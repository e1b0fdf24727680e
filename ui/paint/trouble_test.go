package paint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
	"parley/internal/tty"
)

// Rows that were printed just before the end, or before a panic, stay on the screen.
func TestCloseKeepsPrintedRows(t *testing.T) {
	for name, before := range map[string]func(s *Screen, hold chan bool){
		"busy":  func(s *Screen, hold chan bool) { s.call(func() { <-hold }) },
		"panic": func(s *Screen, _ chan bool) { s.call(func() { panic("a bug") }) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g, s := look(40, 10)
				s.Show(live(0, 0, "composer"), true)
				synctest.Wait()
				hold := make(chan bool)
				before(s, hold)
				synctest.Wait()
				s.Print("answer")
				s.Show(live(0, 0, "Ending"), true)
				time.AfterFunc(100*time.Millisecond, func() { close(hold) })
				s.Close("last")
				lines(t, g, "answer", "last")
			})
		})
	}
}

// noColour panics when it is used.
type noColour struct{}

func (noColour) RGBA() (r, g, b, a uint32) { panic("a bug") }

// A panic in the frame that leaves the alternate screen: the terminal has not left it yet.
func TestPanicBeforeAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(40, 8)
		s.Show(page("reader"), true)
		synctest.Wait()
		s.call(func() { s.pen.Fg = noColour{} })
		s.Show(live(0, 0, "composer"), true)
		synctest.Wait()
		s.Close()
		balanced(t, string(g.take()))
	})
}

// Parameters without end are not a panic, and change no style.
func TestManyParameters(t *testing.T) {
	e := emulate(20, 3)
	e.show(page("\x1b["+strings.Repeat("1;", 40)+"1mred", "b"))
	if got := e.text(0); got != "red" {
		t.Errorf("got %q", got)
	}
}

// Bytes that an 8-bit terminal takes for controls are shown as replacement characters, and a
// link with them is none.
func TestControlsAreNotWritten(t *testing.T) {
	defer glyphs.Measure(false)
	for _, clusters := range []bool{false, true} {
		glyphs.Measure(clusters)
		for in, want := range map[string]string{
			"a\x9b31mb": "a\ufffd31mb", "a\u009b31m": "a31m", "a\u0301\x9b2J": "á\ufffd2J", "\xe2\x9b": "\ufffd", "a\x1b": "a",
			"\x1b]8;;http://a\rb\x1b\\x": "x", "x\x1b]0;t\x1b[2Jy": "xy",
		} {
			p := &painter{}
			var got strings.Builder
			for _, c := range p.parse(in) {
				got.WriteString(c.Content)
				if !c.Link.IsZero() {
					t.Errorf("%q: has the link %q", in, c.Link.URL)
				}
			}
			if got.String() != want {
				t.Errorf("%q: writes %q, want %q", in, got.String(), want)
			}
		}
	}
}

// A terminal may have cut rows while its size changed and changed back.
func TestResizeAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(20, 6)
		defer s.Close()
		rows := []string{"one one one one one", "two", "three", "four", "five", "six"}
		for range 2 {
			s.filter(nil, tea.WindowSizeMsg{Width: 20, Height: 6})
			s.Show(page(rows...), true)
			synctest.Wait()
			lines(t, g, rows...)
			g.size(10, 3)
			g.size(20, 6)
		}
	})
}

// The normal screen has the user's own cursor.
func TestCursorShapeInline(t *testing.T) {
	e := emulate(40, 8)
	e.show(live(0, 0, "x"))
	if out := e.show(page("reader")); !strings.Contains(out, ansi.SetCursorStyle(1)) {
		t.Errorf("the page writes %q", out)
	}
	if out := e.show(live(0, 0, "x")); !strings.Contains(out, ansi.SetCursorStyle(0)) {
		t.Errorf("the normal screen writes %q", out)
	}
}

// A command that was killed may leave the cursor hidden.
func TestCursorAfterACommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(40, 8)
		defer s.Close()
		s.Show(page("x"), true)
		synctest.Wait()
		s.Release()
		g.Write([]byte(ansi.ResetModeTextCursorEnable))
		g.take()
		s.Restore()
		synctest.Wait()
		if out := string(g.take()); !strings.Contains(out, ansi.SetModeTextCursorEnable) {
			t.Errorf("the cursor stays hidden: %q", out)
		}
	})
}

// Waiting for a size to settle does not delay what comes after it.
func TestSettlingDelaysNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(40, 8)
		defer s.Close()
		s.Show(live(0, 0, "x"), true)
		time.Sleep(time.Second)
		g.size(30, 8)
		s.Show(live(0, 0, "y"), false)
		time.Sleep(time.Millisecond)
		s.Release()
		s.Restore()
		time.Sleep(time.Millisecond)
		s.Show(live(0, 0, "z"), false)
		time.Sleep(2 * period)
		lines(t, g, "z")
	})
}

// A frame waits for a terminal whose size cannot be read.
func TestSizeNotReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(40, 8)
		defer s.Close()
		measure, fails := s.measure, true
		s.measure = func() (int, int, error) {
			if fails {
				return 0, 0, errors.New("interrupted")
			}
			return measure()
		}
		s.Show(live(0, 0, "x"), true)
		synctest.Wait()
		s.call(func() { fails = false })
		time.Sleep(time.Minute)
		lines(t, g, "x")
	})
}

// nonBlocking is a terminal that takes half of each write.
type nonBlocking struct {
	*glass
	refuses bool
}

func (f *nonBlocking) Write(p []byte) (int, error) {
	if f.refuses = !f.refuses; f.refuses && len(p) > 1 {
		n, _ := f.glass.Write(p[:len(p)/2])
		return n, syscall.EAGAIN
	}
	return f.glass.Write(p)
}

func TestNonBlockingTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(20, 6)
		s.out = &nonBlocking{glass: g}
		defer s.Close()
		s.Show(page("one", "two", "three", "four"), true)
		time.Sleep(time.Second)
		lines(t, g, "one", "two", "three", "four")
	})
}

// link is a terminal that reads 5 kB a second.
type link struct{ *glass }

func (l link) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(len(p)) * time.Millisecond / 5)
	return l.glass.Write(p)
}

// Close waits as long as the terminal reads.
func TestCloseOnASlowLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(120, 40)
		s.out = link{g}
		var rows []string
		for i := range 400 {
			rows = append(rows, fmt.Sprintf("row %d of a long answer", i))
		}
		s.Show(live(0, 0, "composer"), true)
		time.Sleep(time.Second)
		s.Print(rows...)
		s.Show(live(0, 0, "composer"), true)
		time.Sleep(10 * time.Millisecond)
		s.Close("bye")
		balanced(t, string(g.take()))
		lines(t, g, append(slices.Clone(rows), "bye")...)
	})
}

// A terminal that reads nothing is not lent, and blocks the event loop only for a moment.
func TestReleaseWithoutAReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &slow{let: make(chan bool)}
		s := newScreen(to, tty.Profile{})
		go s.run()
		s.Show(page("frame"), false)
		synctest.Wait()
		before := time.Now()
		if s.Release() {
			t.Error("released")
		}
		if d := time.Since(before); d > patience {
			t.Errorf("it took %v", d)
		}
		close(to.let)
		synctest.Wait()
		s.Show(page("another"), true)
		synctest.Wait()
		if last := string(to.written[len(to.written)-1]); !strings.Contains(last, "another") {
			t.Errorf("then it wrote %q", last)
		}
		s.Close()
	})
}

// Bubble Tea does not report a change of size just before it listens for them.
func TestMissedSize(t *testing.T) {
	s := newScreen(nil, tty.Profile{})
	now := extent{80, 24}
	s.measure = func() (int, int, error) { return now.cols, now.rows, nil }
	s.filter(nil, tea.WindowSizeMsg{Width: 80, Height: 24})
	if msg := s.filter(nil, missedSizeMsg{}); msg != nil {
		t.Errorf("the size that the program has was reported again: %v", msg)
	}
	now = extent{40, 12}
	if msg := s.filter(nil, missedSizeMsg{}); msg != (tea.WindowSizeMsg{Width: 40, Height: 12}) {
		t.Errorf("reported %v, not the new size", msg)
	}
	if msg := s.filter(nil, missedSizeMsg{}); msg != nil {
		t.Errorf("the new size was reported twice: %v", msg)
	}
}
