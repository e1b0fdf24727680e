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

// callOf is a tool call of a file, with that text.
func callOf(kind, name, status, text string) event.ToolChanged {
	return event.ToolChanged{For: in, ID: name, Kind: &kind, Status: &status, Title: of("Look at " + name), Locations: &[]event.Location{{Path: uitest.Dir + "/" + name}},
		Content: &[]event.ToolContent{{Content: &event.Content{Text: text}}}, At: uitest.Start}
}

// turnOf is a running turn with those events.
func turnOf(events ...event.Event) *thread.Thread {
	th := thread.New("s")
	th.Apply(event.TurnStarted{For: in, Text: "go", At: uitest.Start})
	for _, e := range events {
		th.Apply(e)
	}
	return th
}

// reads are n calls that have read a file each.
func reads(n int) (all []event.Event) {
	for i := range n {
		all = append(all, callOf("read", fmt.Sprintf("f%d.go", i), "completed", "a\nb\n"))
	}
	return all
}

func linesOf(rows []string) []string {
	return strings.Split(strings.TrimRight(uitest.Text(rows), "\n"), "\n")
}

// after returns what a view shows after the prompt.
func after(v *View) []string {
	rows := linesOf(v.Rows())[1:]
	if len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	return rows
}

func TestReadsShareALine(t *testing.T) {
	failed := callOf("read", "gone.go", "failed", "no such file")
	for _, c := range []struct {
		name   string
		width  int
		events []event.Event
		want   []string
	}{
		{"one", 60, reads(1), []string{"  ✓ Read   f0.go  ▸ 2 lines"}},
		{"two", 60, reads(2), []string{"  ✓ Read   f0.go  f1.go"}},
		{"as many names as fit", 40, reads(6), []string{"  ✓ Read   f0.go  f1.go  f2.go  +3"}},
		{"one name on the narrowest screen", 20, reads(3), []string{"  ✓ Read   f0.go  +2"}},
		{"a live one", 60, append(reads(2), callOf("read", "x.go", "in_progress", "")), []string{"  ⠙ Read   f0.go  f1.go  x.go  1m40s"}},
		{"searches apart from reads", 60, append(reads(2), callOf("search", "a", "completed", "x"), callOf("search", "b", "completed", "y")),
			[]string{"  ✓ Read   f0.go  f1.go", "  ✓ Search Look at a  Look at b"}},
		{"a failure has its own line", 60, append(append(reads(2), failed), callOf("read", "x.go", "completed", "x")),
			[]string{"  ✓ Read   f0.go  f1.go", "  ✗ Read   gone.go  failed", "    no such file", "  ✓ Read   x.go  ▸ 1 line"}},
		{"words between them", 60, append(append(reads(2), says("Hm.")), callOf("read", "x.go", "completed", "x"), callOf("read", "y.go", "completed", "y")),
			[]string{"  ✓ Read   f0.go  f1.go", "", "  Hm.", "  ✓ Read   x.go  y.go"}},
		{"other kinds", 60, []event.Event{callOf("think", "a", "completed", ""), callOf("think", "b", "completed", "")},
			[]string{"  ✓ Think  Look at a", "  ✓ Think  Look at b"}},
	} {
		v := viewOf(turnOf(c.events...), "plain", c.width, 40)
		if got := after(v); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		uitest.CheckRows(t, v.Rows(), c.width)
	}
}

// A group opens into the lines of its calls, each of which opens. Closing the first
// one after it was opened closes the group.
func TestGroupOpensAndCloses(t *testing.T) {
	v := viewOf(turnOf(reads(3)...), "plain", 60, 40)
	folded := []string{"┃ ✓ Read   f0.go  f1.go  f2.go"}
	single := []string{"┃ ✓ Read   f0.go  ▸ 2 lines", "  ✓ Read   f1.go  ▸ 2 lines", "  ✓ Read   f2.go  ▸ 2 lines"}
	opened := []string{"┃ ✓ Read   f0.go", "┃   a", "┃   b", "  ✓ Read   f1.go  ▸ 2 lines", "  ✓ Read   f2.go  ▸ 2 lines"}
	v.SelectItem(1)
	for round := range 2 {
		for n, want := range [][]string{folded, single, opened} {
			if got := after(v); !slices.Equal(got, want) {
				t.Fatalf("round %d, step %d:\n%s", round, n, strings.Join(got, "\n"))
			}
			if !v.Toggle() {
				t.Fatalf("round %d: step %d cannot be toggled", round, n)
			}
		}
	}
	v.Toggle()
	v.Step(Next)
	v.Toggle()
	if got, want := after(v), []string{"  ✓ Read   f0.go  ▸ 2 lines", "┃ ✓ Read   f1.go", "┃   a", "┃   b", "  ✓ Read   f2.go  ▸ 2 lines"}; !slices.Equal(got, want) {
		t.Errorf("the second one opened:\n%s", strings.Join(got, "\n"))
	}
}

