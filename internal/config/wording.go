package config

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// show quotes a value of the file for a message, shortened.
func show(value string) string {
	const most = 60
	if len(value) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(value[cut]) {
			cut--
		}
		value = value[:cut] + "…"
	}
	return strconv.Quote(value)
}

// dotted returns a path in the notation of the file.
func dotted(path []string) string {
	parts := make([]string, len(path))
	for i, part := range path {
		parts[i] = part
		if !isBare(part) || strings.Contains(part, ".") {
			parts[i] = show(part)
		}
	}
	return strings.Join(parts, ".")
}

// isBare reports whether a name needs no quotes anywhere (except for dots in TOML).
func isBare(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	})
}

// oneLine makes control characters and broken UTF-8 visible.
func oneLine(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, odd) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if odd(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// suggest returns the name that was probably meant, or "".
func suggest(name string, names []string) string {
	const longest = 64
	if len(name) > longest {
		return ""
	}
	best, least := "", min(2, utf8.RuneCountInString(name)/2)+1
	for _, candidate := range names {
		if len(candidate) > longest {
			continue
		}
		if n := distance(strings.ToLower(name), strings.ToLower(candidate)); n < least {
			best, least = candidate, n
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + show(best) + "?)"
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
