package transcript

import (
	"fmt"
	"strings"
	"testing"

	"parley/acpclient/thread"
	"parley/internal/tty"
	"parley/ui/theme"
)

// laid are rows that are as they are given: those of each segment of each item. An
// item whose first row is blank has a gap before it.
type laid [][][]string

func (w laid) items() (items []*thread.Item) {
	for i, segs := range w {
		it := &thread.Item{Index: i, Kind: thread.AgentMessage}
		for _, rows := range segs {
			it.Text = append(it.Text, strings.Join(rows, "\n")+"\n"...)
		}
		items = append(items, it)
	}
	return items
}
func (w laid) segments(i int) int           { return len(w[i]) }
func (w laid) segment(i, k int) []string    { return w[i][k] }
func (w laid) span(i, k int) (from, to int) { return 0, 0 }
func (w laid) shown(int) extent             { return extent{} }

func (w laid) gap(i int) int {
	if rows := w[i][0]; len(rows) > 0 && rows[0] == "" {
		return 1
	}
	return 0
}

func (w laid) text(i, k int) *textMap {
	m := &textMap{}
	for n, row := range w[i][k] {
		if n < w.gap(i) && k == 0 {
			m.rows = append(m.rows, textRow{line: -1})
			continue
		}
		m.rows = append(m.rows, textRow{line: len(m.lines), to: len(row)})
		m.lines = append(m.lines, textLine{key: lineKey{n, 0}, text: row, sought: true})
	}
	return m
}

// stack is a transcript of items of so many rows, each row saying where it is.
func stack(sizes ...int) laid {
	var w laid
	for i, n := range sizes {
		var rows []string
		for row := range n {
			rows = append(rows, fmt.Sprintf("item %d row %d", i, row))
		}
		half := n / 2
		w = append(w, [][]string{rows[:half], rows[half:]})
	}
	return w
}

func windowOf(w laid, height int) *window { return &window{track: track{w}, height: height} }

// sight is what a window shows.
func sight(w *window) string {
	var rows []string
	for _, r := range w.visible() {
		rows = append(rows, r...)
	}
	return strings.Join(rows, "\n")
}

func expectSight(t *testing.T, w *window, first, last string) {
	t.Helper()
	rows := strings.Split(sight(w), "\n")
	if rows[0] != first || rows[len(rows)-1] != last {
		t.Errorf("in sight from %q to %q, want %q to %q", rows[0], rows[len(rows)-1], first, last)
	}
}

func TestWindowScrolls(t *testing.T) {
	w := windowOf(stack(4, 1, 7, 3), 5)
	expectSight(t, w, "item 0 row 0", "item 1 row 0")
	w.scroll(3)
	expectSight(t, w, "item 0 row 3", "item 2 row 2")
	if w.scroll(-9); (w.top != place{}) {
		t.Errorf("above the beginning: %v", w.top)
	}
	if w.scroll(9) {
		t.Error("says that row 13 of 15 is the end")
	}
	if !w.scroll(1) {
		t.Error("does not say that the end was reached")
	}
	expectSight(t, w, "item 2 row 5", "item 3 row 2")
}

func TestWindowFollowsTheEnd(t *testing.T) {
	w := windowOf(stack(4, 6), 3)
	w.follow = true
	w.reposition()
	expectSight(t, w, "item 1 row 3", "item 1 row 5")
	w.track = track{stack(4, 9)}
	w.reposition()
	expectSight(t, w, "item 1 row 6", "item 1 row 8")
	w.unfollow()
	w.track = track{stack(4, 9, 5)}
	w.reposition()
	expectSight(t, w, "item 1 row 6", "item 1 row 8")
	if w.leftAt != 2 {
		t.Errorf("left at item %d", w.leftAt)
	}
	w.track = track{stack(4, 2)} // what stood at the top is gone
	w.reposition()
	expectSight(t, w, "item 1 row 1", "item 1 row 1")
	w.fill()
	expectSight(t, w, "item 0 row 3", "item 1 row 1")
}

func TestWindowReveals(t *testing.T) {
	for _, c := range []struct {
		item        int
		first, last string
	}{
		{0, "item 0 row 0", "item 1 row 1"}, // all of it is in sight
		{1, "item 0 row 1", "item 1 row 2"}, // scrolled by one row
		{2, "item 2 row 0", "item 2 row 3"}, // higher than the window: nothing but it
		{3, "item 2 row 5", "item 3 row 1"},
	} {
		w := windowOf(stack(2, 3, 7, 2, 9), 4)
		if w.reveal(c.item); !w.shows(c.item) {
			t.Errorf("item %d is not shown", c.item)
		}
		expectSight(t, w, c.first, c.last)
	}
}

func TestWindowSeesItems(t *testing.T) {
	w := windowOf(laid{{{"a"}}, {{"", "b", "b"}}, {{}}, {{"", "c"}}}, 2)
	for _, c := range []struct {
		row  place
		seen string
		last int
	}{{place{}, "[0]", 0}, {place{1, 0, 0}, "[1]", 1}, {place{1, 0, 2}, "[1]", 1}, {place{3, 0, 1}, "[3]", 3}} {
		w.top = c.row
		if seen := fmt.Sprint(w.seen()); seen != c.seen || w.lastSeen() != c.last {
			t.Errorf("from %v: sees %s, the last is %d", c.row, seen, w.lastSeen())
		}
	}
}

