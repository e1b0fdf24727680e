package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/glyphs"
	"parley/ui/uitest"
)

func atEnd(v *View) bool {
	v.Rows()
	return v.window.atEnd()
}

// move steps to the n-th item after the selected one, or before it (n < 0).
func move(v *View, n int) { steps(v, n, Next, Previous) }

func movePrompt(v *View, n int) { steps(v, n, NextPrompt, PreviousPrompt) }

func halfPage(v *View, n int) { steps(v, n, HalfPageDown, HalfPageUp) }

func steps(v *View, n int, forth, back Step) {
	if n < 0 {
		n, forth = -n, back
	}
	for range n {
		v.Step(forth)
	}
}

// at returns the index of the selected item, -1 for none.
func at(v *View) int {
	if it := v.Selected(); it != nil {
		return it.Index
	}
	return -1
}

// marked returns the rows that carry the bar.
func marked(v *View) []int {
	var out []int
	for n, r := range v.Rows() {
		if strings.HasPrefix(ansi.Strip(r), bar) {
			out = append(out, n)
		}
	}
	return out
}

func TestSelectionGolden(t *testing.T) {
	for width, name := range map[int]string{40: "plain", 80: "dark", 120: "plain"} {
		v := viewOf(uitest.Gallery(), name, width, 14)
		v.Home()
		v.Select(true)
		var rows []string
		for range 4 { // the answer, the thought, the prompt; and from the end on
			colour(v)
			rows = append(rows, v.Rows()...)
			rows = append(rows, "--")
			move(v, -1)
		}
		v.Step(Last)
		movePrompt(v, -1)
		colour(v)
		rows = append(rows, v.Rows()...)
		uitest.Golden(t, fmt.Sprintf("selection/%d-%s", width, name), rows)
	}
}

// The selection takes the first cell of each of its rows and nothing else, and
// goes through all there is.
func TestSelectionMarks(t *testing.T) {
	for _, name := range []string{"plain", "dark"} {
		v := viewOf(uitest.Gallery(), name, 60, 4000)
		plain := slices.Clone(v.Rows())
		v.Select(true)
		v.Step(First)
		seen, last := 0, -1
		for ; at(v) != last; move(v, 1) {
			last = at(v)
			for n, r := range v.Rows() {
				if r == plain[n] {
					continue
				}
				seen++
				before, after := ansi.Strip(plain[n]), ansi.Strip(r)
				if before == "" {
					before = " "
				}
				_, cell := utf8.DecodeRuneInString(before)
				if after != bar+before[cell:] || glyphs.Width(before) != glyphs.Width(after) {
					t.Fatalf("item %d: %q became %q", last, plain[n], r)
				}
				if i, ok := v.ItemAt(n); !ok || i != last {
					t.Fatalf("row %d is marked for item %d but is item %d's (%v)", n, last, i, ok)
				}
			}
		}
		gaps := 0
		for n := range plain {
			if _, ok := v.ItemAt(n); !ok {
				gaps++
			}
		}
		if seen != len(plain)-gaps || gaps < 5 {
			t.Errorf("%d rows were marked of %d, %d gaps", seen, len(plain), gaps)
		}
		v.Select(false)
		if !slices.Equal(v.Rows(), plain) {
			t.Error("a mark stays")
		}
	}
}

// conversation has a prompt, an answer and a tool call in each turn.
func conversation(turns int) *thread.Thread {
	th := thread.New("s")
	kind, status, title := "execute", "completed", "make"
	for i := range turns {
		th.Apply(event.TurnStarted{For: in, Text: fmt.Sprintf("prompt %d", i), At: uitest.Start})
		th.Apply(event.TextArrived{For: in, MessageID: fmt.Sprint(i), Text: fmt.Sprintf("answer %d", i)})
		th.Apply(event.ToolChanged{For: in, ID: fmt.Sprint(i), Kind: &kind, Status: &status, Title: &title, Content: &[]event.ToolContent{{Content: &event.Content{Text: strings.Repeat("out\n", 30)}}}})
		th.Apply(event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Now})
	}
	return th
}

