package widget

// Click puts the cursor where a cell of the widget is, counted from its top left corner: at the character there, or at the
// end of the row where it has none that far.
func (c *Editor) Click(x, y int) {
	if c.Empty() {
		return
	}
	c.settle()
	to, _ := c.step(c.top, min(max(y, 0), c.Height()-1))
	l := c.wrapped(to.line)
	row := l.row(to.row)
	off, w := 0, 0
	for off < len(row) {
		size, cw := c.chips.cluster(row[off:], c.textWidth())
		// The end of a row that wraps on is the start of the next: stay before its last cluster.
		if w+cw > x-promptWidth || off+size == len(row) && to.row+1 < len(l.starts) {
			break
		}
		off, w = off+size, w+cw
	}
	c.killing = false
	c.moveTo(place{to.line, l.starts[to.row] + off})
}
