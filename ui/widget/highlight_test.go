package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/theme"
)

func TestHighlightCells(t *testing.T) {
	ink := theme.Plain().Selected
	for _, c := range []struct {
		row         string
		left, right int
		want        string
	}{
		{"hello", 1, 3, "h" + ink.Paint("el") + "lo"},
		{"\x1b[31mhello\x1b[m", 0, 5, ink.Paint("hello")},
		{"日本語", 2, 4, "日" + ink.Paint("本") + "語"},
		{"hello", 3, 3, "hello"},
		{"hello", 9, 12, "hello"},
	} {
		if got := Highlight(c.row, c.left, c.right, ink); got != c.want {
			t.Errorf("Highlight(%q, %d, %d) = %q, want %q", c.row, c.left, c.right, got, c.want)
		}
	}
	row := "\x1b[1mbold\x1b[m \x1b[32m日本\x1b[m words"
	for left := range 15 {
		for right := left; right < 18; right++ {
			got := Highlight(row, left, right, ink)
			if Width(got) != Width(row) || left%2 == 1 && right%2 == 1 && ansi.Strip(got) != ansi.Strip(row) {
				t.Errorf("%d to %d: %q", left, right, got)
			}
		}
	}
}

func TestCell(t *testing.T) {
	text := "a日👩‍💻e\u0301z"
	for cell, want := range []string{"a", "日", "日", "👩‍💻", "👩‍💻", "e\u0301", "z", ""} {
		if start, end := Cell(text, cell); text[start:end] != want {
			t.Errorf("in cell %d is %q, want %q", cell, text[start:end], want)
		}
	}
}

func TestClick(t *testing.T) {
	for _, c := range []struct {
		text   string
		x, y   int
		before string // what stands before the cursor in its line
	}{
		{"", 5, 0, ""},
		{"hello", 0, 0, ""},
		{"hello", 2, 0, ""},
		{"hello", 4, 0, "he"},
		{"hello", 90, 0, "hello"},
		{"hello", 4, 9, "he"},
		{"日本語", 5, 0, "日"}, // the right half of a character
		{"one\ntwo", 3, 1, "t"},
		{"one two three four five", 4, 1, "one two three fo"},
		{"one two three four five", 90, 0, "one two three"},
		{"one two three four five", -3, -1, ""},
	} {
		k := NewEditor()
		k.SetWidth(18)
		k.Insert(c.text)
		k.Click(c.x, c.y)
		if got := k.BeforeCursor(); got != c.before {
			t.Errorf("%q, a click at %d,%d: the cursor is behind %q, want %q", c.text, c.x, c.y, got, c.before)
		}
	}
	k := NewEditor()
	k.SetMaxRows(3)
	k.Insert(strings.Repeat("row\n", 10) + "last")
	k.Click(2, 0) // of a window that has scrolled
	k.Insert("X")
	if got, want := k.Value(), strings.Repeat("row\n", 8)+"Xrow\nrow\nlast"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"a\nb\n", "a\nc\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"", "a\n", "@@ -0,0 +1,1 @@\n+a\n"},
		{"a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n"},
		{"a\n", "a\n", ""},
	} {
		if got := Compute(Diff{Old: c.old, New: c.new}).Unified(); got != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}
