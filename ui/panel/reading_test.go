package panel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/intent"
	"parley/ui/theme"
	"parley/ui/uitest"
)

// Scrolling past an end has no effect on the next key in the other direction. A log starts
// at its end.
func TestReadingScrolls(t *testing.T) {
	for _, c := range []struct {
		tail  bool
		keys  string
		first string
	}{
		{false, "", "row 0"},
		{false, "down", "row 1"},
		{false, "up up down", "row 1"},
		{false, "pgdown", "row 8"},
		{false, "pgdown pgdown pgdown pgdown pgdown up", "row 19"},
		{true, "", "row 20"},
		{true, "down down up", "row 19"},
		{true, "pgup pgup pgup pgup down", "row 1"},
	} {
		r := &Reading{Tail: c.tail, Body: func(int, *theme.Theme) (rows []string) {
			for i := range 30 {
				rows = append(rows, fmt.Sprintf("row %d", i))
			}
			return rows
		}}
		p := opened(r)
		p.press(strings.Fields(c.keys)...)
		rows, _ := r.Rows(p.width, p.height)
		again, _ := r.Rows(p.width, p.height)
		if got := uitest.Text(rows[1:2]); len(rows) != p.height || !strings.Contains(got, c.first+" ") || !slices.Equal(rows, again) {
			t.Errorf("%q: %d rows, the first %q", c.keys, len(rows), got)
		}
	}
}

// Keys that a text does not use reach the page.
func TestReadingUnusedKeys(t *testing.T) {
	r := &Reading{Body: func(int, *theme.Theme) []string { return []string{"a"} }}
	p := opened(r)
	p.press("f1")
	if !slices.Equal(p.done, []intent.Intent{intent.ToggleHelp}) || p.open == nil {
		t.Errorf("did %v", p.done)
	}
	if p.press("q"); p.open != nil {
		t.Error("it stays open")
	}
}
