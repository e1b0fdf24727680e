package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/tty"
	"parley/ui/theme"
	"parley/ui/uitest"
)

var in = event.For{Session: "s"}

func says(text string) event.Event {
	return event.TextArrived{For: in, MessageID: "m", Text: text}
}

// viewOf is a view of th with its clock stopped at the end of the gallery.
func viewOf(th *thread.Thread, name string, width, height int) *View {
	v := New(th, uitest.Dir, theme.For(name, tty.Colours{Dark: true}))
	v.SetSize(width, height)
	v.Tick(uitest.Now)
	return v
}

// One of everything: a screen that is not high enough shows the end of what one
// that is shows.
func TestEndOfEverything(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {160, 50}} {
		for _, name := range theme.Names() {
			for _, d := range []Density{Normal, Everything, Quiet} {
				v := viewOf(uitest.Gallery(), name, size[0], 2000)
				v.SetDensity(d)
				colour(v)
				whole := slices.Clone(v.Rows())
				uitest.CheckRows(t, whole, size[0])
				v.SetSize(size[0], size[1])
				if got := v.Rows(); !slices.Equal(got, whole[len(whole)-size[1]:]) {
					t.Errorf("%v %s %s: the last rows are not the end of all rows:\n%s", size, name, d, uitest.Text(got))
				}
			}
		}
	}
}

// The same conversation on the narrowest screens there are.
func TestNarrow(t *testing.T) {
	for width := 20; width < 40; width++ {
		for _, d := range []Density{Normal, Everything, Quiet} {
			v := viewOf(uitest.Gallery(), "dark", width, 3000)
			v.SetDensity(d)
			uitest.CheckRows(t, v.Rows(), width)
		}
	}
}

// Case 193: control sequences in a string have no effect, whatever the field, even
// if the string was not cleaned before.
func TestHostileStrings(t *testing.T) {
	for _, h := range []string{"\x1b]52;c;aGk=\a", "\x1b[2J\x1b[H", "a\rb", "a\nb", "\x1b]8;;http://x\x1b\\y", "\x9b31m", "\x1bPq\x1b\\", "\b\b\b", "x\ty", "\x00", "\xff", strings.Repeat("w", 300)} {
		th := thread.New("s")
		for _, e := range []event.Event{
			event.TurnStarted{For: in, Text: h, At: uitest.Start},
			event.TextArrived{For: in, Role: event.Thought, Text: h, At: uitest.Start},
			event.TextArrived{For: in, Text: h},
			event.ToolChanged{For: in, ID: "a", Title: &h, Name: &h, Kind: &h, Status: &h, RawInput: &h, RawOutput: &h},
			event.ToolChanged{For: in, ID: "b", Title: &h, Locations: &[]event.Location{{Path: h}}, Content: &[]event.ToolContent{
				{Diff: &event.Diff{Path: h, Old: h + "\n", New: "x" + h}}, {Terminal: h}, {Content: &event.Content{Text: h}}, {Content: &event.Content{Kind: event.LinkContent, Name: h, URI: h}}}},
			event.TerminalOutput{For: in, ID: h, Data: []byte(h)},
			event.TerminalExited{For: in, ID: h, Signal: h},
			event.PermissionAnswered{For: in, Subject: h, Decision: h, By: h},
			event.ContentArrived{For: in, Content: event.Content{Kind: event.ImageContent, Name: h, MimeType: h}},
			event.CompactionChanged{For: in, Summary: &h, Error: &h},
			event.SubagentChanged{For: in, Title: &h, Description: &h, State: &h, StopReason: h}, event.NoticeArrived{For: in, Severity: h, Title: h, Description: h},
			event.UnknownArrived{For: in, Kind: h, JSON: h},
			event.TurnEnded{For: in, StopReason: h},
			event.TurnEnded{For: in, Err: &event.AgentError{Message: h, Detail: h}},
			event.TurnEnded{For: in, Err: &event.ExitError{Code: -1, Signal: h, Stderr: []string{h}}},
		} {
			th.Apply(e)
		}
		for _, width := range []int{20, 40, 80} {
			for _, d := range []Density{Normal, Everything, Quiet} {
				v := viewOf(th, "dark", width, 3000)
				v.SetDensity(d)
				uitest.CheckRows(t, v.Rows(), width)
			}
		}
	}
}

