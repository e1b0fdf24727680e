package editor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
	"parley/internal/token"
)

// SetTokens sets the function that labels tokens: they look like chips but stay runes in Value, so that
// a text with tokens can be stored and set again. A token for which it returns false has no meaning and
// is never inserted.
func (c *Editor) SetTokens(label func(r rune) (string, bool)) { c.tokenLabel = label }

// InsertToken puts a token at the cursor.
func (c *Editor) InsertToken(r rune) {
	if c.known(r) {
		c.keepWindow()
		c.insert(string(r))
	}
}

// known adds a chip for a token that has a label. It reports whether the token has one.
func (c *Editor) known(r rune) bool {
	if !token.Is(r) || c.tokenLabel == nil {
		return false
	}
	label, ok := c.tokenLabel(r)
	if ok {
		if c.chips.byRune == nil {
			c.chips.byRune, c.chips.next = map[rune]chip{}, firstChip
		}
		c.chips.byRune[r] = chip{text.OneLine(label), string(r)}
	}
	return ok
}

func (c *Editor) insertWithTokens(s string) {
	if !token.In(s) {
		c.Insert(s)
		return
	}
	for _, piece := range token.Split(s) {
		if r, ok := token.Of(piece); ok {
			c.InsertToken(r)
		} else {
			c.Insert(piece)
		}
	}
}

// Relabel updates the label of a token. A token without a meaning is replaced by a text.
func (c *Editor) Relabel(r rune, instead string) {
	if _, there := c.chips.byRune[r]; !there {
		return
	}
	if c.known(r) {
		for _, l := range c.lines {
			if bytes.ContainsRune(l.text, r) {
				l.width = 0 // wrap the line again
			}
		}
		return
	}
	c.keepWindow()
	instead = strings.ReplaceAll(text.CleanInput(instead), "\n", " ")
	for i, l := range c.lines {
		for {
			off := bytes.IndexRune(l.text, r)
			if off < 0 {
				break
			}
			at := c.at
			c.replace(place{i, off}, place{i, off + utf8.RuneLen(r)}, instead)
			if at.line == i && at.off > off {
				at.off += len(instead) - utf8.RuneLen(r)
			}
			c.at = place{at.line, c.snap(at.line, at.off)}
		}
	}
	c.yank = strings.ReplaceAll(c.yank, string(r), instead)
	delete(c.chips.byRune, r)
}

// TailBeforeCursor returns the last n bytes, or a few less, of what BeforeCursor returns.
// Its cost does not grow with the line.
func (c *Editor) TailBeforeCursor(n int) string {
	text := c.line(c.at)[:c.at.off]
	if len(text) > n {
		text = text[len(text)-n:]
		for len(text) > 0 && !utf8.RuneStart(text[0]) {
			text = text[1:]
		}
	}
	return blankChips(string(text))
}

func blankChips(s string) string {
	return strings.Map(func(r rune) rune {
		if isChip(r) {
			return ' '
		}
		return r
	}, s)
}

// AfterCursor returns the text of the cursor's line after the cursor; chips are
// spaces in it.
func (c *Editor) AfterCursor() string {
	return blankChips(string(c.line(c.at)[c.at.off:]))
}

// Before returns all text before the cursor, chips as spaces.
func (c *Editor) Before() string {
	return blankChips(c.text(place{}, c.at))
}

// DeleteAfter deletes the first n bytes after the cursor, which hold no chip.
func (c *Editor) DeleteAfter(n int) {
	line := c.lines[c.at.line].text
	n = min(n, len(line)-c.at.off)
	c.keepWindow()
	c.delete(c.at, place{c.at.line, c.at.off + n})
}
