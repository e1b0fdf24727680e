package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// PrivatePlane is the first rune of plane 16: what an editor shows in a few cells is one of those in its text.
// They are dropped from all input. (Plane 15, where icon fonts live, is left to the user.)
const PrivatePlane = 0x100000

// CleanInput is cleanText without tabs.
func CleanInput(s string) string { return CleanText(s, false) }

// CleanText makes text fit for input. Line ends become \n; escape sequences, control characters, broken UTF-8 and
// the runes of privatePlane are dropped; tabs become spaces unless keepTabs.
func CleanText(s string, keepTabs bool) string {
	if cleanASCII(s) {
		return s
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = ansi.Strip(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			b.WriteByte('\n')
		case r == '\t' && keepTabs:
			b.WriteByte('\t')
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= PrivatePlane:
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func cleanASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 || c >= 0x7f) && c != '\n' {
			return false
		}
	}
	return true
}
