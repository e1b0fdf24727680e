package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/uitest"
)

// closable has one of each kind of item that can be opened or closed.
func closable() *thread.Thread {
	th := thread.New("s")
	th.Apply(event.HistoryBegan{For: in}) // what was asked then is unknown
	kind, title, done, failed := "execute", "make", "completed", "failed"
	out := &[]event.ToolContent{{Content: &event.Content{Text: numbers(30)}}}
	for _, e := range []event.Event{
		event.TurnStarted{For: in, Text: strings.TrimSpace(numbers(20)), At: uitest.Start},
		event.TextArrived{For: in, Role: event.Thought, Text: "first idea\nsecond idea", At: uitest.Start},
		event.TextArrived{For: in, MessageID: "m", Text: "# Head\n\nA paragraph\nof two lines.\n\n- one\n- two\n"},
		event.ToolChanged{For: in, ID: "done", Kind: &kind, Status: &done, Title: &title, Content: out},
		event.ToolChanged{For: in, ID: "failed", Kind: &kind, Status: &failed, Title: &title, Content: out},
		event.PermissionAnswered{For: in, Subject: "make", Decision: "Allow once", Allowed: true, By: "you", At: uitest.Start},
		event.UnknownArrived{For: in, Kind: "hologram", JSON: `{"sessionUpdate":"hologram","depth":[1,{"a":"}"}],"none":{}}`},
		event.TurnEnded{For: in, StopReason: "cancelled", At: uitest.Now},
		event.TurnStarted{For: in, Text: "1\n2\n3\n4", At: uitest.Start},
	} {
		th.Apply(e)
	}
	th.Apply(event.HistoryEnded{For: in})
	return th
}

func numbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// only is what the view shows of an item, without the mark.
func only(v *View, i int) []string {
	v.Select(false)
	rows := v.Rows()
	var out []string
	for n, r := range rows {
		if o, ok := v.ItemAt(n); ok && o == i {
			out = append(out, r)
		}
	}
	return out
}

// What opening shows is what the density Everything shows; what closing leaves
// is what the item is. Pressed again each brings back the other.
func TestToggle(t *testing.T) {
	th := closable()
	all := viewOf(th, "plain", 60, 1000)
	all.SetDensity(Everything)
	for _, d := range []Density{Normal, Everything, Quiet} {
		for i, closed := range map[int]string{
			0: "▌ line 1                                              10:42\n▌ line 2\n▌ ▸ 18 more lines",
			1: "  thought",
			2: "  Head\n  ▸ 6 more lines",
			3: "  ✓ Run    make",
			4: "  ✗ Run    make  failed",
			6: "  · an update of a kind that parley does not know: hologram",
			8: "▌ 1                                                   10:42\n▌ 2\n▌ ▸ 2 more lines",
		} {
			if d == Quiet && i == 1 { // a thought is not shown
				continue
			}
			v := viewOf(th, "plain", 60, 1000)
			v.SetDensity(d)
			whole := slices.Clone(v.Rows())
			open := only(all, i)
			before := only(v, i)
			looks := map[bool]int{}
			for range 4 {
				v.SelectItem(i)
				if !v.Toggle() {
					t.Fatalf("%v: item %d does not change", d, i)
				}
				now := only(v, i)
				is := slices.Equal(now, open)
				if looks[is]++; !is && uitest.Text(now) != closed {
					t.Errorf("%v: item %d:\n%s\nneither open nor closed:\n%s", d, i, uitest.Text(now), closed)
				}
				if slices.Equal(now, before) {
					t.Errorf("%v: item %d looks as before", d, i)
				}
				before = now
			}
			if looks[true] != 2 || looks[false] != 2 {
				t.Errorf("%v: item %d: %v", d, i, looks)
			}
			v.SetDensity(d)
			if !slices.Equal(v.Rows(), whole) {
				t.Errorf("%v: item %d is not as it was after the density was set", d, i)
			}
		}
	}
}

