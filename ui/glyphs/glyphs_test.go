package glyphs

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/norm"
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

// written is what the screen library writes of rows: it decodes them into cells of
// up to four columns, and loses everything else that is no style.
func written(t *testing.T, rows string) string {
	t.Helper()
	decode := ansi.DecodeSequenceWc[string]
	if ByClusters() {
		decode = ansi.DecodeSequence[string]
	}
	var b strings.Builder
	for state := byte(0); rows != ""; {
		seq, width, n, next := decode(rows, state, nil)
		switch {
		case width > 4:
		case width > 0, seq == "\n":
			b.WriteString(seq)
		case strings.HasPrefix(seq, "\x1b") && seq != apart:
			b.WriteString(seq)
		}
		rows, state = rows[n:], next
	}
	return string(Restore([]byte(b.String())))
}

// texts are what the cells of a screen have to hold. where they are joined: what
// is shown of them by a terminal that adds up runes, if that is something else.
var texts = []struct{ in, runes string }{
	{"xe\u0301y", ""}, {"x\u0302y", ""}, {"p\u0302, n\u0303 a\u0308", ""}, {"Z" + strings.Repeat("\u0301", 8) + "a", ""},
	{"1👨\u200d👩\u200d👧\u200d👦2", "1👨👩👧👦2"}, {"🏳\ufe0f\u200d🌈!", "🏳\ufe0f🌈!"}, {"👩🏽\u200d💻", "👩🏽💻"}, {"🧑🏿\u200d🤝\u200d🧑🏻", "🧑🏿🤝🧑🏻"}, {"❤\ufe0f\u200d🔥", "❤\ufe0f🔥"},
	{"👍🏽☝🏽", ""}, {"🇩🇪🇫🇷", ""}, {"1\ufe0f\u20e3 #\ufe0f\u20e3", ""}, {"❤\ufe0f", ""}, {"日本語", ""}, {"が", ""}, {"\u1112\u1161\u11ab", ""},
	{"हिन्दी क्ष्म्यी", ""}, {"ภาษาไทย กำ น้ำ", ""}, {"עִבְרִית שָׁלוֹם", ""}, {"اَلْعَرَبِيَّةُ می\u200cخواهم", ""}, {"Việt tiê\u0301ng", ""},
	{"\x1b[1mp\u0302\x1b[m\x1b[31me\u0301\x1b[0m", ""}, {"plain\nrows │ ─ “q” → ✓", ""},
}

func TestScreenHoldsWhatWasWritten(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, tt := range texts {
			want := tt.in
			if tt.runes != "" && !ByClusters() {
				want = tt.runes
			}
			got := written(t, Screen(tt.in))
			if norm.NFD.String(got) != norm.NFD.String(want) {
				t.Errorf("%q shows %q, want %q", tt.in, got, want)
			}
			if got, want := Width(Screen(tt.in)), Width(tt.in); got != want {
				t.Errorf("%q takes %d cells instead of %d", tt.in, got, want)
			}
			if got := Row(tt.in); norm.NFD.String(got) != norm.NFD.String(want) {
				t.Errorf("the row %q shows %q, want %q", tt.in, got, want)
			}
		}
	})
}

// A rune of a text that looks like a stand-in is not shown as what that is for.
func TestStandInsOfOthers(t *testing.T) {
	both(t, func(t *testing.T) {
		in := "a" + string(rune(standIn+'b')) + "c" + string(rune(standIn+0x1b)) + string(rune(standIn+'d')) + "\u0301"
		for _, got := range []string{written(t, Screen(in)), string(Restore([]byte(Row(in))))} {
			if strings.ContainsAny(got, "bd\x1b") || Width(got) != Width(in) {
				t.Errorf("got %q", got)
			}
		}
	})
}

func TestPlainRowsAreNotCopied(t *testing.T) {
	s := "\x1b[1mplain\x1b[m rows │ with ✓ “signs”, 日本語 and é\n🎉"
	if n := testing.AllocsPerRun(20, func() { Screen(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	p := []byte(s)
	if got := Restore(p); &got[0] != &p[0] {
		t.Error("Restore copied")
	}
}

func TestWriter(t *testing.T) {
	var b bytes.Buffer
	in := "a\x1b[1m" + string(rune(standIn+'p')) + "\u0302\U0010fffd\U00100000\xf4\x8f"
	if n, err := (Writer{&b}).Write([]byte(in)); n != len(in) || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if want := "a\x1b[1mp\u0302\U0010fffd\U00100000\xf4\x8f"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestStandInsTakeTheCellsOfTheTerminal(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, tt := range texts {
			var st StandIns
			in := ansi.Strip(tt.in) + string(rune(filler)) + string(rune(firstStandIn))
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

func FuzzScreen(f *testing.F) {
	for _, tt := range texts {
		f.Add(tt.in, true)
		f.Add(tt.in, false)
	}
	f.Fuzz(func(t *testing.T, s string, clusters bool) {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 && r != '\n' || r >= 0x7f && r < 0xa0 || standsIn(r) }) {
			return // text was made safe long before
		}
		before := ByClusters()
		Measure(clusters)
		defer Measure(before)
		out := Screen(s)
		if !utf8.ValidString(out) || strings.Count(out, "\n") != strings.Count(s, "\n") {
			t.Fatalf("%q becomes %q", s, out)
		}
		for line := range strings.SplitSeq(out, "\n") {
			plain := strings.ReplaceAll(line, apart, "")
			// What has no cell of its own to begin with stays invisible.
			if r, _ := utf8.DecodeRuneInString(plain); plain != "" && ansi.WcWidth.StringWidth(string(r)) == 0 {
				return
			}
		}
		shown := norm.NFD.String(strings.ReplaceAll(written(t, out), "\u200d", ""))
		if want := norm.NFD.String(strings.ReplaceAll(s, "\u200d", "")); shown != want && !strings.ContainsFunc(s, orphan) {
			t.Fatalf("%q shows %q", s, shown)
		}
	})
}

// orphan reports runes that may be clusters without a cell.
func orphan(r rune) bool {
	return r >= utf8.RuneSelf && ansi.GraphemeWidth.StringWidth(string(r)) == 0
}

func BenchmarkScreen(b *testing.B) {
	row := "\x1b[1m│\x1b[m a row of prose as agents write it, with “quotes”, \x1b[32mcode()\x1b[m and what follows, up to the edge 日本語 ✓ " + strings.Repeat("─", 80) + "\n"
	for _, bb := range []struct{ name, rows string }{{"usual", strings.Repeat(row, 50)}, {"marks", strings.Repeat(row+"xe\u0301y हिन्दी 1👨\u200d👩\u200d👧\u200d👦2\n", 25)}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Screen(bb.rows)
			}
		})
	}
}
