package transcript

import (
	"cmp"
	"strings"

	"parley/acpclient/thread"
	"parley/internal/text"
	"parley/ui/theme"
)

// drag is text that was selected with the mouse. Its ends are characters of lines,
// not cells of the screen, so it stays the same when items are added, resized or
// opened.
type drag struct {
	on           bool
	anchor, head point
}

// point is a character of a line of a segment, the bytes from lo up to hi; they are
// equal outside the text.
type point struct {
	item, seg int
	key       lineKey
	lo, hi    int
}

// compare orders points by their lines.
func (p point) compare(item, seg int, key lineKey) int {
	return cmp.Or(p.item-item, p.seg-seg, p.key.compare(key))
}

// ends returns both ends, the earlier first.
func (d *drag) ends() (start, end point) {
	if c := d.head.compare(d.anchor.item, d.anchor.seg, d.anchor.key); c < 0 || c == 0 && d.head.lo < d.anchor.lo {
		return d.head, d.anchor
	}
	return d.anchor, d.head
}

// covers returns which bytes of a line are selected.
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

// pointAt returns the character in a cell of a row.
func pointAt(t rows, p place, cell int) (point, bool) {
	m := t.text(p.item, p.seg)
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
		start, end := text.Cell(m.lines[r.line].text[r.from:r.to], cell-r.col)
		at.lo, at.hi = r.from+start, r.from+end
	}
	return at, true
}

// paint marks the selected part of rows, the first of which is at p.
func (d *drag) paint(t rows, p place, rows []string, th *theme.Theme) {
	if !d.on {
		return
	}
	start, end := d.ends()
	if p.item < start.item || p.item > end.item {
		return
	}
	m := t.text(p.item, p.seg)
	for n := range rows {
		if p.row+n >= len(m.rows) || m.rows[p.row+n].line < 0 {
			continue
		}
		r := m.rows[p.row+n]
		line := &m.lines[r.line]
		from, to := d.covers(p.item, p.seg, line.key, len(line.text))
		left, right := r.cells(line.text, from, to)
		rows[n] = text.Highlight(rows[n], left, right, th.Selected.Paint)
	}
}

// text returns what is selected, without indents, bars and wrapping. A message that
// is selected as a whole is returned as it was written.
func (d *drag) text(t track) string {
	if !d.on {
		return ""
	}
	start, end := d.ends()
	var b strings.Builder
	any := false
	for i := start.item; i <= end.item && i < len(t.items()); i++ {
		if !t.hasRows(i) {
			continue
		}
		text, ok := d.of(t.rows, i)
		if !ok {
			continue
		}
		if any {
			b.WriteByte('\n')
			if t.gap(i) > 0 {
				b.WriteByte('\n')
			}
		}
		b.WriteString(text)
		any = true
	}
	return b.String()
}

// of returns what is selected of an item; false for nothing.
func (d *drag) of(t rows, i int) (string, bool) {
	if d.whole(t, i) {
		return strings.Trim(string(t.items()[i].Text), "\n"), true
	}
	start, end := d.ends()
	first, last := 0, t.segments(i)-1
	if i == start.item {
		first = start.seg
	}
	if i == end.item {
		last = min(last, end.seg)
	}
	var out []string
	any := false
	for k := first; k <= last; k++ {
		m := t.text(i, k)
		for n := range m.lines {
			line := &m.lines[n]
			from, to := d.covers(i, k, line.key, len(line.text))
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

// whole reports whether all of a message is selected and shown.
func (d *drag) whole(t rows, i int) bool {
	shown := t.shown(i)
	switch t.items()[i].Kind {
	case thread.UserMessage, thread.AgentMessage:
	case thread.ThoughtMessage:
		if !shown.open() {
			return false
		}
	default:
		return false
	}
	if shown.closed() {
		return false
	}
	start, end := d.ends()
	if i == start.item {
		m := t.text(i, 0)
		if len(m.lines) == 0 || start.seg > 0 {
			return false
		}
		if c := start.compare(i, 0, m.lines[0].key); c > 0 || c == 0 && start.lo > 0 {
			return false
		}
	}
	if i == end.item {
		k := t.segments(i) - 1
		m := t.text(i, k)
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