// long is a conversation of numbered messages.
func long(items int) *thread.Thread {
	th := thread.New("s")
	for i := range items {
		th.Apply(event.TextArrived{For: in, MessageID: fmt.Sprint(i), Text: fmt.Sprintf("message number %d goes on for more than one row so that widths matter to it.\n\nIts second paragraph.", i)})
	}
	return th
}

// A reader who has scrolled up sees the same while text streams in below, and
// how many items that was.
func TestPlaceIsPinned(t *testing.T) {
	th := long(50)
	v := viewOf(th, "plain", 40, 12)
	v.Rows()
	v.Page(-3)
	before := uitest.Text(v.Rows())
	for i := range 300 {
		v.Changed(th.Apply(says(fmt.Sprintf("word %d ", i))))
		if i%10 == 0 {
			v.Changed(th.Apply(event.UnknownArrived{For: in, Kind: "k"}))
		}
		if got := uitest.Text(v.Rows()); got != before {
			t.Fatalf("after %d chunks:\n%s\nbefore:\n%s", i, got, before)
		}
	}
	if v.Following() || v.NewItems() != 31 {
		t.Errorf("following %v, %d new", v.Following(), v.NewItems())
	}
	v.End()
	if got := uitest.Text(v.Rows()); !v.Following() || v.NewItems() != 0 || !strings.Contains(got, "· an update of a kind") && !strings.Contains(got, "word 299") {
		t.Errorf("the end:\n%s", got)
	}
}

// The paragraph at the top stays at the top when the width changes.
func TestPlaceSurvivesResizing(t *testing.T) {
	th := thread.New("s")
	for i := range 60 {
		th.Apply(event.TextArrived{For: in, MessageID: fmt.Sprint(i), Text: fmt.Sprintf("start%d ", i) + strings.Repeat("and so on and on ", 30)})
	}
	v := viewOf(th, "plain", 80, 24)
	v.Rows()
	v.Scroll(-200)
	item := v.window.top.item
	for _, width := range []int{40, 160, 55, 30, 80, 200, 80} {
		v.SetSize(width, 24)
		v.Rows()
		if v.window.top.item != item || v.Following() {
			t.Fatalf("at %d the item at the top is %d, not %d", width, v.window.top.item, item)
		}
	}
	v = viewOf(th, "plain", 80, 24)
	v.Home()
	for range 3 { // half way through the first message
		v.Scroll(1)
	}
	v.Rows()
	v.SetSize(40, 24)
	v.Rows()
	if v.window.top.item != 0 || v.window.top.row < 5 || v.window.top.row > 9 {
		t.Errorf("row 3 of 7 became row %d of 14", v.window.top.row)
	}
}

// Scrolling goes through all rows, without a jump, and ends by following.
func TestScroll(t *testing.T) {
	v := viewOf(uitest.Gallery(), "plain", 60, 4000)
	whole := slices.Clone(v.Rows())
	v.SetSize(60, 15)
	v.Rows()
	for top := len(whole) - 16; top >= 0; top-- {
		v.Scroll(-1)
		if got := v.Rows(); !slices.Equal(got, whole[top:top+15]) {
			t.Fatalf("at row %d:\n%s\nwant\n%s", top, uitest.Text(got), uitest.Text(whole[top:top+15]))
		}
	}
	v.Scroll(-5)
	if got := v.Rows(); !slices.Equal(got, whole[:15]) {
		t.Errorf("above the beginning:\n%s", uitest.Text(got))
	}
	for top := 1; top <= len(whole)-15; top++ {
		if v.Following() {
			t.Fatalf("follows at row %d of %d", top, len(whole)-15)
		}
		v.Scroll(1)
		if got := v.Rows(); !slices.Equal(got, whole[top:top+15]) {
			t.Fatalf("down at row %d:\n%s\nwant\n%s", top, uitest.Text(got), uitest.Text(whole[top:top+15]))
		}
	}
	if !v.Following() {
		t.Error("does not follow at the end")
	}
	v.Home()
	if got := v.Rows(); !slices.Equal(got, whole[:15]) {
		t.Errorf("home:\n%s", uitest.Text(got))
	}
}

