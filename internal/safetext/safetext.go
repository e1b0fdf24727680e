// Package safetext makes strings that came from a peer safe to print on a
// terminal. Every string that an agent sends passes through it once, where it
// enters the program; later code relies on that.
//
// The results of Clean, Line, Stream and Visible hold no control character
// except newline and tab (Line: neither), no escape sequence or part of one
// that a terminal could act on, no bidirectional control, and are valid UTF-8.
// Clean, Line and Visible are pure and safe for concurrent use; a Stream
// belongs to one goroutine. If there is nothing to change the argument itself
// is returned and nothing is allocated. Time is linear in the input.
package safetext

import (
	"strings"
	"unicode/utf8"
)

// Clean returns s without anything that could harm a terminal or deceive its reader. It removes
//
//   - complete escape sequences (CSI, OSC, DCS, APC, PM, SOS, ESC x), in their
//     7-bit and 8-bit forms, with their contents; an unfinished one ends at the
//     next line or after 4096 bytes
//   - C0 (except newline and tab), DEL and C1 controls
//   - bidirectional controls, zero-width and other invisible characters, tags;
//     a joiner is kept after a non-ASCII rune
//   - combining marks after eight in a row
//
// CR LF, a lone CR and U+2028/2029 become a newline, bytes that are not UTF-8
// become U+FFFD. Clean(Clean(s)) == Clean(s).
func Clean(s string) string {
	var st Stream
	out := st.Write(s)
	if st.halfLen > 0 {
		out += st.Flush()
	}
	return out
}

// Line returns s cleaned and on one line, for names and titles. Runs of white space that
// contain a newline or a tab become one space, the ends are trimmed, and text longer
// than max runes is cut to max runes, the last of which is "…".
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

// joinLines replaces each run of white space that contains a newline or a tab by one
// space.
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
		spaces := s[i : len(s)-len(rest)]
		if strings.ContainsAny(spaces, "\t\n") {
			spaces = " "
		}
		b.WriteString(spaces)
		s = rest
	}
	return b.String()
}
