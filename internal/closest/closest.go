// Package closest finds the name that a mistyped one was probably meant to be.
package closest

import (
	"strings"
	"unicode/utf8"
)

// Name returns the name that differs least from a mistyped one, ignoring case, or "" if none is close.
func Name(typed string, names []string) string {
	const longest = 64
	if len(typed) > longest {
		return ""
	}
	best, least := "", min(2, utf8.RuneCountInString(typed)/2)+1
	for _, name := range names {
		if len(name) > longest {
			continue
		}
		if n := distance(strings.ToLower(typed), strings.ToLower(name)); n < least {
			best, least = name, n
		}
	}
	return best
}

// distance returns the number of runes to insert, delete or replace.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j, q := range t {
			cost := diagonal
			if r != q {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(t)]
}
