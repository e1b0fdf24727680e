package glyphs

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// both runs a test for both ways to measure text.
func both(t *testing.T, test func(t *testing.T)) {
	for name, clusters := range map[string]bool{"by clusters": true, "by runes": false} {
		t.Run(name, func(t *testing.T) {
			before := ByClusters()
			Measure(clusters)
			t.Cleanup(func() { Measure(before) })
			test(t)
		})
	}
}

// texts have clusters that terminals measure in one way or the other.
var texts = []string{
	"xe\u0301y", "x\u0302y", "p\u0302, n\u0303 a\u0308", "Z" + strings.Repeat("\u0301", 8) + "a",
	"1👨\u200d👩\u200d👧\u200d👦2", "🏳\ufe0f\u200d🌈!", "👩🏽\u200d💻", "🧑🏿\u200d🤝\u200d🧑🏻", "❤\ufe0f\u200d🔥",
	"👍🏽☝🏽", "🇩🇪🇫🇷", "1\ufe0f\u20e3 #\ufe0f\u20e3", "❤\ufe0f", "日本語", "が", "\u1112\u1161\u11ab",
	"हिन्दी क्ष्म्यी", "ภาษาไทย กำ น้ำ", "עִבְרִית שָׁלוֹם", "اَلْعَرَبِيَّةُ می\u200cخواهم", "Việt tiê\u0301ng",
	"\x1b[1mp\u0302\x1b[m\x1b[31me\u0301\x1b[0m", "plain\nrows │ ─ “q” → ✓",
}

func TestStandInsTakeTheCellsOfTheTerminal(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, text := range texts {
			var st StandIns
			in := ansi.Strip(text) + string(rune(filler)) + string(rune(firstStandIn))
			out := st.Replace(in)
			if got, want := ansi.StringWidth(out), Width(in); got != want {
				t.Errorf("%q is laid out in %d cells, want %d", in, got, want)
			}
			if got := st.Restore(out); got != in && !ByClusters() {
				t.Errorf("%q is restored as %q", in, got)
			}
		}
	})
}
