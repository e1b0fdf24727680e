package editor

import (
	"strings"
	"unicode/utf8"

	"parley/internal/token"
)

// Part is a piece of an editor's text: typed, or a chip of pasted text.
type Part struct {
	Text   string
	Pasted bool
}

// Parts returns the text in pieces for SetParts.
func (c *Editor) Parts() []Part {
	var parts []Part
	var typed strings.Builder
	flush := func() {
		if typed.Len() > 0 {
			parts = append(parts, Part{Text: typed.String()})
			typed.Reset()
		}
	}
	for i, l := range c.lines {
		if i > 0 {
			typed.WriteByte('\n')
		}
		for text := l.text; len(text) > 0; {
			r, n := utf8.DecodeRune(text)
			if isChip(r) {
				flush()
				parts = append(parts, Part{c.chips.byRune[r].text, true})
			} else {
				typed.Write(text[:n])
			}
			text = text[n:]
		}
	}
	flush()
	return parts
}

// SetParts replaces the text, each piece cleaned as by Insert or InsertPaste, and
// puts the cursor at its end.
func (c *Editor) SetParts(parts []Part) {
	c.Reset()
	for _, p := range parts {
		switch r, n := utf8.DecodeRuneInString(p.Text); {
		case p.Pasted && token.Is(r) && n == len(p.Text):
			c.InsertToken(r)
		case p.Pasted:
			c.InsertPaste(p.Text)
		default:
			c.Insert(p.Text)
		}
	}
}

// SetEdited replaces the text by one from another editor. Chips whose texts are still in
// it, in the same order, stay chips.
func (c *Editor) SetEdited(text string) {
	var parts []Part
	for _, p := range c.Parts() {
		if !p.Pasted || p.Text == "" {
			continue
		}
		if before, after, ok := strings.Cut(text, p.Text); ok {
			parts = append(parts, Part{Text: before}, p)
			text = after
		}
	}
	c.SetParts(append(parts, Part{Text: text}))
}

// HasPrefix reports whether the first line begins with prefix. The text of a chip does not
// count.
func (c *Editor) HasPrefix(prefix string) bool {
	return strings.HasPrefix(string(c.lines[0].text), prefix)
}
