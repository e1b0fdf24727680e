// Package safetext makes strings that came from a peer safe to print on a
// terminal. It is called once, at the door, for every string an agent sends;
// what is behind the door relies on it.
//
// The contract: what Clean, Line, Stream and Visible return holds no control
// character but newline and tab (Line: neither), no escape sequence or part of
// one that a terminal could act on, no bidirectional control, and is valid
// UTF-8. Clean, Line and Visible are pure and safe for concurrent use; a Stream
// belongs to one goroutine. Strings are never written to; when nothing has to
// be done the argument itself is returned and nothing is allocated. Time is
// linear in the input and nothing blocks.
package safetext

import (
	"strings"
	"unicode/utf8"
)

// Clean returns s without what could harm a terminal or deceive its reader:
//
//   - complete escape sequences (CSI, OSC, DCS, APC, PM, SOS, ESC x), in their
//     7-bit and 8-bit forms, with their contents; an unfinished one ends at the
//     next line or after 4096 bytes
//   - C0 (but newline and tab), DEL and C1 controls
//   - bidirectional controls, zero-width and other invisible characters, tags;
//     a joiner stays after a rune that is not ASCII
//   - combining marks beyond eight in a row
//
// CR LF, a lone CR and U+2028/2029 become a newline, bytes that are not UTF-8
// become U+FFFD. Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	var st Stream
	out := st.Write(s)
	if st.halved > 0 {
		out += st.Flush()
	}
	return out
}

// Line returns s cleaned and on one line, for names and titles: runs of blanks
// that hold a newline or a tab become one space, the ends are trimmed, and what
// is longer than max runes is cut to max runes of which the last is "…".
func Line(s string, max int) string {
	if max <= 0 {
		return ""
	}
	s = strings.Trim(Clean(s), " \t\n")
	if strings.ContainsAny(s, "\n\t") {
		s = joinLines(s)
	}
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	n := 0
	for i := range s {
		if n == max-1 {
			return strings.TrimRight(s[:i], " ") + "…"
		}
		n++
	}
	return s
}

// joinLines replaces each run of blanks that is more than spaces by one space.
func joinLines(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		i := strings.IndexAny(s, " \t\n")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		rest := strings.TrimLeft(s[i:], " \t\n")
		blanks := s[i : len(s)-len(rest)]
		if strings.ContainsAny(blanks, "\t\n") {
			blanks = " "
		}
		b.WriteString(blanks)
		s = rest
	}
	return b.String()
}
