package paint

import (
	"strings"
	"testing"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"

	"parley/internal/glyphs"
)

// texts are what the cells of a row have to hold. runes is what a terminal that adds up
// runes shows of them, where that is something else.
var texts = []struct{ in, runes string }{
	{"xe\u0301y", ""}, {"x\u0302y", ""}, {"p\u0302, n\u0303 a\u0308", ""}, {"Z" + strings.Repeat("\u0301", 8) + "a", ""},
	{"1👨\u200d👩\u200d👧\u200d👦2", "1👨👩👧👦2"}, {"🏳\ufe0f\u200d🌈!", "🏳\ufe0f🌈!"}, {"👩🏽\u200d💻", "👩🏽💻"}, {"🧑🏿\u200d🤝\u200d🧑🏻", "🧑🏿🤝🧑🏻"}, {"❤\ufe0f\u200d🔥", "❤\ufe0f🔥"},
	{"👍🏽☝🏽", ""}, {"🇩🇪🇫🇷", ""}, {"1\ufe0f\u20e3 #\ufe0f\u20e3", ""}, {"❤\ufe0f", ""}, {"日本語", ""}, {"が", ""}, {"\u1112\u1161\u11ab", ""},
	{"हिन्दी क्ष्म्यी", ""}, {"ภาษาไทย กำ น้ำ", ""}, {"עִבְרִית שָׁלוֹם", ""}, {"اَلْعَرَبِيَّةُ می\u200cخواهم", ""}, {"Việt tiê\u0301ng", ""},
	{"\x1b[1mp\u0302\x1b[m\x1b[31me\u0301\x1b[0m", ""}, {"plain rows │ ─ “q” → ✓", ""},
}

// held is what the cells of a row hold.
func held(line uv.Line) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteString(c.Content)
	}
	return b.String()
}

// Each cell holds the whole of a cluster, and a row as many cells as it is wide.
func TestCellsHoldTheText(t *testing.T) {
	defer glyphs.Measure(false)
	for _, clusters := range []bool{false, true} {
		glyphs.Measure(clusters)
		for _, tt := range texts {
			want := ansi.Strip(tt.in)
			if tt.runes != "" && !clusters {
				want = tt.runes
			}
			line := new(painter).parse(tt.in)
			if got := held(line); norm.NFD.String(got) != norm.NFD.String(want) {
				t.Errorf("by clusters %v: %q holds %q, want %q", clusters, tt.in, got, want)
			}
			if got, want := len(line), glyphs.Width(tt.in); got != want {
				t.Errorf("by clusters %v: %q takes %d cells instead of %d", clusters, tt.in, got, want)
			}
		}
	}
}

func FuzzCells(f *testing.F) {
	for _, tt := range texts {
		f.Add(tt.in, true)
		f.Add(tt.in, false)
	}
	f.Fuzz(func(t *testing.T, s string, clusters bool) {
		if !utf8.ValidString(s) {
			return // text was made safe long before
		}
		glyphs.Measure(clusters)
		defer glyphs.Measure(false)
		line := new(painter).parse(s)
		for x, c := range line {
			if strings.ContainsFunc(c.Content, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
				t.Fatalf("cell %d of %q holds %q", x, s, c.Content)
			}
			for i := 1; i < c.Width; i++ {
				if x+i >= len(line) || line[x+i].Width != 0 {
					t.Fatalf("cell %d of %q is %d wide, and another begins in it", x, s, c.Width)
				}
			}
		}
	})
}
