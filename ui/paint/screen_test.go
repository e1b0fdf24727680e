package paint

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
	"parley/internal/tty"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// page is a view that fills the screen.
func page(rows ...string) tea.View {
	return tea.View{AltScreen: true, Content: strings.Join(rows, "\n"), Cursor: tea.NewCursor(0, len(rows)-1)}
}

// slow is a terminal that takes one write at a time, when it is let.
type slow struct {
	let     chan bool
	mu      sync.Mutex
	written [][]byte
}

func (s *slow) Write(p []byte) (int, error) {
	<-s.let
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written = append(s.written, bytes.Clone(p))
	return len(p), nil
}

// A terminal that does not read holds nobody up, and then gets the newest frame alone.
func TestSlowTerminal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &slow{let: make(chan bool)}
		s := newScreen(to, tty.Of([]string{"TERM=linux"}))
		go s.run()
		for i := range 1000 {
			s.Show(page(fmt.Sprintf("frame %d", i)), true)
			synctest.Wait()
		}
		close(to.let)
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(to.written); n != 2 {
			t.Errorf("%d writes, want the first frame and the newest", n)
		}
		if last := string(to.written[len(to.written)-1]); !strings.Contains(last, "999") {
			t.Errorf("the last write is %q", last)
		}
		s.Close()
	})
}

// A terminal that never reads does not keep the program from ending.
func TestCloseWithoutAReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		to := &slow{let: make(chan bool)}
		s := newScreen(to, tty.Profile{})
		go s.run()
		s.Show(page("frame"), false)
		synctest.Wait()
		before := time.Now()
		s.Close()
		if d := time.Since(before); d > patience {
			t.Errorf("it took %v", d)
		}
		close(to.let)
	})
}

// The first frame is painted at once, another one at the end of a frame's time, and the
// echo of a key at once. Nothing happens at rest.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := look(20, 5)
		defer s.Close()
		shows := func(v tea.View, urgent bool, after time.Duration) {
			t.Helper()
			g.take()
			before := time.Now()
			s.Show(v, urgent)
			synctest.Wait()
			for len(g.take()) == 0 && time.Since(before) < time.Second {
				time.Sleep(time.Millisecond)
				synctest.Wait()
			}
			if took := time.Since(before); took != after {
				t.Errorf("painted after %v, want %v", took, after)
			}
		}
		shows(page("one"), false, 0)
		shows(page("two"), false, period)
		shows(page("key"), true, 0)
		time.Sleep(time.Hour)
		if out := g.take(); len(out) > 0 {
			t.Errorf("at rest it wrote %q", out)
		}
		shows(page("three"), false, 0)
	})
}

// Whatever ends a Screen, the terminal has all of its modes back.
func TestModesAreRestored(t *testing.T) {
	glyphs.Measure(true)
	defer glyphs.Measure(false)
	everything := page("text")
	everything.ReportFocus, everything.MouseMode, everything.WindowTitle = true, tea.MouseModeCellMotion, "title"
	everything.ProgressBar = &tea.ProgressBar{State: tea.ProgressBarIndeterminate}
	everything.Cursor = &tea.Cursor{Shape: tea.CursorBar}
	bare := everything
	bare.Cursor = nil
	for name, end := range map[string]func(s *Screen){
		"close":   func(s *Screen) { s.Close() },
		"release": func(s *Screen) { s.Release(); s.Close() },
		"detach":  func(s *Screen) { s.Detach(); s.Close() },
		"panic": func(s *Screen) {
			s.call(func() { panic("a mistake") })
			synctest.Wait()
			s.Close()
		},
	} {
		for _, v := range []tea.View{everything, bare, {Content: "live", Cursor: tea.NewCursor(0, 0)}} {
			t.Run(fmt.Sprint(name, " ", v.AltScreen, " ", v.Cursor == nil), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g, s := look(20, 5)
					s.Show(v, false)
					synctest.Wait()
					end(s)
					balanced(t, string(g.take()))
					if got := g.lines(); len(got) > 0 {
						t.Errorf("left on the normal screen: %q", got)
					}
				})
			})
		}
	}
}

// A terminal that has left gets nothing; the next one gets all modes, the newest view and the rows printed for it.
func TestTerminalsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, s := look(20, 5)
		defer s.Close()
		live := func(text string) tea.View {
			return tea.View{Content: text, ReportFocus: true, Cursor: tea.NewCursor(0, 0)}
		}
		s.Show(live("first"), false)
		synctest.Wait()
		s.Detach()
		balanced(t, string(g.take()))
		s.Print("printed for nobody")
		s.Show(live("nobody sees it"), true)
		s.Raw(ansi.Notify("nobody hears it"))
		synctest.Wait()
		s.Print("nor this")
		s.Show(live("nor that"), true)
		if out := g.take(); len(out) > 0 {
			t.Errorf("written to nobody: %q", out)
		}
		s.Attach(tty.Profile{})
		s.Raw(ansi.Notify("heard"))
		s.Print("printed")
		s.Show(live("second"), true)
		synctest.Wait()
		out := string(g.take())
		for _, want := range []string{ansi.SetModeBracketedPaste, ansi.SetModeFocusEvent, "heard", "printed", "second"} {
			if !strings.Contains(out, want) {
				t.Errorf("the new terminal did not get %q: %q", want, out)
			}
		}
		for _, not := range []string{"nobody", "nor", "first"} {
			if strings.Contains(out, not) {
				t.Errorf("it got what was meant for another one: %q", out)
			}
		}
		if !s.Release() { // a program has it
			t.Error("not released")
		}
		g.take()
		s.Detach()
		s.Restore()
		s.Show(live("third"), true)
		synctest.Wait()
		if out := g.take(); len(out) > 0 {
			t.Errorf("written to nobody: %q", out)
		}
		s.Attach(tty.Profile{})
		s.Show(live("fourth"), true)
		synctest.Wait()
		if out := string(g.take()); !strings.Contains(out, "fourth") || strings.Contains(out, "third") {
			t.Errorf("got %q", out)
		}
	})
}