// What is all in its line, or nowhere, does not open.
func TestToggleNothing(t *testing.T) {
	v := viewOf(closable(), "plain", 60, 1000)
	before := slices.Clone(v.Rows())
	if v.Toggle() {
		t.Error("toggled without a selection")
	}
	for _, i := range []int{5, 7} {
		v.SelectItem(i)
		if v.Toggle() {
			t.Errorf("item %d: %+v", i, v.Selected())
		}
	}
	v.Select(false)
	if !slices.Equal(v.Rows(), before) {
		t.Error("something changed")
	}
}

// To have tried to open what holds nothing yet is no choice.
func TestToggleTooEarly(t *testing.T) {
	th := thread.New("s")
	kind, title, status := "execute", "make", "completed"
	th.Apply(event.ToolChanged{For: in, ID: "t", Kind: &kind, Title: &title, Status: &status})
	v := viewOf(th, "plain", 60, 100)
	v.Select(true)
	if v.Toggle() {
		t.Error("an empty call opens")
	}
	v.Changed(th.Apply(event.ToolChanged{For: in, ID: "t", Content: &[]event.ToolContent{{Content: &event.Content{Text: "output"}}}}))
	if got := textOf(v); !strings.Contains(got, "output") {
		t.Errorf("%s", got)
	}
}

// Single choices last through anything but the density.
func TestChoicesLast(t *testing.T) {
	th := closable()
	v := viewOf(th, "plain", 60, 1000)
	v.SelectItem(3)
	v.Toggle()
	open := uitest.Text(only(v, 3))
	v.SetSize(90, 700)
	v.SetSize(60, 1000)
	v.Changed(th.Apply(says("more")))
	v.SetTheme(v.layout.th)
	if got := uitest.Text(only(v, 3)); got != open || !strings.Contains(got, "line 15") {
		t.Errorf("%s", got)
	}
	v.layout.cached += maxCached
	v.End()
	if got := uitest.Text(only(v, 3)); got != open {
		t.Errorf("%s", got)
	}
	v.SetDensity(Normal)
	if got := uitest.Text(only(v, 3)); got == open {
		t.Errorf("still open:\n%s", got)
	}
}

// A closed message that grows says how much there is, at no other cost than
// that of its piece; its first row stays.
func TestClosedMessageGrows(t *testing.T) {
	th := thread.New("s")
	v := viewOf(th, "plain", 60, 30)
	v.Changed(th.Apply(says("The **beginning** of it.\n\nAnd")))
	v.Select(true)
	if !v.Toggle() {
		t.Fatal("does not close")
	}
	for i := range 200 {
		v.Changed(th.Apply(says(fmt.Sprintf(" on\n\nParagraph %d goes", i))))
		before := v.layout.rendered
		if got, want := textOf(v), fmt.Sprintf("┃ The beginning of it.\n┃ ▸ %d more lines", 2*i+3); got != want {
			t.Fatalf("after %d:\n%s\nwant\n%s", i, got, want)
		}
		if v.layout.rendered-before > 1 {
			t.Fatalf("%d segments rendered", v.layout.rendered-before)
		}
	}
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "m", Text: "Other words\n\nhere"}))
	if got := textOf(v); got != "┃ Other words\n┃ ▸ 1 more line" {
		t.Errorf("%s", got)
	}
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "m", Text: "Short"}))
	if got := textOf(v); got != "┃ Short" {
		t.Errorf("%s", got)
	}
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "m", Text: strings.Repeat("word ", 40)}))
	if got := textOf(v); !strings.HasSuffix(got, "▸ 3 more lines") || strings.Count(got, "\n") != 1 {
		t.Errorf("%s", got)
	}
}

// A message of blocks without rows is not searched to its end for its first.
func TestClosedMessageOfNothing(t *testing.T) {
	th := thread.New("s")
	th.Apply(says("first\n\n"))
	v := viewOf(th, "plain", 60, 30)
	v.Select(true)
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "m", Text: "a\n\nb\n"}))
	v.Toggle()
	v.Changed(th.Apply(event.MessageReplaced{For: in, Role: event.Agent, MessageID: "m", Text: strings.Repeat("```\n\n```\n", 5000) + "end\n"}))
	v.Rows()
	if got := textOf(v); v.Selected() == nil || !strings.HasPrefix(got, "┃ …\n┃ ▸ 14,9") {
		t.Errorf("%s", got)
	}
}