func TestSelectionSteps(t *testing.T) {
	w := windowOf(stack(2, 9, 2), 4)
	s := selection{item: -1}
	s.begin(w)
	for _, c := range []struct {
		by          Step
		item        int
		first, last string
	}{
		{Next, 1, "item 1 row 0", "item 1 row 3"},
		{Next, 1, "item 1 row 1", "item 1 row 4"}, // through what is higher than the window
		{HalfPageDown, 1, "item 1 row 3", "item 1 row 6"},
		{Last, 2, "item 1 row 7", "item 2 row 1"},
		{Next, 2, "item 1 row 7", "item 2 row 1"},
		{ToTop, 2, "item 1 row 7", "item 2 row 1"}, // nothing is left below it
		{First, 0, "item 0 row 0", "item 1 row 1"},
		{HalfPageUp, 0, "item 0 row 0", "item 1 row 1"},
		{NextPrompt, 0, "item 0 row 0", "item 1 row 1"}, // there is none
	} {
		s.step(w, c.by)
		if s.reposition(w); s.item != c.item {
			t.Errorf("step %d selects item %d, want %d", c.by, s.item, c.item)
		}
		expectSight(t, w, c.first, c.last)
	}
}

// What is selected is in sight, unless the reader has scrolled; where it is gone
// the one after it is selected.
func TestSelectionSettles(t *testing.T) {
	w := windowOf(stack(2, 2, 2, 2, 2, 2), 4)
	s := selection{on: true, item: 0, away: true}
	w.scroll(5)
	s.reposition(w)
	expectSight(t, w, "item 2 row 1", "item 4 row 0")
	s.away = false
	s.reposition(w)
	expectSight(t, w, "item 0 row 0", "item 1 row 1")
	w.track = track{stack(0, 2, 2)}
	if s.reposition(w); s.item != 1 {
		t.Errorf("item %d is selected", s.item)
	}
}

func TestDragTakesText(t *testing.T) {
	w := windowOf(laid{{{"one", "two"}, {"three"}}, {{"", "four"}}}, 9)
	at := func(p place, cell int) point {
		pt, ok := pointAt(w.track, p, cell)
		if !ok {
			t.Fatalf("nothing at %v", p)
		}
		return pt
	}
	for _, c := range []struct {
		from, to         place
		fromCell, toCell int
		want             string
	}{
		{place{0, 0, 0}, place{0, 0, 0}, 1, 2, "ne"},
		{place{0, 0, 1}, place{0, 1, 0}, 1, 1, "wo\nth"},
		{place{0, 1, 0}, place{0, 0, 1}, 1, 1, "wo\nth"}, // backwards
		{place{0, 1, 0}, place{1, 0, 1}, 2, 0, "ree\n\nf"},
		{place{0, 0, 0}, place{1, 0, 1}, 0, 0, "one\ntwo\nthree\n\nf"},
	} {
		d := drag{on: true, anchor: at(c.from, c.fromCell), head: at(c.to, c.toCell)}
		if got := d.text(w.track); got != c.want {
			t.Errorf("from %v to %v: %q, want %q", c.from, c.to, got, c.want)
		}
	}
	th := theme.For("dark", tty.Colours{Dark: true})
	d := drag{on: true, anchor: at(place{0, 0, 1}, 1), head: at(place{0, 1, 0}, 1)}
	rows := []string{"one", "two"}
	if d.paint(w.track, place{}, rows, th); rows[0] != "one" || rows[1] != "t"+th.Selected.Paint("wo") {
		t.Errorf("painted %q", rows)
	}
}

func TestFindingPlaces(t *testing.T) {
	w := windowOf(laid{{{"a b", "b"}, {"b a"}}, {{"", "a"}}}, 9)
	f := newFinding("b")
	for n, want := range []place{{0, 0, 0}, {0, 0, 1}, {0, 1, 0}} {
		f.now = current{item: 0, seg: n / 2, n: n % 2}
		if p, ok := f.place(w.track); !ok || p != want {
			t.Errorf("match %d is at %v", n, p)
		}
	}
	f.now = current{item: 1}
	if p, ok := f.place(w.track); ok {
		t.Errorf("a match at %v", p)
	}
	th := theme.For("dark", tty.Colours{Dark: true})
	rows := []string{"a b", "b"}
	f.now = current{n: 1}
	f.paint(w.track, place{}, rows, th)
	if !strings.Contains(rows[0], th.Match.On()) || !strings.Contains(rows[1], th.Selected.On()) {
		t.Errorf("painted %q", rows)
	}
}

// The reader stays as far into a paragraph whether it gets longer or shorter.
func TestWindowKeepsItsPlaceInASegment(t *testing.T) {
	for _, c := range []struct{ before, row, after, want int }{{7, 3, 14, 6}, {14, 10, 7, 5}, {14, 13, 2, 1}, {5, 0, 9, 0}} {
		w := windowOf(stack(0, 2*c.before, 30), 4)
		w.top = place{1, 1, c.row}
		if w.relayout(func() { w.track = track{stack(0, 2*c.after, 30)} }); w.top != (place{1, 1, c.want}) {
			t.Errorf("row %d of %d became row %d of %d, want %d", c.row, c.before, w.top.row, c.after, c.want)
		}
	}
}
