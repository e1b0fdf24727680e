package config

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/closest"
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

// suggest names what was probably meant, or returns "".
func suggest(name string, names []string) string {
	if best := closest.Name(name, names); best != "" {
		return " (did you mean " + show(best) + "?)"
	}
	return ""
}
