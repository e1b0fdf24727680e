package safetext

import (
	"strings"
	"testing"
)

func TestSource(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"\tif a < b {  \n":           "\tif a < b {  \n",
		"a\r\nb\r\n":                 "a\r\nb\r\n",
		"a\rb\n":                     "a<\\r>b\n",
		"a\r":                        "a<\\r>",
		"\x1b[31mred\nplain\n":       "<\\x1b>[31mred\nplain\n",
		"a\u202eb\n":                 "a<U+202E>b\n",
		"a<U+202E>b\n":               "a<U+003C>U+202E>b\n",
		"a\u2028b\nc":                "a<U+2028>b\nc",
		"caf\u00e9 \u65e5\u672c\xff": "caf\u00e9 \u65e5\u672c<\\xff>",
	} {
		if got := Source(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Nothing that could harm a terminal is left, lines stay lines, and different lines stay different.
func FuzzSource(f *testing.F) {
	f.Add("a\r\n\x1b[1m\n", "a\n<\\x1b>[1m\n")
	f.Add("a\u202eb", "a<U+202E>b")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Source(a), Source(b)
		checkSafe(t, a, strings.ReplaceAll(x, "\r\n", "\n"))
		if strings.Count(x, "\n") != strings.Count(a, "\n") {
			t.Errorf("%q: %q has other lines", a, x)
		}
		if a != b && x == y {
			t.Errorf("%q and %q look the same: %q", a, b, x)
		}
	})
}