// The head of what is opened or closed stays in sight, wherever in it the
// reader was.
func TestToggleStaysInSight(t *testing.T) {
	th := closable()
	th.Apply(event.TextArrived{For: in, MessageID: "n", Text: strings.ReplaceAll(numbers(30), "\n", "\n\n")})
	v := viewOf(th, "plain", 60, 12)
	v.Select(true)
	movePrompt(v, -1)
	v.SelectItem(4) // shown whole: 31 rows
	move(v, -3)
	if at(v) != 4 || strings.Contains(textOf(v), "✗ Run") {
		t.Fatalf("item %d:\n%s", at(v), textOf(v))
	}
	v.Toggle()
	if got := textOf(v); !strings.HasPrefix(got, "┃ ✗ Run    make  failed\n") {
		t.Errorf("closed:\n%s", got)
	}
	v.Toggle()
	if got := textOf(v); !strings.HasPrefix(got, "┃ ✗ Run    make  failed\n┃   line 1\n") {
		t.Errorf("opened:\n%s", got)
	}
	v.SetSize(60, 8)
	v.SelectItem(3) // higher than the page even as it is
	if strings.Contains(textOf(v), "✓ Run") {
		t.Fatalf("%s", textOf(v))
	}
	v.Toggle()
	if got := textOf(v); !strings.HasPrefix(got, "┃ ✓ Run    make\n┃   line 1\n") {
		t.Errorf("opened from within:\n%s", got)
	}
}

// A prompt of more than twelve rows is cut, except where everything is shown.
func TestLongPrompt(t *testing.T) {
	for n, want := range map[int]int{11: 11, 12: 12, 13: 12, 500: 12} {
		th := thread.New("s")
		th.Apply(event.TurnStarted{For: in, Text: numbers(n), At: uitest.Start})
		for _, width := range []int{20, 40, 80} {
			v := viewOf(th, "dark", width, 1000)
			uitest.CheckRows(t, v.Rows(), width)
			got := v.Rows()
			if len(got) != want || n > 12 && !strings.Contains(textOf(v), fmt.Sprintf("▌ ▸ %d more lines", n-11)) {
				t.Errorf("%d lines became\n%s", n, uitest.Text(got))
			}
			if v.SetDensity(Everything); len(v.Rows()) != n {
				t.Errorf("%d rows of %d lines", len(v.Rows()), n)
			}
		}
	}
}

// The JSON of what is not known is broken into lines; whatever it is, it is
// bounded.
func TestDetail(t *testing.T) {
	show := func(json string, width int) []string {
		th := thread.New("s")
		th.Apply(event.UnknownArrived{For: in, Kind: "hologram", JSON: json})
		v := viewOf(th, "plain", width, 10_000)
		v.SetDensity(Everything)
		uitest.CheckRows(t, v.Rows(), width)
		return v.Rows()
	}
	want := `  · an update of a kind that parley does not know: hologram
    {
      "sessionUpdate": "hologram",
      "depth": [
        1,
        {
          "a": "} ["
        }
      ],
      "none": {},
      "text": "long enough to go on in another row, which
      stands as far in"
    }`
	if got := uitest.Text(show(`{"sessionUpdate":"hologram","depth":[1,{"a":"} ["}],"none":{},"text":"long enough to go on in another row, which stands as far in"}`, 60)); got != want {
		t.Errorf("%s", got)
	}
	for _, json := range []string{"", "{broken", `"text"`, "null", strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat("[", 20_000),
		"[" + strings.Repeat("1,", 100_000) + "1]", `{"a":"` + strings.Repeat("日本", 500_000) + `"}`} {
		for _, width := range []int{20, 80} {
			if n := len(show(json, width)); n > maxShown+10 {
				t.Errorf("%d rows of %.20s", n, json)
			}
		}
	}
	if got := uitest.Text(show("["+strings.Repeat("1,", 100_000)+"1]", 60)); !strings.HasSuffix(got, "▸ 98,003 more lines") {
		t.Errorf("…%s", got[len(got)-40:])
	}
}
