package widget

import (
	"os"
	"testing"

	"parley/ui/glyphs"
)

// The tests are laid out for a terminal that measures by clusters, as the library
// does that they are compared with.
func TestMain(m *testing.M) {
	glyphs.Measure(true)
	os.Exit(m.Run())
}

// addsUpRunes has a test play on a terminal without clusters.
func addsUpRunes(t *testing.T) {
	glyphs.Measure(false)
	t.Cleanup(func() { glyphs.Measure(true) })
}

// Where the terminal adds up runes, rows are measured as it does, and the emoji of
// a joined sequence are apart.
func TestRowsOfATerminalThatAddsUpRunes(t *testing.T) {
	addsUpRunes(t)
	const family = "👩\u200d👩\u200d👧"
	for s, want := range map[string]int{family: 6, "👍🏽": 4, "1\ufe0f\u20e3": 1, "हिन्दी": 5, "x\u0302y": 2, "日本": 4, "🇩🇪": 2} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	if rows := Wrap(family+family, 4); len(rows) != 3 || rows[0] != "👩\u200d👩\u200d" {
		t.Errorf("%q", rows)
	}
	if got := Truncate("a"+family+"b", 6, "…"); got != "a👩\u200d👩\u200d…" {
		t.Errorf("%q", got)
	}
	c := NewEditor()
	c.SetWidth(30)
	c.Insert("1" + family + "2")
	if x, _ := c.Cursor(); x != 2+8 {
		t.Errorf("the cursor is in column %d", x)
	}
	glyphs.Measure(true)
	if x, _ := c.Cursor(); x != 2+4 {
		t.Errorf("by clusters the cursor is in column %d", x)
	}
}