// Scrolling before there is anything changes nothing.
func TestEmpty(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 40, 5)
	v.Scroll(-3)
	v.Home()
	v.Page(-1)
	if rows := v.Rows(); len(rows) != 0 || !v.Following() {
		t.Errorf("rows %q, following %v", rows, v.Following())
	}
	for i := range 30 {
		v.Changed(th.Apply(says(fmt.Sprintf("paragraph %d\n\n", i))))
	}
	if got := uitest.Text(v.Rows()); !strings.Contains(got, "paragraph 29") {
		t.Errorf("the end is not in sight:\n%s", got)
	}
}

// bounding returns a function that checks how many segments a step renders.
func bounding(t *testing.T, v *View) func(what string, most int, do func()) {
	return func(what string, most int, do func()) {
		t.Helper()
		before := v.layout.rendered
		do()
		v.Rows()
		if n := v.layout.rendered - before; n > most {
			t.Errorf("%s rendered %d segments", what, n)
		}
	}
}

// Only what is seen is rendered, and only what changed is rendered again.
func TestWorkIsBoundedByTheScreen(t *testing.T) {
	th := long(10_000)
	v := viewOf(th, "dark", 80, 24)
	work := bounding(t, v)
	work("the first screen", 30, func() {})
	work("the same again", 0, func() {})
	work("a chunk", 2, func() { v.Changed(th.Apply(event.TextArrived{For: in, MessageID: "9999", Text: "more "})) })
	work("a page", 30, func() { v.Page(-1) })
	work("a chunk out of sight", 0, func() { v.Changed(th.Apply(event.TextArrived{For: in, MessageID: "9999", Text: "more\n\nmore "})) })
	work("the beginning", 30, func() { v.Home() })
	work("a tick without motion", 0, func() { v.Tick(uitest.Now) })
	work("another width", 60, func() { v.SetSize(100, 24) })
	work("another density", 30, func() { v.SetDensity(Everything) })
	work("the end", 30, func() { v.End() })
	for range 2000 {
		v.Page(-1)
		v.Rows()
	}
	if n := v.weighed(); n > maxCached+100_000 {
		t.Errorf("%d bytes of rows kept", n)
	}
}

// A view that shows nothing live is not drawn again by the clock.
func TestTick(t *testing.T) {
	th := long(3)
	v := viewOf(th, "plain", 60, 20)
	v.Rows()
	if v.Tick(uitest.Now); v.dirty {
		t.Error("drawn again without motion")
	}
	pending := "in_progress"
	v.Changed(th.Apply(event.TurnStarted{For: in, Text: "p", At: uitest.Start}))
	v.Changed(th.Apply(event.ToolChanged{For: in, ID: "t", Status: &pending, At: uitest.Start}))
	before := uitest.Text(v.Rows())
	if v.Tick(uitest.Now.Add(5e9)); uitest.Text(v.Rows()) == before {
		t.Error("the clock does not move")
	}
	v.Changed(th.Apply(event.TurnEnded{For: in, StopReason: "end_turn", At: uitest.Now}))
	v.Rows()
	if v.Tick(uitest.Now); v.dirty {
		t.Error("the clock still runs after the turn")
	}
}

// The end is in sight as long as the last entry that shows anything is.
func TestEndInSight(t *testing.T) {
	v := viewOf(uitest.Gallery(), "dark", 80, 24)
	if !v.EndInSight() {
		t.Error("the end is not in sight at first")
	}
	if v.Home(); v.EndInSight() {
		t.Error("it is in sight at the beginning")
	}
	if v.End(); !v.EndInSight() {
		t.Error("it is not in sight at the end")
	}
}
