// Package snippet shows where a word was found in a text.
package snippet

import (
	"strings"
	"unicode/utf8"

	"parley/internal/safetext"
	"parley/internal/words"
)

// Lengths of a snippet, in characters.
const (
	before = 24
	most   = 120
)

// Find looks for the last place of a lower-case word in a text, whatever its case there. around
// is the text around it, on one line and safe to show.
func Find(text, word string) (around string, ok bool) {
	lower := strings.ToLower(text)
	at := strings.LastIndex(lower, word)
	if at < 0 {
		return "", false
	}
	if len(lower) != len(text) { // some letters change their length, none their number
		n := utf8.RuneCountInString(lower[:at])
		for at = 0; n > 0; n-- {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
		}
	}
	from := at
	for n := 0; n < before && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	cut := from > 0
	if cut { // begin with a whole word, if one begins before the match
		if i := strings.IndexAny(text[from:at], " \n\t"); i >= 0 {
			from += i + 1
		}
	}
	around = safetext.Line(words.OneLine(words.Clip(text[from:], 4*most)), most)
	if cut {
		around = "…" + around
	}
	return around, true
}
