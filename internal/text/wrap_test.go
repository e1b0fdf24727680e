package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
	"parley/ui/uitest"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"short", 10, []string{"short"}},
		{"one two three", 8, []string{"one two", "three"}},
		{"one two   three", 7, []string{"one two", "three"}},
		{"  indented text", 10, []string{"  indented", "text"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"trailing   ", 20, []string{"trailing"}},
		{"unbreakable", 4, []string{"unbr", "eaka", "ble"}},
		{"ab unbreakable", 5, []string{"ab", "unbre", "akabl", "e"}},
		{"日本語テキスト", 6, []string{"日本語", "テキス", "ト"}},
		{"see 日本語テキスト", 9, []string{"see 日本", "語テキス", "ト"}},
		{"👩‍👩‍👧👩‍👩‍👧", 3, []string{"👩‍👩‍👧", "👩‍👩‍👧"}},
		{"\x1b[31mred and blue\x1b[0m x", 8, []string{"\x1b[31mred and\x1b[m", "\x1b[31mblue\x1b[m x"}},
		{"a\tb", 10, []string{"a    b"}},
		{"a\x07b\x1b]0;t\x07c", 10, []string{"abc"}},
		{"日", 1, []string{"?"}},
	} {
		if got := Wrap(c.in, c.width); !slices.Equal(got, c.want) {
			t.Errorf("Wrap(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

// The two ways to wrap agree on what both can do, no word is lost, and styles change nothing in where rows break.
func TestWrapAgrees(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		var b strings.Builder
		for range rnd.IntN(40) {
			b.WriteString([]string{" ", " ", "a", "word", "longerword", "  "}[rnd.IntN(6)])
		}
		s, width := b.String(), 1+rnd.IntN(20)
		rows := Wrap(s, width)
		uitest.CheckStyled(t, rows, width)
		if got, want := strings.Join(strings.Fields(strings.Join(rows, "")), ""), strings.Join(strings.Fields(s), ""); got != want {
			t.Fatalf("Wrap(%q, %d) = %q", s, width, rows)
		}
		styled := Wrap("\x1b[32m"+s+"\x1b[m", width)
		uitest.CheckStyled(t, styled, width)
		for i := range styled {
			styled[i] = ansi.Strip(styled[i])
		}
		if !slices.Equal(styled, rows) {
			t.Fatalf("Wrap(%q, %d): plain %q, styled %q", s, width, rows, styled)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		tail  string
		want  string
	}{
		{"hello", 5, "…", "hello"}, {"hello", 4, "…", "hel…"}, {"hello", 0, "…", ""}, {"hello", 1, "…", "…"},
		{"日本語", 4, "…", "日…"}, {"日本語", 5, "…", "日本…"}, {"hello", 2, "...", "he"},
		{"\x1b[1mhello\x1b[m", 3, "…", "\x1b[1mhe…\x1b[m"}, {"a\tb", 6, "…", "a    b"}, {"ab\x07", 2, "…", "ab"},
	} {
		if got := Truncate(c.in, c.width, c.tail); got != c.want {
			t.Errorf("Truncate(%q, %d, %q) = %q, want %q", c.in, c.width, c.tail, got, c.want)
		}
	}
}

func TestWidthAgreesWithTheLibrary(t *testing.T) {
	for _, s := range []string{"", "abc", "日本語", "👩‍👩‍👧 x", "e\u0301", "\x1b[1mx\x1b[m", "🇩🇪🇫🇷", "\u200bx"} {
		if got, want := Width(s), ansi.StringWidth(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestOverlay(t *testing.T) {
	base := []string{"abcdefgh", "日本語日", "\x1b[31mred red red\x1b[m", "", "last"}
	for _, c := range []struct {
		top  []string
		x, y int
		want []string
	}{
		{[]string{"XX"}, 2, 0, []string{"abXXefgh", base[1], base[2], "", "last"}},
		{[]string{"XX", "XX"}, 3, 0, []string{"abcXXfgh", "日 XX 日", base[2], "", "last"}},
		{[]string{"X"}, 4, 2, []string{base[0], base[1], "\x1b[31mred \x1b[mX\x1b[31med red\x1b[m", "", "last"}},
		{[]string{"X"}, 3, 3, []string{base[0], base[1], base[2], "   X", "last"}},
		{[]string{"abc"}, -2, 4, []string{base[0], base[1], base[2], "", "cast"}},
		{[]string{"1", "2"}, 0, -1, []string{"2bcdefgh", base[1], base[2], "", "last"}},
		{[]string{"1", "2"}, 0, 4, []string{base[0], base[1], base[2], "", "1ast"}},
		{[]string{"\x1b[7mX\x1b[m"}, 1, 0, []string{"a\x1b[7mX\x1b[mcdefgh", base[1], base[2], "", "last"}},
	} {
		if got := Overlay(base, c.top, c.x, c.y); !slices.Equal(got, c.want) {
			t.Errorf("Overlay %q at %d,%d:\ngot  %q\nwant %q", c.top, c.x, c.y, got, c.want)
		}
	}
}

func BenchmarkOverlay200x50(b *testing.B) {
	var base, top []string
	for i := range 50 {
		base = append(base, fmt.Sprintf("\x1b[32m%3d\x1b[m ", i)+strings.Repeat("some text \x1b[1mbold\x1b[m ", 13))
	}
	for range 20 {
		top = append(top, "\x1b[36m│\x1b[m"+strings.Repeat("menu item ", 7)+"\x1b[36m│\x1b[m")
	}
	b.ReportAllocs()
	for b.Loop() {
		_ = Overlay(base, top, 60, 15)
	}
}

func BenchmarkWrap10kB(b *testing.B) {
	for _, s := range []string{"plain words and more ", "\x1b[1mstyled\x1b[m words and more "} {
		text := strings.Repeat(s, 10<<10/len(s))
		b.Run(strings.Fields(ansi.Strip(s))[0], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = Wrap(text, 100)
			}
		})
	}
}

// Where the terminal adds up runes, rows are measured as it does, and the emoji of
// a joined sequence are apart.
func TestRowsOfATerminalThatAddsUpRunes(t *testing.T) {
	glyphs.Measure(false)
	defer glyphs.Measure(true)
	const family = "👩\u200d👩\u200d👧"
	for s, want := range map[string]int{family: 6, "👍🏽": 4, "1\ufe0f\u20e3": 1, "हिन्दी": 5, "x\u0302y": 2, "日本": 4, "🇩🇪": 2} {
		if got := Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
	}
	if rows := Wrap(family+family, 4); len(rows) != 3 || rows[0] != "👩\u200d👩\u200d" {
		t.Errorf("got %q", rows)
	}
	if got := Truncate("a"+family+"b", 6, "…"); got != "a👩\u200d👩\u200d…" {
		t.Errorf("got %q", got)
	}
}