// The selection begins where the reader is, and leaving it scrolls nothing.
func TestSelectBegins(t *testing.T) {
	th := conversation(10)
	v := viewOf(th, "plain", 60, 20)
	if v.Selected() != nil || v.selection.on {
		t.Error("something is selected from the start")
	}
	before := textOf(v)
	v.Select(true)
	if at(v) != 38 || !v.selection.on || v.Following() {
		t.Errorf("item %d, following %v", at(v), v.Following())
	}
	v.Select(false)
	if v.Selected() != nil || !v.Following() || textOf(v) != before {
		t.Errorf("following %v after a look at the end\n%s", v.Following(), textOf(v))
	}
	v.Page(-2)
	v.Rows()
	top := v.window.top
	v.Select(true)
	i := at(v)
	if v.Rows(); v.window.top != top || i < 0 || len(marked(v)) == 0 {
		t.Errorf("item %d, scrolled from %v to %v", i, top, v.window.top)
	}
	fresh := viewOf(th, "plain", 60, 20)
	fresh.Home()
	fresh.Select(true)
	if fresh.Rows(); at(fresh) != 5 || fresh.window.top != (place{}) {
		t.Errorf("at the beginning: item %d, scrolled to %v", at(fresh), fresh.window.top)
	}
	move(v, -1)
	i = at(v)
	v.Select(false)
	v.Select(true)
	if at(v) != i {
		t.Errorf("returns to %d, want %d, which is in sight", at(v), i)
	}
	v.Select(false)
	v.Home()
	if v.Select(true); at(v) == i || len(marked(v)) == 0 {
		t.Errorf("returns to %d, which is out of sight", at(v))
	}
	top = v.window.top
	v.Select(false)
	if v.Rows(); v.Following() || v.window.top != top {
		t.Error("leaving the selection scrolls")
	}
}

// While something is selected the view stays when items are added; and it follows
// the end again when the reader leaves the selection at the end.
func TestSelectionStopsFollowing(t *testing.T) {
	th := conversation(10)
	v := viewOf(th, "plain", 60, 20)
	v.Select(true)
	before := textOf(v)
	for i := range 30 {
		v.Changed(th.Apply(event.TextArrived{For: in, MessageID: "new", Text: fmt.Sprintf("word %d\n\n", i)}))
		if textOf(v) != before {
			t.Fatalf("scrolled:\n%s", textOf(v))
		}
	}
	if v.NewItems() != 1 || v.Following() {
		t.Errorf("%d below, following %v", v.NewItems(), v.Following())
	}
	v.Scroll(1000)
	if v.Rows(); v.Following() || len(marked(v)) != 0 {
		t.Errorf("following %v\n%s", v.Following(), textOf(v))
	}
	v.Home()
	v.End()
	if got := textOf(v); v.Following() || !strings.HasSuffix(got, "word 29") {
		t.Errorf("the end:\n%s", got)
	}
	if v.Select(false); !v.Following() {
		t.Error("the end is in sight and not followed")
	}
	v.Select(true)
	if !atEnd(v) {
		t.Error("the view is not at its end")
	}
	if v.Step(First); at(v) != 0 || atEnd(v) || v.window.top != (place{}) {
		t.Errorf("first: %d at %v", at(v), v.window.top)
	}
	if v.Select(false); v.Following() {
		t.Error("follows from the beginning")
	}
}

