package widget

import (
	"bytes"
	"slices"
	"strings"

	"parley/ui/glyphs"
)

const (
	promptWidth    = 2
	minEditorWidth = 5
)

// Editor is the multi-line input. It grows with its text up to a number of rows and then scrolls; long lines are
// wrapped softly. Use [NewEditor].
//
// A key costs about as much as moving the bytes after the cursor: only the rows around an edit are wrapped again, and
// only lines near the window are wrapped at all.
type Editor struct {
	lines      []*inputLine // never empty
	at         place        // always at the edge of a cluster
	goal       int          // column that vertical moves aim for; -1: the present one
	width      int
	maxRows    int
	top        rowRef // first row of the window, as it was before the last change
	yank       string
	killing    bool // the last key killed text: the next kill joins it
	chips      chips
	edits      undoLog
	vim        vim
	tokenLabel func(r rune) (string, bool) // nil: there are no tokens
}

// place is a position in the text: a line and a byte in it.
type place struct{ line, off int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.off < q.off }

// NewEditor returns an empty editor, 80 cells wide and up to 10 rows high.
func NewEditor() *Editor {
	return &Editor{lines: []*inputLine{{}}, goal: -1, width: 80, maxRows: 10}
}

// SetWidth sets the width in cells, prompt included.
func (c *Editor) SetWidth(width int) {
	if width = max(width, minEditorWidth); width != c.width {
		c.settle()
		c.width = width
	}
}

// SetMaxRows sets how many rows the editor may grow to, at least 1.
func (c *Editor) SetMaxRows(rows int) {
	if rows = max(rows, 1); rows != c.maxRows {
		c.settle()
		c.maxRows = rows
	}
}

// textWidth is how many cells of a row text may use. The cell after them is the cursor's at the end of a full row.
func (c *Editor) textWidth() int { return max(c.width-promptWidth-1, 2) }

// Empty says whether there is no text.
func (c *Editor) Empty() bool { return len(c.lines) == 1 && len(c.lines[0].text) == 0 }

// Value returns the text, with what was pasted in place of each chip. It costs a copy of the text.
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

// SetValue replaces the text, cleaned as by Insert but for tokens, and puts the
// cursor at its end.
func (c *Editor) SetValue(s string) {
	c.Reset()
	c.insertWithTokens(s)
	c.edits.reset() // a draft begins with it
}

// Reset empties the editor. The text killed last stays for ctrl+y.
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
	c.killing = false
	c.replace(c.at, c.at, cleanInput(s))
}

// BeforeCursor returns the text of the cursor's line up to the cursor; chips are spaces in it.
func (c *Editor) BeforeCursor() string {
	return strings.Map(func(r rune) rune {
		if isChip(r) {
			return ' '
		}
		return r
	}, string(c.lines[c.at.line].text[:c.at.off]))
}

// ReplaceBefore replaces the last n bytes of what BeforeCursor returns by s: how a completion goes in.
func (c *Editor) ReplaceBefore(n int, s string) {
	if before := c.BeforeCursor(); n < len(before) {
		// Chips are longer than the spaces in their place, so the tail is measured, not its place.
		tail := []rune(before[len(before)-max(n, 0):])
		text := c.lines[c.at.line].text[:c.at.off]
		n = 0
		for range tail {
			_, size := lastRune(text[:len(text)-n])
			n += size
		}
	} else {
		n = c.at.off
	}
	c.killing = false
	c.replace(place{c.at.line, c.at.off - n}, c.at, cleanInput(s))
}

// AtStart says whether the cursor is before all text.
func (c *Editor) AtStart() bool { return c.at == place{} }

// AtEnd says whether the cursor is after all text.
func (c *Editor) AtEnd() bool { return c.at == c.end() }

func (c *Editor) end() place {
	last := len(c.lines) - 1
	return place{last, len(c.lines[last].text)}
}

// MoveToStart puts the cursor before all text.
func (c *Editor) MoveToStart() { c.moveTo(place{}) }

// MoveToEnd puts the cursor after all text.
func (c *Editor) MoveToEnd() { c.moveTo(c.end()) }

func (c *Editor) moveTo(p place) { c.at, c.goal = p, -1 }

// replace puts ins, which is clean, in place of the text between from and to, and the cursor after it.
func (c *Editor) replace(from, to place, ins string) {
	c.settle()
	c.goal = -1
	if from != to || ins != "" {
		c.edits.note(from, c.text(from, to), ins)
	}
	first := c.lines[from.line]
	if from.line == to.line && strings.IndexByte(ins, '\n') < 0 {
		c.splice(first, from.off, to.off-from.off, ins)
		c.at = place{from.line, c.snap(from.line, from.off+len(ins))}
		return
	}
	tail := slices.Clone(c.lines[to.line].text[to.off:])
	parts := strings.Split(ins, "\n")
	c.splice(first, from.off, len(first.text)-from.off, parts[0])
	added := make([]*inputLine, 0, len(parts)-1)
	for _, p := range parts[1:] {
		added = append(added, &inputLine{text: []byte(p)})
	}
	c.lines = slices.Replace(c.lines, from.line+1, to.line+1, added...)
	last := from.line + len(added)
	at := len(c.lines[last].text)
	c.splice(c.lines[last], at, 0, string(tail))
	c.at = place{last, c.snap(last, at)}
}

// splice replaces n bytes of a line and keeps the wrapping of the rest.
func (c *Editor) splice(l *inputLine, at, n int, ins string) {
	if n == 0 && ins == "" {
		return
	}
	l.text = slices.Replace(l.text, at, at+n, []byte(ins)...)
	l.edited(&c.chips, at, n, len(ins))
}

// snap returns the first edge of a cluster at or after off: text put before a combining mark may have swallowed it.
func (c *Editor) snap(line, off int) int {
	l := c.lines[line]
	l.wrap(&c.chips, c.textWidth())
	for i := l.starts[l.rowAt(off)]; ; {
		if i >= off {
			return i
		}
		n, _ := c.chips.cluster(l.text[i:], c.textWidth())
		i += n
	}
}

// count returns how many characters there are before the cursor, and in all. A newline is one.
func (c *Editor) count() (before, all int) {
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

// text returns what is between two places, chips as their runes.
func (c *Editor) text(from, to place) string {
	if from.line == to.line {
		return string(c.lines[from.line].text[from.off:to.off])
	}
	var b bytes.Buffer
	b.Write(c.lines[from.line].text[from.off:])
	for i := from.line + 1; i < to.line; i++ {
		b.WriteByte('\n')
		b.Write(c.lines[i].text)
	}
	b.WriteByte('\n')
	b.Write(c.lines[to.line].text[:to.off])
	return b.String()
}
