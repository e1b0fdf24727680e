package chat

import (
	"strings"

	"parley/acpclient/thread"
	"parley/ui/widget"
)

// drag is a stretch of text that the mouse has selected. Its ends are characters
// of lines and not cells of the screen, so it stays what it is whatever comes,
// changes size or is opened.
type drag struct {
	on           bool
	anchor, head point
}

// point is a character of a line of a segment, from lo up to hi; both are the same
// beside the text.
type point struct {
	item, seg int
	key       lineKey
	lo, hi    int
}

// compare orders points by their lines.
func (p point) compare(item, seg int, key lineKey) int {
	switch {
	case p.item != item:
		return p.item - item
	case p.seg != seg:
		return p.seg - seg
	}
	return p.key.compare(key)
}

// ends are the two ends, the earlier first.
func (d *drag) ends() (start, end point) {
	if c := d.head.compare(d.anchor.item, d.anchor.seg, d.anchor.key); c < 0 || c == 0 && d.head.lo < d.anchor.lo {
		return d.head, d.anchor
	}
	return d.anchor, d.head
}

// covers is what of a line is selected, of its bytes.
func (d *drag) covers(item, seg int, key lineKey, size int) (from, to int) {
	start, end := d.ends()
	to = size
	switch c := start.compare(item, seg, key); {
	case c > 0:
		return 0, 0
	case c == 0:
		from = min(start.lo, size)
	}
	switch c := end.compare(item, seg, key); {
	case c < 0:
		return 0, 0
	case c == 0:
		to = min(end.hi, size)
	}
	return from, max(from, to)
}

// pointAt is the character in a cell of the visible rows; rows above and below
// are the first and the last one.
func (v *View) pointAt(row, cell int) (point, bool) {
	v.Rows()
	switch {
	case len(v.places) == 0:
		return point{}, false
	case row < 0:
		row, cell = 0, 0
	case row >= len(v.places):
		row, cell = len(v.places)-1, unwrapped
	}
	p := v.places[row]
	m := v.text(p.item, p.seg)
	if p.row >= len(m.rows) {
		return point{}, false
	}
	at := point{item: p.item, seg: p.seg, key: lineKey{-1, 0}}
	r := m.rows[p.row]
	if r.line < 0 {
		return at, true
	}
	at.key, at.lo, at.hi = m.lines[r.line].key, r.from, r.from
	if cell >= r.col {
		start, end := widget.Cell(m.lines[r.line].text[r.from:r.to], cell-r.col)
		at.lo, at.hi = r.from+start, r.from+end
	}
	return at, true
}

// DragFrom begins to select text at a cell of the visible rows. The end is no
// longer followed: what is selected stays under the pointer.
func (v *View) DragFrom(row, cell int) {
	at, ok := v.pointAt(row, cell)
	v.drag = drag{on: ok, anchor: at, head: at}
	v.dirty = true
}

// DragTo selects up to a cell of the visible rows, that one included.
func (v *View) DragTo(row, cell int) {
	if at, ok := v.pointAt(row, cell); ok && v.drag.on {
		v.leave()
		v.drag.head, v.dirty = at, true
	}
}

// Undrag selects no text any more; where the end is in sight it is followed.
func (v *View) Undrag() {
	if !v.drag.on {
		return
	}
	v.drag, v.dirty = drag{}, true
	v.followEnd()
}

// followEnd follows the end where that can be seen.
func (v *View) followEnd() {
	if !v.follow && !v.selection.on && v.ready() && v.room(v.top) <= v.height {
		v.follow = true
	}
}

// Dragged tells whether text is selected.
func (v *View) Dragged() bool { return v.drag.on && v.DraggedText() != "" }

// paintDrag paints what of rows is selected; the first of them is at p.
func (v *View) paintDrag(p place, rows []string) {
	if !v.drag.on {
		return
	}
	start, end := v.drag.ends()
	if p.item < start.item || p.item > end.item {
		return
	}
	m := v.text(p.item, p.seg)
	for n := range rows {
		if p.row+n >= len(m.rows) || m.rows[p.row+n].line < 0 {
			continue
		}
		r := m.rows[p.row+n]
		line := &m.lines[r.line]
		from, to := v.drag.covers(p.item, p.seg, line.key, len(line.text))
		left, right := r.cells(line.text, from, to)
		rows[n] = widget.Highlight(rows[n], left, right, v.th.Selected)
	}
}