// A step brings the next item into sight, no further than it must; an item
// that is higher than the page is gone through row by row.
func TestMove(t *testing.T) {
	th := conversation(3)
	text := strings.TrimSuffix(strings.Repeat("a paragraph\n\n", 20), "\n\n") // 39 rows
	th.Apply(event.TextArrived{For: in, MessageID: "high", Text: text})
	th.Apply(event.TurnStarted{For: in, Text: "after it", At: uitest.Start})
	v := viewOf(th, "plain", 60, 14)
	v.Select(true)
	v.Step(First)
	for want := range 3 {
		if at(v) != want || !v.window.shows(want) {
			t.Fatalf("item %d, not %d", at(v), want)
		}
		move(v, 1)
	}
	v.SelectItem(10) // the last tool call before the message
	high := 12
	move(v, 1)
	if at(v) != high || v.window.top != v.window.start(high) {
		t.Fatalf("item %d, top %v: the beginning of what is higher than the page", at(v), v.window.top)
	}
	for n := 1; n <= 25; n++ {
		before := v.window.top
		if move(v, 1); at(v) != high || v.window.top != v.window.move(before, 1) || len(marked(v)) != 14 {
			t.Fatalf("step %d: item %d, from %v to %v", n, at(v), before, v.window.top)
		}
	}
	if move(v, 1); at(v) != high+1 || !slices.Equal(marked(v), []int{13}) {
		t.Fatalf("after it: item %d\n%s", at(v), textOf(v))
	}
	if move(v, -1); at(v) != high || len(marked(v)) != 14 {
		t.Fatalf("back: item %d\n%s", at(v), textOf(v))
	}
	if move(v, -25); at(v) != high || v.window.top != v.window.start(high) {
		t.Fatalf("back at the beginning: item %d at %v", at(v), v.window.top)
	}
	if move(v, -1); at(v) != 10 {
		t.Fatalf("before it: item %d", at(v))
	}
	move(v, -1000)
	if at(v) != 0 {
		t.Errorf("the first: %d", at(v))
	}
	move(v, 1000)
	if at(v) != high+1 {
		t.Errorf("the last: %d", at(v))
	}
}

// The last item shows its end, the first its beginning, however high they are.
func TestSelectEnds(t *testing.T) {
	th := thread.New("s")
	for _, name := range []string{"first", "last"} {
		th.Apply(event.TextArrived{For: in, MessageID: name, Text: strings.ReplaceAll(numbers(30), "line", name+"\n\nline")})
	}
	v := viewOf(th, "plain", 60, 14)
	v.Select(true)
	v.Step(First)
	if got := textOf(v); !strings.HasPrefix(got, "┃ first\n") {
		t.Errorf("the first:\n%s", got)
	}
	v.Step(Last)
	if got := textOf(v); !strings.HasSuffix(got, "┃ line 30") {
		t.Errorf("the last:\n%s", got)
	}
}

func TestMovePrompt(t *testing.T) {
	th := conversation(5)
	v := viewOf(th, "plain", 60, 12)
	v.Select(true)
	var got []int
	for range 6 {
		movePrompt(v, -1)
		got = append(got, at(v))
		if len(marked(v)) != 1 {
			t.Errorf("a prompt out of sight:\n%s", textOf(v))
		}
	}
	movePrompt(v, 2)
	got = append(got, at(v))
	move(v, 1)
	movePrompt(v, -1)
	got = append(got, at(v))
	movePrompt(v, 9)
	if got = append(got, at(v)); !slices.Equal(got, []int{16, 12, 8, 4, 0, 0, 8, 8, 16}) {
		t.Errorf("got %v", got)
	}
}

// Half a page takes the selection along, and goes from end to end.
func TestMoveHalfPage(t *testing.T) {
	v := viewOf(conversation(12), "plain", 60, 16)
	v.Select(true)
	v.Step(First)
	steps := 0
	for last := -1; at(v) != 46; steps++ {
		if halfPage(v, 1); at(v) < last || steps > 60 {
			t.Fatalf("from %d to %d", last, at(v))
		}
		last = at(v)
	}
	if steps < 15 {
		t.Errorf("%d half pages", steps)
	}
	for range steps + 1 {
		halfPage(v, -1)
	}
	if at(v) != 0 || v.window.top != (place{}) {
		t.Errorf("item %d at %v", at(v), v.window.top)
	}
}

