package text

import (
	"strings"
	"unicode"

	"parley/internal/words"
)

// MoreRows says how many rows follow below those that are shown.
func MoreRows(n int) string { return words.Count(n, "more row") + " ↓" }

// WordRune reports whether a character is part of a word.
func WordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// OneLine makes plain text fit on one row.
func OneLine(s string) string {
	if strings.IndexByte(s, '\n') >= 0 {
		s = strings.ReplaceAll(s, "\n", " ")
	}
	return Visible(s)
}