// balanced wants the last word about each mode to be that of a terminal at rest.
func balanced(t *testing.T, out string) {
	t.Helper()
	for _, m := range []struct{ set, reset string }{
		{ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor}, {ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste},
		{ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent}, {ansi.SetModeMouseButtonEvent, ansi.ResetModeMouseButtonEvent},
		{ansi.SetModeMouseExtSgr, ansi.ResetModeMouseExtSgr}, {ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore},
		{ansi.ResetModeAutoWrap, ansi.SetModeAutoWrap}, {ansi.ResetModeTextCursorEnable, ansi.SetModeTextCursorEnable},
		{ansi.SetModeSynchronizedOutput, ansi.ResetModeSynchronizedOutput}, {ansi.SetModifyOtherKeys2, ansi.ResetModifyOtherKeys},
		{ansi.SetWindowTitle("title"), ansi.SetWindowTitle("")}, {"\x1b]9;4;3;0\x1b\\", "\x1b]9;4;0;0\x1b\\"}, {ansi.SetModeLightDark, ansi.ResetModeLightDark}, {"\x1b[6 q", "\x1b[0 q"},
	} {
		if set, reset := strings.LastIndex(out, m.set), strings.LastIndex(out, m.reset); set > reset {
			t.Errorf("%q stays set", m.set)
		}
	}
	if pushed, popped := strings.Count(out, "\x1b[>1u"), strings.Count(out, "\x1b[<1u"); pushed != popped {
		t.Errorf("the keyboard is pushed %d times and popped %d times", pushed, popped)
	}
}

// What frames write, byte by byte. The golden file has one line for each.
func TestBytes(t *testing.T) {
	e := emulate(40, 8)
	e.terminal.Depth, e.terminal.Synced = colorprofile.ANSI, true
	var out strings.Builder
	rows := []string{"\x1b[1mheading\x1b[m", "", "one line of prose", "another, of \x1b[31mred\x1b[m words", "", "漢字 and 🎉", "> ", "status · 1s"}
	frame := func(what string, x, y int, change func()) {
		change()
		fmt.Fprintf(&out, "%s: %q\n", what, e.show(tea.View{AltScreen: true, Content: strings.Join(rows, "\n"), Cursor: &tea.Cursor{Position: tea.Position{X: x, Y: y}}}))
	}
	frame("the first frame", 2, 6, func() {})
	frame("nothing", 2, 6, func() {})
	frame("a letter", 3, 6, func() { rows[6] = "> a" })
	frame("another letter", 4, 6, func() { rows[6] = "> ab" })
	frame("a letter deleted", 3, 6, func() { rows[6] = "> a" })
	frame("the cursor", 2, 6, func() {})
	frame("a clock", 2, 6, func() { rows[7] = "status · 2s" })
	frame("a colour", 2, 6, func() { rows[3] = "another, of \x1b[32mred\x1b[m words" })
	frame("a word of a row", 2, 6, func() { rows[2] = "one line of verse" })
	frame("a wide letter", 2, 6, func() { rows[5] = "漢子 and 🎉" })
	frame("a row that moves up", 2, 6, func() { rows = []string{rows[2], rows[3], "", rows[5], "a new row", "", rows[6], rows[7]} })
	frame("a row that moves down", 2, 6, func() { rows = []string{"back", rows[0], rows[1], "", rows[3], "", rows[6], rows[7]} })
	frame("a link", 2, 6, func() { rows[5] = "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x1b\\" })
	frame("a panel", 2, 6, func() {
		for i := range rows {
			rows[i] = fmt.Sprintf("%-20s", fmt.Sprint("row ", i, " of a transcript")) + Beside + "│ " + strings.Repeat("p", i%3)
		}
	})
	frame("a row that moves beside it", 2, 6, func() {
		for i, row := range rows {
			_, panel, _ := strings.Cut(row, Beside)
			rows[i] = fmt.Sprintf("%-20s", fmt.Sprint("row ", i+1, " of a transcript")) + Beside + panel
		}
	})
	frame("a mark", 2, 6, func() { rows[5] = "x\u0302y" })
	const golden = "testdata/bytes.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
