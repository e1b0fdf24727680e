package transcript

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"znkr.io/diff/textdiff"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/thread/threadtest"
	"parley/internal/seeds"
	"parley/internal/tty"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// afresh returns the rows of a view that has drawn nothing before, at the place of v.
func afresh(v *View) []string {
	f := v.CopyFor(v.layout.thread)
	colour(f)
	return f.Rows()
}

// player does what a reader and a terminal may do between two events.
type player struct {
	t    *testing.T
	v    *View
	th   *thread.Thread
	now  time.Time
	done []string
}

func (p *player) do(op byte) {
	p.done = append(p.done, fmt.Sprint(op))
	v := p.v
	switch op % 30 {
	case 0, 1:
		v.Scroll(-1 - int(op)/32)
	case 2:
		v.Scroll(1 + int(op)/32)
	case 3:
		v.Page(-1)
	case 4:
		v.Page(1)
	case 5:
		v.Home()
	case 6:
		v.End()
	case 7:
		v.SetSize(20+int(op)/2, v.window.height)
	case 8:
		v.SetSize(v.layout.width, 1+int(op)/8)
	case 9:
		v.SetDensity(Density(op/16) % 3)
	case 10:
		p.now = p.now.Add(time.Second)
		v.Tick(p.now)
	case 11:
		if names := theme.Names(); op > 100 {
			v.SetTheme(theme.For(names[int(op)%len(names)], tty.Colours{Dark: true}))
		}
	case 12:
		if op > 240 {
			p.th.Attach("s", 0)
			v.Changed([]int{0})
		}
	case 24, 25, 26, 27, 28, 29:
		p.look(op)
	default:
		p.pick(op)
	}
}

// pick does what a reader may do who has given the keys to the transcript.
func (p *player) pick(op byte) {
	v := p.v
	switch op % 30 {
	case 13, 14:
		v.Select(op%5 > 0)
	case 15, 16:
		v.Toggle()
	case 17:
		move(v, 1+int(op)/64)
	case 18:
		move(v, -1-int(op)/64)
	case 19:
		movePrompt(v, int(op)/24%5-2)
	case 20:
		if i, ok := v.ItemAt(int(op) / 24); ok {
			v.SelectItem(i)
		}
	case 21:
		if v.Step(First); op > 128 {
			v.Step(Last)
		}
	case 22, 23:
		halfPage(v, int(op)/24%5-2)
	}
}

// look is what a reader may do who searches, or takes the mouse.
func (p *player) look(op byte) {
	v := p.v
	words := []string{"a", "e", "line", "日", "of", "x", "", "1"}
	switch op % 30 {
	case 24:
		v.Mark(words[int(op)/30%len(words)])
	case 25, 26:
		s := v.Find(words[int(op)/30%len(words)])
		v.Mark(words[int(op)/30%len(words)])
		for part := s.Portion(); part != nil; part = s.Portion() {
			part.Run()
			s.AddMatches(part)
		}
		if hits := s.Hits(); len(hits) > 0 {
			v.Show(hits[int(op)*7%len(hits)])
		}
	case 27:
		v.DragFrom(int(op)/30, int(op)%11)
		v.DragTo(int(op)/20, int(op)%40)
	case 28:
		v.ClearDrag()
	case 29:
		v.ToggleAt(int(op) / 30)
	}
}

func (p *player) compare() {
	p.t.Helper()
	colour(p.v)
	got, here := slices.Clone(p.v.Rows()), p.v.Place()
	p.v.dirty = true
	if again := p.v.Rows(); !slices.Equal(got, again) || p.v.Place() != here {
		p.t.Fatalf("drawn twice without a change, at %v:\n%s\n-- at %v:\n%s", here, uitest.Text(got), p.v.Place(), uitest.Text(again))
	}
	uitest.CheckRows(p.t, got, p.v.layout.width)
	if len(got) > p.v.window.height {
		p.t.Fatalf("%d rows on %d", len(got), p.v.window.height)
	}
	if len(got) < p.v.window.height {
		if all := p.whole(); len(got) < len(all.rows) {
			p.t.Fatalf("after %v: %d of %d rows on %d:\n%s", p.done, len(got), len(all.rows), p.v.window.height, uitest.Text(got))
		}
	}
	p.selected(got)
	if want := afresh(p.v); !slices.Equal(got, want) {
		p.t.Fatalf("after %v at %+v (follow %v, %dx%d, %v):\n%s\n-- afresh:\n%s", p.done, p.v.window.top, p.v.window.follow, p.v.layout.width, p.v.window.height, p.v.layout.density, uitest.Text(got), uitest.Text(want))
	}
}