// A click selects what it falls upon; between two items it selects nothing.
func TestItemAt(t *testing.T) {
	v := viewOf(conversation(2), "plain", 60, 100)
	for n, r := range v.Rows() {
		i, ok := v.ItemAt(n)
		if ok == (ansi.Strip(r) == "") {
			t.Errorf("row %d %q: item %d, %v", n, r, i, ok)
		}
		if !ok {
			continue
		}
		if v.SelectItem(i); at(v) != i || !slices.Contains(marked(v), n) {
			t.Errorf("row %d: item %d selected, not %d", n, at(v), i)
		}
	}
	for _, n := range []int{-1, len(v.Rows()), 1000} {
		if _, ok := v.ItemAt(n); ok {
			t.Errorf("an item at row %d", n)
		}
	}
	was := at(v)
	for _, i := range []int{-1, 3, 1000} { // 3 is the silent end of a turn
		if v.SelectItem(i); at(v) != was {
			t.Errorf("item %d selected", at(v))
		}
	}
}

// The selection stays with its item, in sight, while everything around it
// changes; when the item is emptied it goes to the next one.
func TestSelectionIsPinned(t *testing.T) {
	th := conversation(8)
	v := viewOf(th, "plain", 80, 24)
	v.Select(true)
	v.SelectItem(14)
	for _, size := range [][2]int{{40, 12}, {120, 40}, {30, 14}, {200, 13}, {80, 12}} {
		v.SetSize(size[0], size[1])
		if at(v) != 14 || !v.window.shows(14) {
			t.Errorf("%v: item %d\n%s", size, at(v), textOf(v))
		}
		for range 3 {
			v.SetDensity((v.Density() + 1) % 3)
			if at(v) != 14 || len(marked(v)) == 0 {
				t.Errorf("%v %v: item %d\n%s", size, v.Density(), at(v), textOf(v))
			}
		}
	}
	v.SelectItem(13)
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "3"}))
	if at(v) != 14 || len(marked(v)) == 0 {
		t.Errorf("item %d after the selected one was emptied", at(v))
	}
}

// Without items, or without room, selecting is no harm; and what comes first
// is selected.
func TestSelectNothing(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 40, 5)
	all := func() {
		for _, on := range []bool{true, false, true} {
			v.Select(on)
			move(v, 1)
			movePrompt(v, -1)
			halfPage(v, 1)
			v.Step(First)
			v.Step(Last)
			v.SelectItem(0)
			v.Toggle()
			v.ItemAt(0)
			v.End()
			v.Rows()
		}
	}
	if all(); v.Selected() != nil {
		t.Error("selected from nothing")
	}
	v.Changed(th.Apply(says("hello")))
	if at(v) != 0 || len(marked(v)) != 1 {
		t.Errorf("item %d", at(v))
	}
	for _, size := range [][2]int{{0, 0}, {40, 0}, {0, 5}, {1, 1}, {2, 1}} {
		v.SetSize(size[0], size[1])
		all()
	}
}

// The work of the selection is bounded by the screen.
func TestSelectionWork(t *testing.T) {
	th := long(10_000)
	th.Apply(event.TextArrived{For: in, MessageID: "9999", Text: strings.Repeat("\n\nanother paragraph of a long message", 20_000)})
	v := viewOf(th, "dark", 80, 24)
	work := bounding(t, v)
	work("the first screen", 30, func() {})
	work("selecting", 30, func() { v.Select(true) })
	work("a step in a long message", 5, func() { move(v, -1) })
	work("closing it", 60, func() { v.Toggle() })
	work("a step", 5, func() { move(v, -1) })
	work("opening it", 90, func() { move(v, 1); v.Toggle() })
	work("a chunk", 2, func() { v.Changed(th.Apply(event.TextArrived{For: in, MessageID: "9999", Text: "more "})) })
	work("the first", 60, func() { v.Step(First) })
	work("another width", 90, func() { v.SetSize(100, 24) })
	work("the last", 60, func() { v.Step(Last) })
}
