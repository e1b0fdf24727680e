package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything made visible that a reader would miss, for
// questions whose answer has consequences. Nothing is removed, and different
// strings have different results:
//
//   - ASCII controls and bytes that are not UTF-8 as <\x1b>, CR as <\r>
//   - other invisible runes, non-ASCII spaces, and combining marks without a
//     base or with too many before them, as <U+202E>
//   - a tab as → and three spaces, spaces at the end of a line as ·
//   - newlines are kept
//
// Plain text that looks like one of these marks has its first rune shown by
// number: the text "<U+202E>" becomes "<U+003C>U+202E>".
func Visible(s string) string {
	if !strings.Contains(s, "<") && asciiPrefix(s) == len(s) && !strings.Contains(s, "\t") && !spaceAtLineEnd(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/8)
	trailing, marks, base := lineTail(s), 0, false
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		mark := unicode.In(r, unicode.Mn, unicode.Me)
		if mark {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n':
			b.WriteByte('\n')
			trailing = i + size + lineTail(s[i+size:])
		case r == ' ' && i >= trailing:
			b.WriteString("·")
		case mark && (!base || marks > maxMarks):
			writeCode(&b, r)
		default:
			writeVisible(&b, r, s[i:i+size], s[i+size:], i >= trailing)
		}
		base = mark && base || unicode.IsLetter(r) && !hidden(r)
		i += size
	}
	return b.String()
}

// writeVisible writes one rune. raw holds its bytes, after the text that follows.
func writeVisible(b *strings.Builder, r rune, raw, after string, trailing bool) {
	switch {
	case r == '\t':
		b.WriteString("→   ")
	case r == '\r':
		b.WriteString(`<\r>`)
	case r < 0x20 || r == 0x7f || r == utf8.RuneError && len(raw) == 1:
		fmt.Fprintf(b, `<\x%02x>`, raw[0])
	case r == '<' && (strings.HasPrefix(after, "U+") || strings.HasPrefix(after, `\`)),
		r == '→' && strings.HasPrefix(after, "   "),
		r == '·' && trailing,
		hidden(r):
		writeCode(b, r)
	default:
		b.WriteRune(r)
	}
}

func writeCode(b *strings.Builder, r rune) { fmt.Fprintf(b, "<U+%04X>", r) }

// HasSuspicious reports whether s contains something that a reader would not see or that
// would act on a terminal: what Visible shows by number or escape, except CR LF, emoji
// variation selectors, and joiners where Clean keeps them. Tabs and spaces at line ends
// are not suspicious.
func HasSuspicious(s string) bool {
	if asciiPrefix(s) == len(s) {
		return false
	}
	marks, prev := 0, rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		c := classify(r, size)
		i += size
		if c == classMark {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\t' || r == 0xfe0e || r == 0xfe0f:
		case r == '\r' && strings.HasPrefix(s[i:], "\n"):
		case c == classJoiner && joins(prev):
		case c == classInvalid, marks > maxMarks, hidden(r):
			return true
		}
		prev = r
	}
	return false
}

// hidden reports whether r draws nothing or looks different from font to font.
func hidden(r rune) bool {
	if r >= 0x20 && r < 0x7f {
		return false
	}
	switch {
	case filler(r),
		r == emptyBraille,
		r == 0x17b4 || r == 0x17b5, // Khmer inherent vowels
		r >= 0x180b && r <= 0x180f, // Mongolian selectors
		r == 0xfe0e || r == 0xfe0f:
		return true
	}
	return hiddenFormat(r) || !unicode.IsPrint(r)
}

// lineTail returns where the spaces at the end of the first line of s begin; tabs and ·
// count as spaces.
func lineTail(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return len(strings.TrimRight(s, " \t·"))
}

func spaceAtLineEnd(s string) bool {
	return strings.HasSuffix(s, " ") || strings.Contains(s, " \n")
}
