// Package token has the runes that mean something else in a text, such as an image in a prompt. Typed or
// pasted text never contains one.
package token

import (
	"strings"
	"unicode/utf8"
)

// The first and the last token.
const (
	First = 0x108000
	Last  = 0x10FFFD
)

// Is reports whether a rune is a token.
func Is(r rune) bool { return r >= First && r <= Last }

// In reports whether a text contains a token.
func In(s string) bool { return strings.ContainsFunc(s, Is) }

// Split splits a text into single tokens and the text between them.
func Split(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		if !Is(r) {
			continue
		}
		if i > start {
			out = append(out, s[start:i])
		}
		start = i + utf8.RuneLen(r)
		out = append(out, s[i:start])
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// Of returns the token that a piece of Split is.
func Of(piece string) (rune, bool) {
	r, n := utf8.DecodeRuneInString(piece)
	return r, n == len(piece) && Is(r)
}
