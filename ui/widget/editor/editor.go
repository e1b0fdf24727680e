// Package editor is a text editor for prompts: keys as in readline or vi, undo, chips for
// pasted text, soft wrapping.
package editor

import (
	"strings"
	"unicode/utf8"

	"parley/internal/glyphs"
	"parley/internal/text"
)

const (
	// PromptWidth is how many cells the prompt before the text takes.
	PromptWidth    = 2
	minEditorWidth = 5
)

// Editor is a multi-line input. It grows with its text up to a number of rows and then scrolls. Long lines are wrapped
// softly. Use [New].
//
// A key costs about as much as moving the bytes after the cursor: only the rows around an edit are wrapped again, and
// only lines near the window are wrapped at all.
type Editor struct {
	buffer
	at         place // always at the edge of a cluster
	goal       int   // column that vertical moves aim for; -1: the current one
	maxRows    int
	top        rowRef // first row of the window before the last change
	yank       string
	killing    bool // the last key killed text: the next kill joins it
	edits      undoLog
	vim        vim
	tokenLabel func(r rune) (string, bool) // nil: there are no tokens
}

// New returns an empty editor, 80 cells wide and up to 10 rows high.
func New() *Editor {
	c := &Editor{buffer: buffer{lines: []*inputLine{{}}}, goal: -1, maxRows: 10}
	c.vim.e = c
	c.SetWidth(80)
	return c
}

// SetWidth sets the width in cells, prompt included.
func (c *Editor) SetWidth(width int) {
	if room := max(width, minEditorWidth) - PromptWidth - 1; room != c.room {
		if c.room > 0 {
			c.keepWindow()
		}
		c.room = room
	}
}

// SetMaxRows sets how many rows the editor may grow to, at least 1.
func (c *Editor) SetMaxRows(rows int) {
	if rows = max(rows, 1); rows != c.maxRows {
		c.keepWindow()
		c.maxRows = rows
	}
}

// Empty reports whether there is no text.
func (c *Editor) Empty() bool { return c.empty() }

// Value returns the text, with the pasted text for each chip. It copies the text.
func (c *Editor) Value() string {
	n := len(c.lines)
	for _, l := range c.lines {
		n += len(l.text)
	}
	var b strings.Builder
	b.Grow(n)
	for i, l := range c.lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		c.chips.expand(&b, l.text)
	}
	return b.String()
}

// SetValue replaces the text, cleaned as by Insert except that tokens stay, and puts the
// cursor at its end.
func (c *Editor) SetValue(s string) {
	c.Reset()
	c.insertWithTokens(s)
	c.edits.reset() // undo stops here
}

// Reset empties the editor. It keeps the killed text for ctrl+y.
func (c *Editor) Reset() {
	c.lines = []*inputLine{{}}
	c.at, c.goal, c.top, c.killing = place{}, -1, rowRef{}, false
	c.edits.reset()
	c.vim.begin()
	c.chips.keepOnly(c.yank)
}

// Insert puts text at the cursor. Line ends become \n, tabs four spaces; control characters, escape sequences and the
// runes of chips are dropped.
func (c *Editor) Insert(s string) {
	c.keepWindow()
	c.insert(text.CleanInput(s))
}

func (c *Editor) insert(clean string) {
	c.killing = false
	c.replace(c.at, c.at, clean)
}

// BeforeCursor returns the text of the cursor's line up to the cursor; chips are spaces in it.
func (c *Editor) BeforeCursor() string { return blankChips(c.text(c.lineStart(c.at), c.at)) }

// ReplaceBefore replaces the last n bytes of what BeforeCursor returns by s, which completes them.
func (c *Editor) ReplaceBefore(n int, s string) {
	c.keepWindow()
	if before := c.BeforeCursor(); n < len(before) {
		// Chips are longer than the spaces that BeforeCursor has for them, so count runes, not bytes.
		tail := []rune(before[len(before)-max(n, 0):])
		text := c.line(c.at)[:c.at.off]
		n = 0
		for range tail {
			_, size := utf8.DecodeLastRune(text[:len(text)-n])
			n += size
		}
	} else {
		n = c.at.off
	}
	c.killing = false
	c.replace(place{c.at.line, c.at.off - n}, c.at, text.CleanInput(s))
}

func (c *Editor) moveTo(p place) { c.at, c.goal = p, -1 }

// replace replaces the text between from and to by ins, which is clean, and puts the cursor after it.
func (c *Editor) replace(from, to place, ins string) {
	if from != to || ins != "" {
		c.edits.note(from, c.text(from, to), ins)
	}
	c.moveTo(c.buffer.replace(from, to, ins))
}

// Count returns how many characters there are before the cursor, and in all. A newline is one.
func (c *Editor) Count() (before, all int) {
	for i, l := range c.lines {
		if i > 0 {
			all++
		}
		if i == c.at.line {
			before = all + clusters(l.text[:c.at.off])
		}
		all += clusters(l.text)
	}
	return before, all
}

func clusters(text []byte) int {
	n := 0
	for ; len(text) > 0; n++ {
		c, _ := glyphs.Whole(text)
		text = text[len(c):]
	}
	return n
}
