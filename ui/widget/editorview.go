package widget

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"parley/ui/theme"
)

// rowRef names a row: one of the rows of a line.
type rowRef struct{ line, row int }

func (a rowRef) before(b rowRef) bool { return a.line < b.line || a.line == b.line && a.row < b.row }

// wrapped returns a line with its wrapping made.
func (c *Editor) wrapped(line int) *inputLine {
	l := c.lines[line]
	l.wrap(&c.chips, c.textWidth())
	return l
}

// step returns the row n rows after r (before, if n is negative), and how many steps there were.
func (c *Editor) step(r rowRef, n int) (rowRef, int) {
	done := 0
	for ; n > 0; n-- {
		switch {
		case r.row+1 < len(c.wrapped(r.line).starts):
			r.row++
		case r.line+1 < len(c.lines):
			r = rowRef{r.line + 1, 0}
		default:
			return r, done
		}
		done++
	}
	for ; n < 0; n++ {
		switch {
		case r.row > 0:
			r.row--
		case r.line > 0:
			r = rowRef{r.line - 1, len(c.wrapped(r.line-1).starts) - 1}
		default:
			return r, done
		}
		done++
	}
	return r, done
}

// Height returns how many rows the editor takes, from 1 to its maximum.
func (c *Editor) Height() int {
	_, n := c.step(rowRef{}, c.maxRows-1)
	return n + 1
}

// cursorRow returns the row of the cursor and its column in the text.
func (c *Editor) cursorRow() (rowRef, int) {
	l := c.wrapped(c.at.line)
	row := l.rowAt(c.at.off)
	return rowRef{c.at.line, row}, c.cells(l.text[l.starts[row]:c.at.off])
}

func (c *Editor) cells(text []byte) int {
	w := 0
	for len(text) > 0 {
		n, cw := c.chips.cluster(text, c.textWidth())
		w += cw
		text = text[n:]
	}
	return w
}

// window returns the first row of the window and its height, and the cursor's row in it: from where the window was, so
// far that it shows the cursor and no rows beyond the text.
func (c *Editor) window() (top rowRef, height, y int) {
	height = c.Height()
	cur, _ := c.cursorRow()
	top.line = min(c.top.line, len(c.lines)-1)
	top.row = min(c.top.row, len(c.wrapped(top.line).starts)-1)
	if cur.before(top) {
		top = cur
	}
	// A text that became shorter pulls the window back over its end.
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

// settle keeps the window where it is drawn, before something changes the text or moves the cursor.
func (c *Editor) settle() { c.top, _, _ = c.window() }

// Cursor returns where the terminal's cursor belongs, in cells from the widget's top left corner.
func (c *Editor) Cursor() (x, y int) {
	_, _, y = c.window()
	_, col := c.cursorRow()
	return promptWidth + col, y
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
		return []string{prompt + th.Placeholder.Paint(Truncate(oneLine(look.Placeholder), c.width-promptWidth, "…"))}
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

// paintRow draws a row, and what is selected of it.
func (c *Editor) paintRow(r rowRef, th *theme.Theme) string {
	l := c.wrapped(r.line)
	text := l.row(r.row)
	if c.vim.mode != vimVisual && c.vim.mode != vimVisualLine {
		return c.paint(text, th.Text, th)
	}
	from, to, _ := c.selected()
	start := l.starts[r.row]
	within := func(p place) int { // where in the row a place is
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

// paint draws the bytes of one row. The text is clean; only chips need work.
func (c *Editor) paint(text []byte, ink theme.Ink, th *theme.Theme) string {
	if len(text) == 0 {
		return ""
	}
	s := string(text)
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
		b = th.Chip.Append(b, Truncate(c.chips.label(r), c.textWidth(), "…"))
		i += n
		start = i
	}
	return string(b)
}

// vertical moves the cursor a row down or up, as near as it can to the column where the move began. It says whether there
// was a row to go to.
func (c *Editor) vertical(down bool) bool {
	cur, col := c.cursorRow()
	if c.goal < 0 {
		c.goal = col
	}
	n := -1
	if down {
		n = 1
	}
	to, moved := c.step(cur, n)
	if moved == 0 {
		c.goal = -1
		return false
	}
	l := c.wrapped(to.line)
	row := l.row(to.row)
	off, w := 0, 0
	for off < len(row) {
		size, cw := c.chips.cluster(row[off:], c.textWidth())
		// The end of a row that wraps on is the start of the next: stay before its last cluster.
		if w+cw > c.goal || off+size == len(row) && to.row+1 < len(l.starts) {
			break
		}
		off, w = off+size, w+cw
	}
	c.at = place{to.line, l.starts[to.row] + off}
	return true
}
