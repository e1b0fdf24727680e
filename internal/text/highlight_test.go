package text

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestHighlightCells(t *testing.T) {
	ink := func(s string) string { return "\x1b[7m" + s + "\x1b[m" }
	for _, c := range []struct {
		row         string
		left, right int
		want        string
	}{
		{"hello", 1, 3, "h" + ink("el") + "lo"},
		{"\x1b[31mhello\x1b[m", 0, 5, ink("hello")},
		{"日本語", 2, 4, "日" + ink("本") + "語"},
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
