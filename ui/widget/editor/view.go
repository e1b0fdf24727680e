package editor

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
	"parley/ui/theme"
)

// Height returns how many rows the editor takes, from 1 to its maximum.
func (c *Editor) Height() int {
	_, n := c.step(rowRef{}, c.maxRows-1)
	return n + 1
}

// window returns the first row of the window, its height, and the cursor's row in it. It scrolls no further than needed to
// show the cursor and no row beyond the text.
func (c *Editor) window() (top rowRef, height, y int) {
	height = c.Height()
	cur, _ := c.rowOf(c.at)
	top.line = min(c.top.line, len(c.lines)-1)
	top.row = min(c.top.row, len(c.wrapped(top.line).starts)-1)
	if cur.before(top) {
		top = cur
	}
	// If the text became shorter, scroll back to its end.
	if _, n := c.step(top, height-1); n < height-1 {
		top, _ = c.step(top, n-(height-1))
	}
	for r := top; r != cur; y++ {
		if y == height-1 {
			top, _ = c.step(cur, -(height - 1))
			return top, height, y
		}
		r, _ = c.step(r, 1)
	}
	return top, height, y
}

// keepWindow notes what the window shows, before a change of the text or the cursor.
func (c *Editor) keepWindow() { c.top, _, _ = c.window() }

// Cursor returns where the terminal's cursor belongs, in cells from the widget's top left corner.
func (c *Editor) Cursor() (x, y int) {
	_, _, y = c.window()
	_, col := c.rowOf(c.at)
	return PromptWidth + col, y
}

// EditorLook says how an editor is drawn.
type EditorLook struct {
	Theme       *theme.Theme
	Prompt      string // before the first row, two cells; "" is "› "
	Placeholder string // shown while the editor is empty
}

// Rows draws the editor: Height rows of at most the set width.
func (c *Editor) Rows(look EditorLook) []string {
	th := look.Theme
	prompt := th.Prompt.Paint(cmp.Or(look.Prompt, "› "))
	if c.Empty() {
		return []string{prompt + th.Placeholder.Paint(text.FitHints(look.Placeholder, c.room+1))}
	}
	top, height, _ := c.window()
	rows := make([]string, 0, height)
	for r := top; len(rows) < height; r, _ = c.step(r, 1) {
		head := "  "
		if r == (rowRef{}) {
			head = prompt
		}
		rows = append(rows, head+c.paintRow(r, th))
	}
	return rows
}

// paintRow draws a row and the selection in it.
func (c *Editor) paintRow(r rowRef, th *theme.Theme) string {
	l := c.wrapped(r.line)
	text := l.row(r.row)
	if !c.vim.selecting() {
		return c.paint(text, th.Text, th)
	}
	from, to, _ := c.vim.selected()
	start := l.starts[r.row]
	within := func(p place) int { // the offset of a place in the row
		switch {
		case p.line < r.line:
			return 0
		case p.line > r.line:
			return len(text)
		}
		return max(0, min(p.off-start, len(text)))
	}
	a, b := within(from), within(to)
	return c.paint(text[:a], th.Text, th) + c.paint(text[a:b], th.Selected, th) + c.paint(text[b:], th.Text, th)
}

// paint draws the bytes of one row. Only chips need work: the text is clean.
func (c *Editor) paint(str []byte, ink theme.Ink, th *theme.Theme) string {
	if len(str) == 0 {
		return ""
	}
	s := string(str)
	if len(c.chips.byRune) == 0 || !strings.ContainsFunc(s, isChip) {
		return ink.Paint(s)
	}
	var b []byte
	for start, i := 0, 0; i <= len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if i < len(s) && !isChip(r) {
			i += n
			continue
		}
		b = ink.Append(b, s[start:i])
		if i == len(s) {
			break
		}
		b = th.Chip.Append(b, text.Truncate(c.chips.label(r), c.room, "…"))
		i += n
		start = i
	}
	return string(b)
}

// Click moves the cursor to the character at a cell, counted from the widget's top left corner, or to the end of the row if
// that is shorter.
func (c *Editor) Click(x, y int) {
	if c.Empty() {
		return
	}
	c.keepWindow()
	row, _ := c.step(c.top, min(max(y, 0), c.Height()-1))
	c.killing = false
	c.moveTo(c.placeAt(row, x-PromptWidth))
}
