package editor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"parley/ui/widget/text"
)

// Tokens are chips of the editor's owner: runes that it gives a meaning, such as
// an image. They look like chips, and stay runes in Value, so that a text with
// tokens can be kept and put back. Nothing that is typed or pasted holds one.
const (
	FirstToken = 0x108000
	LastToken  = 0x10FFFD
)

func isToken(r rune) bool { return r >= FirstToken && r <= LastToken }

// SetTokens says how tokens are labelled; false for one that means nothing, and is
// dropped where it would be put.
func (c *Editor) SetTokens(label func(r rune) (string, bool)) { c.tokenLabel = label }

// HasTokens tells whether a text, such as a Value, holds one.
func HasTokens(s string) bool { return strings.ContainsFunc(s, isToken) }

// SplitTokens cuts a text into tokens, each alone, and what is between them.
func SplitTokens(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		if !isToken(r) {
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

// Token returns the token that a piece of SplitTokens is.
func Token(piece string) (rune, bool) {
	r, n := utf8.DecodeRuneInString(piece)
	return r, n == len(piece) && isToken(r)
}

// InsertToken puts a token at the cursor.
func (c *Editor) InsertToken(r rune) {
	if c.known(r) {
		c.settle()
		c.insert(string(r))
	}
}

// known makes a chip of a token that has a label.
func (c *Editor) known(r rune) bool {
	if !isToken(r) || c.tokenLabel == nil {
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
	if !HasTokens(s) {
		c.Insert(s)
		return
	}
	for _, piece := range SplitTokens(s) {
		if r, ok := Token(piece); ok {
			c.InsertToken(r)
		} else {
			c.Insert(piece)
		}
	}
}

// Relabel asks for the label of a token again; one that no longer means anything is
// replaced by a text.
func (c *Editor) Relabel(r rune, instead string) {
	if _, there := c.chips.byRune[r]; !there {
		return
	}
	if c.known(r) {
		for _, l := range c.lines {
			if bytes.ContainsRune(l.text, r) {
				l.width = 0 // its rows break elsewhere now
			}
		}
		return
	}
	c.settle()
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

// TailBeforeCursor returns the end of what BeforeCursor does: n bytes, or a few
// less. Its cost does not grow with the line.
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
	c.settle()
	c.delete(c.at, place{c.at.line, c.at.off + n})
}
