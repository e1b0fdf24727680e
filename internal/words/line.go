package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine joins the words of a text by single spaces.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FirstLine returns the first line of a text, with "…" if more follows.
func FirstLine(s string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if rest != "" {
		first += " …"
	}
	return first
}

// Clip cuts a text to at most n bytes, at the end of a character. It keeps nothing of a longer one in memory.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.Clone(s[:n])
}

// Sentence returns a text with a capital first letter.
func Sentence(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}
