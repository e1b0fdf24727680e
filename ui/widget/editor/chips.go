package editor

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/token"
	"parley/internal/words"
)

// A paste over either limit becomes a chip.
const (
	chipLines = 10
	chipBytes = 2000
)

// Chips are runes of the private plane 16 in the text. cleanInput drops these runes from everything typed or pasted, so
// that no text can forge a chip.
const (
	firstChip = text.PrivatePlane
	lastChip  = token.First - 1
)

func isChip(r rune) bool { return r >= firstChip && r <= utf8.MaxRune }

type chip struct{ label, text string }

// chips holds the texts of an editor's chips. A number is used once.
type chips struct {
	byRune map[rune]chip
	next   rune
}

func (ch *chips) add(text string) (rune, bool) {
	if ch.byRune == nil {
		ch.byRune, ch.next = map[rune]chip{}, firstChip
	}
	if ch.next > lastChip {
		return 0, false
	}
	r := ch.next
	ch.next++
	ch.byRune[r] = chip{chipLabel(text), text}
	return r, true
}

func (ch *chips) label(r rune) string { return ch.byRune[r].label }

// keepOnly forgets the chips that are not in text.
func (ch *chips) keepOnly(text string) {
	for r := range ch.byRune {
		if !strings.ContainsRune(text, r) {
			delete(ch.byRune, r)
		}
	}
}

// expand writes text with the texts of its chips.
func (ch *chips) expand(b *strings.Builder, text []byte) {
	if len(ch.byRune) == 0 {
		b.Write(text)
		return
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if isChip(r) {
			b.WriteString(ch.byRune[r].text)
		} else {
			b.Write(text[:n])
		}
		text = text[n:]
	}
}

func chipLabel(s string) string {
	if n := words.CountLines(s); n > 1 {
		return "[pasted " + words.Count(n, "line") + "]"
	}
	return fmt.Sprintf("[pasted %s]", words.Bytes(len(s)))
}

// InsertPaste puts pasted text at the cursor, cleaned as by Insert. More than 10 lines or 2000 bytes become a chip, in
// which tabs are kept.
func (c *Editor) InsertPaste(s string) {
	s = text.CleanText(s, true)
	if words.CountLines(s) > chipLines || len(s) > chipBytes {
		if r, ok := c.chips.add(s); ok {
			c.keepWindow()
			c.insert(string(r))
			return
		}
	}
	c.Insert(s)
}