// A call that the user has opened stays open when others follow it.
func TestOpenedCallIsNotFolded(t *testing.T) {
	th := turnOf(reads(1)...)
	v := viewOf(th, "plain", 60, 40)
	v.SelectItem(1)
	v.Toggle()
	v.Select(false)
	v.Changed(th.Apply(callOf("read", "x.go", "completed", "x")))
	if got, want := after(v), []string{"  ✓ Read   f0.go", "    a", "    b", "  ✓ Read   x.go  ▸ 1 line"}; !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// What is copied from the line of a group is the text of all its calls, and the files
// to open are all of theirs.
func TestGroupIsCopiedAsAWhole(t *testing.T) {
	th := turnOf(reads(2)...)
	v := viewOf(th, "plain", 60, 40)
	if got, want := v.Copyable(th.Items[1]).All(), "f0.go\na\nb\nf1.go\na\nb"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
	if files := Files(v.Calls(th.Items[1])...); len(files) != 2 {
		t.Errorf("%d files to open, want 2", len(files))
	}
}

// A call in a folded group is shown when something leads there: a search, a list.
func TestFoldedCallIsFound(t *testing.T) {
	v := viewOf(turnOf(reads(3)...), "plain", 60, 40)
	v.SelectItem(3)
	if got := after(v); len(got) != 3 || got[2] != "┃ ✓ Read   f2.go  ▸ 2 lines" {
		t.Errorf("selected:\n%s", strings.Join(got, "\n"))
	}
	v = viewOf(turnOf(append(reads(2), callOf("read", "x.go", "completed", "needle"))...), "plain", 60, 40)
	s := v.Find("needle")
	for p := s.Portion(); p != nil; p = s.Portion() {
		p.Run()
		s.AddMatches(p)
	}
	v.Mark("needle")
	if len(s.Hits()) != 1 || !v.Show(s.Hits()[0]) {
		t.Fatalf("%d hits, want one that can be shown", len(s.Hits()))
	}
	if got := after(v); !slices.Contains(got, "┃   needle") {
		t.Errorf("found:\n%s", strings.Join(got, "\n"))
	}
}

// In the scrollback a group is written once nothing can join it any longer.
func TestGroupInTheScrollback(t *testing.T) {
	th := turnOf(reads(2)...)
	w := NewWritten(th, uitest.Dir, viewOf(th, "plain", 60, 40).layout.th)
	w.Look(61, w.layout.th, Normal)
	rows, _ := w.Take(100)
	for i, e := range append(reads(4)[2:], says("Done.")) {
		if got := linesOf(rows); len(got) != 1 {
			t.Fatalf("written before call %d:\n%s", i+2, strings.Join(got, "\n"))
		}
		w.Changed(th.Apply(e))
		more, _ := w.Take(100)
		rows = append(rows, more...)
	}
	if got, want := linesOf(rows)[1:], []string{"  ✓ Read   f0.go  f1.go  f2.go  f3.go"}; !slices.Equal(got, want) {
		t.Errorf("written:\n%s", strings.Join(got, "\n"))
	}
}

// Finding a group costs the same however many calls there are.
func TestGroupsAreBounded(t *testing.T) {
	v := viewOf(turnOf(reads(1000)...), "plain", 60, 40)
	if got := len(after(v)); got != 16 {
		t.Errorf("%d rows for 1000 reads, want 16", got)
	}
	for i := range v.layout.thread.Items {
		if g, _ := v.layout.groupOf(i); g.end-g.first > groupSpan {
			t.Fatalf("item %d is in a group of %d", i, g.end-g.first)
		}
	}
}
