package widget

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A paste over either limit becomes a chip.
const (
	chipLines = 10
	chipBytes = 2000
)

// Chips stand in the text as runes of the private plane 16. Such runes are dropped from all input, so no text can pose as
// a chip. (Plane 15, where icon fonts live, is left to the user.)
const (
	firstChip = 0x100000
	lastChip  = FirstToken - 1
)

func isChip(r rune) bool { return r >= firstChip && r <= 0x10FFFF }

type chip struct{ label, text string }

// chips holds what the chips of a composer stand for. A number is used once.
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

// keepOnly forgets the chips that do not stand in text.
func (ch *chips) keepOnly(text string) {
	for r := range ch.byRune {
		if !strings.ContainsRune(text, r) {
			delete(ch.byRune, r)
		}
	}
}

// expand writes text with what its chips stand for.
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

func chipLabel(text string) string {
	if n := countLines(text); n > 1 {
		return fmt.Sprintf("[pasted %d lines]", n)
	}
	return fmt.Sprintf("[pasted %s]", byteCount(len(text)))
}

// countLines counts the lines of text; a last newline ends a line, it does not begin one.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

func byteCount(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// InsertPaste puts pasted text at the cursor, cleaned as by Insert. More than 10 lines or 2000 bytes become a chip, in
// which tabs are kept.
func (c *Composer) InsertPaste(text string) {
	text = cleanText(text, true)
	if countLines(text) > chipLines || len(text) > chipBytes {
		if r, ok := c.chips.add(text); ok {
			c.killing = false
			c.replace(c.at, c.at, string(r))
			return
		}
	}
	c.Insert(text)
}

// chipBefore returns the chip right behind which the cursor stands.
func (c *Composer) chipBefore() (rune, int, bool) {
	r, n := lastRune(c.lines[c.at.line].text[:c.at.off])
	return r, n, n > 0 && isChip(r)
}

// Chip returns the text of the chip right before the cursor.
func (c *Composer) Chip() (string, bool) {
	r, _, ok := c.chipBefore()
	return c.chips.byRune[r].text, ok
}

// OpenChip replaces the chip right before the cursor by its text, to be edited. It says whether there was one.
func (c *Composer) OpenChip() bool {
	r, n, ok := c.chipBefore()
	if !ok || isToken(r) {
		return false
	}
	c.killing = false
	c.replace(place{c.at.line, c.at.off - n}, c.at, cleanInput(c.chips.byRune[r].text))
	return true
}

func cleanInput(s string) string { return cleanText(s, false) }

// cleanText makes text fit for the composer. Line ends become \n; escape sequences, control characters, broken UTF-8 and
// the runes of chips are dropped; tabs become blanks unless keepTabs.
func cleanText(s string, keepTabs bool) string {
	if cleanASCII(s) {
		return s
	}
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = ansi.Strip(s)
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			b.WriteByte('\n')
		case r == '\t' && keepTabs:
			b.WriteByte('\t')
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20, r >= 0x7f && r < 0xa0, isChip(r):
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func cleanASCII(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 0x20 || c >= 0x7f) && c != '\n' {
			return false
		}
	}
	return true
}