// cells are those in which a row shows bytes of its line.
func (r textRow) cells(text string, from, to int) (left, right int) {
	from, to = max(from, r.from), min(to, r.to)
	if from >= to {
		return 0, 0
	}
	left = r.col + widget.Width(text[r.from:from])
	return left, left + widget.Width(text[from:to])
}

// DraggedText is the text that is selected: without indents, bars and what was
// wrapped; a message of which all is selected as it was written.
func (v *View) DraggedText() string {
	if !v.drag.on || !v.ready() {
		return ""
	}
	start, end := v.drag.ends()
	var b strings.Builder
	any := false
	for i := start.item; i <= end.item && i < len(v.thread.Items); i++ {
		if !v.hasRows(i) {
			continue
		}
		text, ok := v.draggedOf(i, start, end)
		if !ok {
			continue
		}
		if any {
			b.WriteByte('\n')
			if v.parted(i) {
				b.WriteByte('\n')
			}
		}
		b.WriteString(text)
		any = true
	}
	return b.String()
}

// draggedOf is what of an item is selected; false for nothing.
func (v *View) draggedOf(i int, start, end point) (string, bool) {
	if v.draggedWhole(i, start, end) {
		return strings.Trim(string(v.thread.Items[i].Text), "\n"), true
	}
	first, last := 0, v.segments(i)-1
	if i == start.item {
		first = start.seg
	}
	if i == end.item {
		last = min(last, end.seg)
	}
	var out []string
	any := false
	for k := first; k <= last; k++ {
		m := v.text(i, k)
		for n := range m.lines {
			line := &m.lines[n]
			from, to := v.drag.covers(i, k, line.key, len(line.text))
			switch {
			case line.aside, start.compare(i, k, line.key) > 0, end.compare(i, k, line.key) < 0:
				continue
			case from == 0 && to == len(line.text) && line.raw != "":
				out = append(out, line.raw)
			default:
				out = append(out, line.text[from:to])
			}
			any = any || to > from
		}
	}
	return strings.Join(out, "\n"), any
}

// draggedWhole tells whether all of a message is selected, and to be seen.
func (v *View) draggedWhole(i int, start, end point) bool {
	switch v.thread.Items[i].Kind {
	case thread.UserMessage, thread.AgentMessage:
	case thread.ThoughtMessage:
		if !v.open(i) {
			return false
		}
	default:
		return false
	}
	if v.closed(i) {
		return false
	}
	if i == start.item {
		m := v.text(i, 0)
		if len(m.lines) == 0 || start.seg > 0 {
			return false
		}
		if c := start.compare(i, 0, m.lines[0].key); c > 0 || c == 0 && start.lo > 0 {
			return false
		}
	}
	if i == end.item {
		k := v.segments(i) - 1
		m := v.text(i, k)
		if len(m.lines) == 0 || end.seg < k {
			return false
		}
		last := m.lines[len(m.lines)-1]
		if c := end.compare(i, k, last.key); c < 0 || c == 0 && end.hi < len(last.text) {
			return false
		}
	}
	return true
}

// ToggleAt opens or closes the item whose first row is at a visible row; false
// where there is none, or nothing that a click there is for. Messages of the
// agent are closed with keys only.
func (v *View) ToggleAt(row int) bool {
	v.Rows()
	if row < 0 || row >= len(v.places) {
		return false
	}
	p := v.places[row]
	if p.seg != 0 || v.owners[row] < 0 || p.row != v.gap(p.item) {
		return false
	}
	it := v.thread.Items[p.item]
	_, chosen := v.choices[p.item]
	switch it.Kind {
	case thread.ToolCall, thread.ShellCommand, thread.ThoughtMessage, thread.Notice:
	case thread.UserMessage:
		if _, carried, hidden := v.prompt(it); (v.open(p.item) || hidden == 0 && len(carried) == 0) && !chosen {
			return false
		}
	case thread.AgentMessage:
		if !v.closed(p.item) {
			return false
		}
	default:
		return false
	}
	followed, top := v.follow, v.top
	v.leave()
	ok := v.toggle(p.item)
	if !followed {
		v.followEnd()
		return ok
	}
	// The end is followed on, unless that would push the line out of sight.
	if v.follow, v.top = true, v.move(v.last(), -v.height); v.start(p.item).before(v.top) {
		v.follow, v.top = false, top
	}
	return ok
}