// whole returns a view that has room for everything.
func (p *player) whole() *View {
	v := p.v.CopyFor(p.v.layout.thread)
	v.window.follow, v.selection, v.drag = true, selection{item: -1}, drag{}
	v.SetSize(p.v.layout.width, 100_000)
	v.Rows()
	return v
}

// selected checks that the selected item, and it alone, is marked, and that it
// is in sight as far as it fits.
func (p *player) selected(rows []string) {
	p.t.Helper()
	it, marked := p.v.Selected(), 0
	for n, r := range rows {
		i, ok := p.v.ItemAt(n)
		mine := ok && it != nil && i == it.Index
		if has := strings.HasPrefix(ansi.Strip(r), bar); has != mine {
			p.t.Fatalf("after %v: row %d is marked: %v, is the selected item's: %v\n%s", p.done, n, has, mine, uitest.Text(rows))
		}
		if mine {
			marked++
		}
	}
	if it == nil || p.v.selection.away {
		return
	}
	high, all := 0, p.whole()
	for n := range all.rows {
		if i, ok := all.ItemAt(n); ok && i == it.Index {
			high++
		}
	}
	if marked != min(high, p.v.window.height) {
		p.t.Fatalf("after %v: %d of %d rows of item %d in sight, on %d:\n%s", p.done, marked, high, it.Index, p.v.window.height, uitest.Text(rows))
	}
}

// inV2 tells every other diff as an agent of v2 does, sometimes of another file
// than it should.
func inV2(e event.Event) event.Event {
	tool, ok := e.(event.ToolChanged)
	if !ok || tool.Content == nil {
		return e
	}
	content := slices.Clone(*tool.Content)
	for i, c := range content {
		if c.Diff == nil {
			continue
		}
		if len(c.Diff.New)%3 == 0 { // a language that has colours
			d := *c.Diff
			d.Path, d.New = d.Path+".go", "var a = 1 // one\n"+d.New
			content[i].Diff, c.Diff = &d, &d
		}
		if len(c.Diff.New)%2 == 0 {
			continue
		}
		patch := fmt.Sprintf("--- a/%s\n+++ b%s\n%s", c.Diff.Path, c.Diff.Path, textdiff.Unified(c.Diff.Old, c.Diff.New))
		content[i] = event.ToolContent{Changes: &event.Changes{PatchFormat: "git_patch", Patch: patch,
			Files: []event.FileChange{{Operation: "modify", Path: "/" + strings.TrimPrefix(c.Diff.Path, "/")}}}}
	}
	tool.Content = &content
	return tool
}

// play mixes events and operations. Every byte of ops belongs to one event.
func play(t *testing.T, events []event.Event, ops []byte) {
	events = slices.Clone(events)
	for i, e := range events {
		events[i] = inV2(e)
	}
	th := thread.New("s")
	p := &player{t: t, th: th, v: viewOf(th, "dark", 44, 11), now: threadtest.Start}
	for i, e := range events {
		p.done = append(p.done, fmt.Sprintf("%T", e)[len("event."):])
		p.v.Changed(th.Apply(e))
		if i < len(ops) {
			p.do(ops[i])
			if ops[i]%3 == 0 {
				continue // several changes in one frame
			}
		}
		p.compare()
	}
	p.compare()
}

// Any order of updates, scrolls and sizes: the view that grew and one made
// afresh show the same. A step is short, so that there can be many; long sequences
// are TestIncrementalIsFresh's.
func FuzzView(f *testing.F) {
	for seed := range uint64(8) {
		data, ops := noise(seed, 24), noise(seed+100, 8)
		f.Add(data, ops)
	}
	f.Fuzz(func(t *testing.T, data, ops []byte) {
		play(t, threadtest.Events(data[:min(len(data), 48)]), ops[:min(len(ops), 16)])
	})
}

func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.Uint32())
	}
	return out
}

func TestIncrementalIsFresh(t *testing.T) {
	for seed := range uint64(seeds.Of(100)) {
		play(t, threadtest.Events(noise(seed, 900)), noise(seed+1000, 150))
	}
}
