package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/glyphs"
	"parley/internal/text"
	"parley/ui/uitest"
)

var widths = []int{24, 40, 80, 120, 200}

// find is the cell where some text begins on the screen; it has to be there.
func find(t *testing.T, v *View, text string) (row, cell int) {
	t.Helper()
	for n, r := range v.Rows() {
		if before, _, ok := strings.Cut(ansi.Strip(r), text); ok {
			return n, glyphs.Width(before)
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, uitest.Text(v.Rows()))
	return 0, 0
}

// dragged selects from the beginning of one text to the end of another.
func dragged(t *testing.T, v *View, from, to string) string {
	t.Helper()
	row, cell := find(t, v, from)
	v.DragFrom(row, cell)
	for n, r := range v.Rows()[row:] {
		s := ansi.Strip(r)
		if n == 0 {
			s = strings.Repeat(" ", cell) + text.Cut(s, cell, text.MaxCells)
		}
		if before, _, ok := strings.Cut(s, to); ok {
			v.DragTo(row+n, glyphs.Width(before+to)-1)
			return v.DraggedText()
		}
	}
	t.Fatalf("%q is not after %q", to, from)
	return ""
}

// What is selected of a text does not depend on how it is wrapped.
func TestDragJoinsWhatWasWrapped(t *testing.T) {
	for _, c := range []struct{ source, from, to, want string }{
		{"prose", "words", "paragraph", "words that are long enough to be wrapped on a narrow screen, with code and a link\n(https://example.com/a/b).\n\nA second paragraph"},
		{"cjk", "の長い", "也是", "の長い文章です。折り返しても改行は入りません。全角文字が続くと幅は二倍になります。\n\n中文也是"},
		{"emoji", "👍🏽", "a mark", "👍🏽 — é with a mark"},
		{"emoji", "👩‍💻", "🇩🇪", "👩‍💻 🇩🇪"},
		{"nested", "two", "make all", "two, which goes on for a while so that it is wrapped on a narrow screen\n     • three\n\n       with a paragraph\n\n2. four\n\n     make all"},
		{"code", "func", "that is", "func f() {\n\tif x {\n\t\treturn \"a long line of code that does not fit into a narrow screen at all\" // 漢字\n\t}\n\n}\n\nAnd that is"},
		{"code", "if x", "{", "if x {"},
		{"quote", "words", "more", "words that go on and on until they are wrapped on a screen that is narrow and more"},
	} {
		for _, width := range widths {
			v := viewOf(messageOf(sources[c.source]), "dark", width, 200)
			got := dragged(t, v, c.from, c.to)
			want := c.want
			if c.source == "prose" { // a link is written after its words
				got, want = strings.ReplaceAll(got, "\n(", " ("), strings.ReplaceAll(want, "\n(", " (")
			}
			if !sameLines(got, want) {
				t.Errorf("%s at %d:\ngot  %q\nwant %q", c.source, width, got, want)
			}
		}
	}
}

// sameLines compares texts but for blanks at the ends of lines.
func sameLines(a, b string) bool {
	trim := func(s string) string {
		lines := strings.Split(s, "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		return strings.Join(lines, "\n")
	}
	return trim(a) == trim(b)
}

// A message of which all is selected is copied as it was written.
func TestDragOfWholeMessages(t *testing.T) {
	for name, text := range sources {
		for _, width := range widths {
			th := messageOf(text)
			th.Apply(event.TurnEnded{For: in, StopReason: "end_turn"})
			th.Apply(event.TurnStarted{For: in, Text: "the second\n\tprompt", At: uitest.Start})
			v := viewOf(th, "dark", width, 300)
			rows := len(v.Rows())
			v.DragFrom(1, 0)
			v.DragTo(rows-3, width)
			if got := v.DraggedText(); got != text {
				t.Errorf("%s at %d: %q", name, width, got)
			}
			v.DragTo(rows-1, width) // backwards
			v.DragFrom(rows-1, width-1)
			v.DragTo(0, 0)
			if got, want := v.DraggedText(), "first\n"+text+"\n\nthe second\n\tprompt"; got != want {
				t.Errorf("%s at %d, all of it: %q", name, width, got)
			}
		}
	}
}

// The rows of a table whose cells are wrapped are copied as they are seen; where
// they are not, as lines.
func TestDragInTables(t *testing.T) {
	for width, want := range map[int]string{
		120: "name │ what it does, at some length, so that it has to be wrapped │ n\n──────┼────────────────────────────────────────────────────────────┼───\n 日本 │ the first of them, which is long as well",
		40:  "name │ what it does, at some   │ n\n│ length, so that it has  │\n│ to be wrapped           │\n──────┼─────────────────────────┼───\n日本 │ the first of them,      │ 1\n│ which is long as well",
	} {
		v := viewOf(messageOf(sources["table"]+"\n\nThat is it."), "dark", width, 200)
		if got := dragged(t, v, "name", "as well"); !sameLines(got, want) {
			t.Errorf("at %d:\ngot  %q\nwant %q", width, got, want)
		}
	}
}

func worked() *thread.Thread {
	th := thread.New("s")
	th.Apply(event.HistoryBegan{For: in}) // what was asked then is unknown
	th.Apply(event.TurnStarted{For: in, Text: "edit", At: uitest.Start})
	th.Apply(event.ToolChanged{For: in, ID: "e", Kind: of("edit"), Title: of("Edit"), Status: of("completed"), Content: &[]event.ToolContent{{Diff: &event.Diff{
		Path: uitest.Dir + "/x.go", Old: "a\nb\nc\n", New: "a\n// a line that is long enough to be wrapped on the smallest of the screens that there are\nc\n"}}}})
	th.Apply(event.ToolChanged{For: in, ID: "r", Kind: of("execute"), Title: of("Run"), RawInput: of(`{"command":"make"}`), Status: of("completed"), Content: &[]event.ToolContent{{Terminal: "x"}}})
	th.Apply(event.TerminalOutput{For: in, ID: "x", Data: []byte("\x1b[1mone\x1b[0m\n" + strings.Repeat("wide ", 50) + "end\n" + strings.Repeat("row\n", 30) + "last\n")})
	th.Apply(event.TerminalExited{For: in, ID: "x", Code: of(0)})
	th.Apply(event.HistoryEnded{For: in})
	return th
}

// Neither line numbers nor insets nor how many lines are missing are copied.
func TestDragInTools(t *testing.T) {
	for _, width := range widths {
		v := viewOf(worked(), "dark", width, 300)
		want := "// a line that is long enough to be wrapped on the smallest of the screens that there are\n  c\nRun    make\none\n" + strings.Repeat("wide ", 50) + "end\nrow"
		if got := dragged(t, v, "// a line", "row"); got != want {
			t.Errorf("at %d:\ngot  %q\nwant %q", width, got, want)
		}
		row, _ := find(t, v, "last")
		v.DragTo(row, width)
		if got := v.DraggedText(); strings.Contains(got, "…") || !strings.HasSuffix(got, "row\nlast") {
			t.Errorf("at %d to the end: %q", width, got)
		}
	}
}

// What is selected stays so while text comes, the size changes, and entries are
// opened and closed.
func TestDragStays(t *testing.T) {
	th := worked()
	th.Apply(event.TextArrived{For: in, MessageID: "m", Text: sources["prose"] + "\n\n" + sources["code"]})
	v := viewOf(th, "dark", 80, 30)
	v.Rows()
	want := dragged(t, v, "A second", "if x")
	if want != "A second paragraph.\n\nLook:\n\nfunc f() {\n    if x" {
		t.Fatalf("selected: %q", want)
	}
	check := func(when string) {
		t.Helper()
		v.Rows()
		if got := v.DraggedText(); got != want {
			t.Errorf("%s: got %q", when, got)
		}
	}
	for i := range 30 {
		v.Changed(th.Apply(event.TextArrived{For: in, MessageID: "m", Text: fmt.Sprintf(" and more %d", i)}))
		check("streaming")
	}
	before := fmt.Sprint(v.places[0])
	v.Changed(th.Apply(event.TurnEnded{For: in, StopReason: "end_turn"}))
	v.Changed(th.Apply(event.TurnStarted{For: in, Text: "next", At: uitest.Start}))
	check("the next turn")
	if now := fmt.Sprint(v.places[0]); now != before {
		t.Errorf("the view has moved from %s to %s", before, now)
	}
	for _, width := range widths {
		v.SetSize(width, 12)
		check(fmt.Sprint("at ", width))
	}
	v.SelectItem(1)
	for range 2 {
		v.Toggle()
		check("an entry opened or closed")
	}
	v.SetDensity(Everything)
	check("everything")
	if !(v.DraggedText() != "") {
		t.Error("nothing is selected")
	}
	v.ClearDrag()
	if (v.DraggedText() != "") || v.DraggedText() != "" {
		t.Error("something is still selected")
	}
}

// Only the characters that are selected are painted.
func TestDragIsSeen(t *testing.T) {
	for _, name := range []string{"plain", "dark"} {
		v := viewOf(messageOf("some 日本語 words\n\n- an item"), name, 40, 20)
		dragged(t, v, "本", "an")
		on := v.layout.th.Selected.On()
		got := ""
		for _, r := range v.Rows() {
			for part := range strings.SplitSeq(r, on) {
				if part == r {
					continue
				}
				text, _, ok := strings.Cut(part, v.layout.th.Selected.Off())
				if ok && part != strings.SplitN(r, on, 2)[0] {
					got += text + "|"
				}
			}
		}
		if got != "本語 words|• an|" {
			t.Errorf("%s: %q\n%q", name, got, v.Rows())
		}
		uitest.CheckRows(t, v.Rows(), 40)
	}
}

// A click on the line of an entry opens it, and closes it again; the line stays
// where it is.
func TestToggleAt(t *testing.T) {
	v := viewOf(worked(), "dark", 80, 15)
	row, _ := find(t, v, "make")
	if !v.ToggleAt(row) {
		t.Fatal("nothing was opened")
	}
	if now, _ := find(t, v, "make"); now != row || v.Following() {
		t.Errorf("the line went from %d to %d", row, now)
	}
	if !v.ToggleAt(row) {
		t.Fatal("nothing was closed")
	}
	if v.ToggleAt(row + 1) {
		t.Error("a row below the first one is no place to click")
	}
	v = viewOf(messageOf("words"), "dark", 80, 15)
	for row := range 5 {
		if v.ToggleAt(row) {
			t.Errorf("row %d: a click closes a message", row)
		}
	}
}

// Whatever is dragged over, the text is clean and the rows keep their width.
func TestDragOverEverything(t *testing.T) {
	for _, width := range []int{20, 40, 80, 160} {
		for _, d := range []Density{Normal, Everything, Quiet} {
			v := viewOf(uitest.Gallery(), "dark", width, 400)
			v.SetDensity(d)
			v.Home()
			n := len(v.Rows())
			for a := 0; a < n; a += 29 {
				v.DragFrom(a, a%width)
				for b := 0; b < n; b += 31 {
					v.DragTo(b, (a*b)%width)
					text := v.DraggedText()
					if bad := uitest.Unsafe(strings.NewReplacer("\n", "", "\t", "").Replace(text)); bad != "" {
						t.Fatalf("%d %s: %q is in %q", width, d, bad, text)
					}
				}
				uitest.CheckRows(t, v.Rows(), width)
			}
		}
	}
}
