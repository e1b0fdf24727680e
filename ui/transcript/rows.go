package transcript

import (
	"cmp"

	"parley/acpclient/thread"
)

// rows is the interface of a transcript for scrolling, selecting, dragging and
// searching: items, each of one or more segments of rows. Rows are made on demand.
type rows interface {
	// items returns the items; none while there is no width to lay them out in.
	items() []*thread.Item
	// segments returns the number of segments of an item, at least one.
	segments(item int) int
	// segment returns the rows of a segment as they are shown.
	segment(item, seg int) []string
	// gap returns how many of an item's rows are blank ones before it, 0 or 1.
	gap(item int) int
	// text returns the plain text of a segment's rows, and which cells show it.
	text(item, seg int) *textMap
	// span returns which bytes of a message's text a segment shows.
	span(item, seg int) (start, end int)
	// shown returns how much of an item is shown.
	shown(item int) extent
}

// place is a row: the row-th of a segment of an item.
type place struct{ item, seg, row int }

func (p place) before(q place) bool { return cmp.Or(p.item-q.item, p.seg-q.seg, p.row-q.row) < 0 }

// track walks over rows and counts them.
type track struct{ rows }

// move returns the place n rows away, at most the first or the last.
func (t track) move(p place, n int) place {
	p.row += n
	for p.row < 0 {
		prev, ok := t.previous(p)
		if !ok {
			return place{}
		}
		prev.row = p.row + t.size(prev)
		p = prev
	}
	for p.row >= t.size(p) {
		next, ok := t.next(p)
		if !ok {
			p.row = max(0, t.size(p)-1)
			return p
		}
		next.row = p.row - t.size(p)
		p = next
	}
	return p
}

// size returns how many rows the segment has that p is in.
func (t track) size(p place) int { return len(t.segment(p.item, p.seg)) }

// next returns the segment after p's, at its row 0.
func (t track) next(p place) (place, bool) {
	if p.seg+1 < t.segments(p.item) {
		return place{p.item, p.seg + 1, 0}, true
	}
	return place{p.item + 1, 0, 0}, p.item+1 < len(t.items())
}

func (t track) previous(p place) (place, bool) {
	if p.seg > 0 {
		return place{p.item, p.seg - 1, 0}, true
	}
	if p.item > 0 {
		return place{p.item - 1, t.segments(p.item-1) - 1, 0}, true
	}
	return place{}, false
}

// valid returns the place nearest to p that exists, after rows have changed.
func (t track) valid(p place) place {
	p.item = min(p.item, len(t.items())-1)
	p.seg = min(p.seg, t.segments(p.item)-1)
	p.row = max(0, min(p.row, t.size(p)-1))
	return p
}

// start returns the first row of an item, after the blank one before it.
func (t track) start(i int) place { return place{i, 0, t.gap(i)} }

// end returns the place after the last row of an item.
func (t track) end(i int) place {
	p := place{i, t.segments(i) - 1, 0}
	p.row = t.size(p)
	return p
}

// last returns the place after the last row.
func (t track) last() place { return t.end(len(t.items()) - 1) }

// owner returns the item that a row belongs to, -1 for a row between two items.
func (t track) owner(p place) int {
	if p.seg == 0 && p.row < t.gap(p.item) {
		return -1
	}
	return p.item
}

// between returns the number of rows from one place to a later one, at most most;
// 0 if it is not later.
func (t track) between(from, to place, most int) int {
	if !from.before(to) {
		return 0
	}
	n := -from.row
	for p, ok := from, true; ok && n < most; p, ok = t.next(p) {
		if p.item == to.item && p.seg == to.seg {
			n += to.row
			break
		}
		n += t.size(p)
	}
	return min(n, most)
}

// count returns the number of all rows, at most most.
func (t track) count(most int) (n int) {
	if len(t.items()) == 0 {
		return 0
	}
	for p, ok := t.last(), true; ok && n < most; p, ok = t.previous(p) {
		n += t.size(p)
	}
	return min(n, most)
}

// neighbour returns the next item with rows in direction dir, -1 if there is none.
func (t track) neighbour(i, dir int) int {
	for i += dir; i >= 0 && i < len(t.items()); i += dir {
		if t.hasRows(i) {
			return i
		}
	}
	return -1
}

func (t track) hasRows(i int) bool {
	if t.items()[i].Blank() {
		return false
	}
	for k := range t.segments(i) {
		if len(t.segment(i, k)) > 0 {
			return true
		}
	}
	return false
}
