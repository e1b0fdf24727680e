package find

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/glyphs"
	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/uitest"
)

// reader searches a transcript whose entries are "entry 0" to "entry 9".
type reader struct {
	*Bar
	thread *thread.Thread
	view   *transcript.View
	out    layer.Effects
}

func newReader() *reader {
	r := &reader{thread: thread.New("s")}
	for i := range 10 {
		r.adds(fmt.Sprint("entry ", i))
	}
	th := theme.Plain()
	r.view = transcript.New(r.thread, uitest.Dir, th)
	r.view.SetSize(60, 5)
	r.Bar = New(&layer.Env{Theme: th, Keys: intent.Default}, &r.out, r.view)
	return r
}

func (r *reader) adds(title string) {
	done := "completed"
	r.thread.Apply(event.ToolChanged{For: event.For{Session: "s"}, ID: title, Title: &title, Status: &done})
}

// run does what a key has brought, to the end.
func run(cmd tea.Cmd) {
	for cmd != nil {
		cmd = cmd().(layer.Message).Handle()
	}
}

func (r *reader) press(names ...string) {
	for _, name := range names {
		p := layer.Press{Name: name}
		if len(name) == 1 {
			p.Text = name
		}
		cmd, _ := r.Key(p)
		run(cmd)
	}
}

func (r *reader) sees(t *testing.T, row, shown string) {
	t.Helper()
	got, _ := r.Row(60)
	if text := uitest.Text([]string{got}); !strings.Contains(text, row) {
		t.Errorf("the row is %q, want %q", text, row)
	}
	if text := uitest.Text(r.view.Rows()); !strings.Contains(text, shown) {
		t.Errorf("%q is not shown:\n%s", shown, text)
	}
}

func TestFind(t *testing.T) {
	r := newReader()
	run(r.Next(1))
	if did := r.out.Take(); r.Open() || len(did) != 1 || did[0] != layer.Say("/ starts a search") {
		t.Errorf("without a search: open %v, %q", r.Open(), did)
	}
	r.view.Home()
	r.Start()
	r.sees(t, "Type to search", "entry 0")
	r.press("e", "n", "t", "r", "y")
	r.sees(t, "1 of 10", "entry 0")
	r.press("up")
	r.sees(t, "10 of 10 · wrapped", "entry 9")
	r.press("ctrl+w", "e", "x")
	r.sees(t, "No match", "entry")
	r.press("backspace", "n", "enter")
	if r.Typing() || !r.Open() {
		t.Errorf("after enter: typing %v, open %v", r.Typing(), r.Open())
	}
	r.adds("entry 10")
	r.view.Changed([]int{10})
	r.Changed()
	run(r.Next(-1))
	r.sees(t, "11 of 11", "entry 10")
	r.End()
	run(r.Next(1)) // the same once more
	r.sees(t, "of 11", "entry")
}

// esc goes back to where the reader was, and no portion of a search that is over counts.
func TestFindLeft(t *testing.T) {
	r := newReader()
	r.view.Home()
	before := uitest.Text(r.view.Rows())
	r.Start()
	late, _ := r.Paste("entry 9")
	r.press("esc")
	run(late)
	if got := uitest.Text(r.view.Rows()); r.Open() || got != before {
		t.Errorf("open %v:\n%s", r.Open(), got)
	}
}

// The row fits, and its cursor is in it, however much is searched for.
func TestFindRow(t *testing.T) {
	r := newReader()
	r.Start()
	r.Paste(strings.Repeat("日本語\t", 100))
	for width := 20; width < 80; width++ {
		if row, x := r.Row(width); glyphs.Width(row) > width || x >= width {
			t.Errorf("%d cells and the cursor at %d, of %d", glyphs.Width(row), x, width)
		}
	}
}
