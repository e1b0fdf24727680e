package text

import (
	"slices"
	"testing"
)

// Columns begin at the same cell in every row, whatever script the cells are in. The last cell of a row widens no column.
func TestColumns(t *testing.T) {
	got := Columns([][]string{
		{"NAME", "AGENT", "ABOUT"},
		{"日本語", "de\u0301mo\u0301", "x"},
		{"\x1b[1mbold\x1b[m", "", "x"},
		{"👩‍👩‍👧", "demo", ""},
		{"alone, and longer than its column"},
	})
	want := []string{
		"NAME    AGENT  ABOUT",
		"日本語  de\u0301mo\u0301   x",
		"\x1b[1mbold\x1b[m           x",
		"👩‍👩‍👧      demo",
		"alone, and longer than its column",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
