package chat

import (
	"bytes"
	"slices"

	"parley/acpclient/thread"
	"parley/ui/widget"
)

// finding is what is marked in the rows: all matches in sight, the one that was
// gone to most of all.
type finding struct {
	query query
	now   current
}

// current is the match that was gone to: the n-th in a segment; n < 0: none.
type current struct{ item, seg, n int }

// found are the matches in the rows of a segment.
type found struct {
	query query
	marks []mark
	first int // how many are in its first line
	count int
}

// mark is a piece of the n-th match of a segment: cells of a row.
type mark struct{ n, row, left, right int }

// Mark marks what matches a text in all rows, "" nothing.
func (v *View) Mark(text string) {
	v.search = finding{query: newQuery(text), now: current{n: -1}}
	v.setPeek(0)
	v.dirty = true
}

// setPeek opens an item for as long as a match in it is shown, by its index plus
// one.
func (v *View) setPeek(peek int) {
	if v.peek == peek {
		return
	}
	for _, i := range []int{v.peek - 1, peek - 1} {
		if e := v.entries[i]; e != nil {
			e.stale()
		}
	}
	v.peek, v.dirty = peek, true
}

// found looks for the matches in the rows of a segment.
func (v *View) found(i, k int) *found {
	m := v.text(i, k)
	s := v.entries[i].segs[k]
	if s.hits != nil && s.hits.query == v.search.query {
		return s.hits
	}
	f := &found{query: v.search.query}
	rows := map[int][]int{}
	for n, r := range m.rows {
		if r.line >= 0 {
			rows[r.line] = append(rows[r.line], n)
		}
	}
	message := v.thread.Items[i].Kind == thread.UserMessage || v.thread.Items[i].Kind == thread.ThoughtMessage
	for l := range m.lines {
		line := &m.lines[l]
		if line.aside || message && !line.found {
			continue
		}
		f.query.each(line.text, func(from, to int) bool {
			shown := false
			for _, n := range rows[l] {
				if left, right := m.rows[n].cells(line.text, from, to); right > left {
					f.marks = append(f.marks, mark{f.count, n, left, right})
					shown = true
				}
			}
			if shown {
				f.count++
			}
			return true
		})
		if l == 0 {
			f.first = f.count
		}
	}
	s.hits = f
	return f
}

// paintFound marks the matches in rows; the first of them is at p.
func (v *View) paintFound(p place, rows []string) {
	if v.search.query.text == "" {
		return
	}
	now := v.search.now
	for _, m := range v.found(p.item, p.seg).marks {
		if n := m.row - p.row; n >= 0 && n < len(rows) {
			ink := v.th.Match
			if now == (current{p.item, p.seg, m.n}) {
				ink = v.th.Selected
			}
			rows[n] = widget.Highlight(rows[n], m.left, m.right, ink)
		}
	}
}

// Show selects the item of a match and scrolls to it. What is closed is opened
// for as long as a match in it is shown. It returns false where the match is in
// what is not shown of the item: then the item is selected all the same.
func (v *View) Show(h Hit) bool {
	if !v.ready() || h.item >= len(v.thread.Items) {
		return false
	}
	v.search.now.n = -1
	if v.cutShort(h) { // how manieth it is among what is shown cannot be told
		v.setPeek(h.item + 1)
	} else if v.peek != h.item+1 {
		v.setPeek(0)
	}
	k, m, ok := v.locate(h)
	if !ok && v.peek == 0 {
		v.setPeek(h.item + 1)
		if k, m, ok = v.locate(h); !ok {
			v.setPeek(0) // it would show nothing
		}
	}
	v.SelectItem(h.item)
	v.settleOn(h.item)
	if ok {
		v.search.now = current{h.item, k, m.n}
		v.bring(place{h.item, k, m.row})
	}
	return ok
}

// cutShort tells whether something may be left out of an item before a match.
func (v *View) cutShort(h Hit) bool {
	it := v.thread.Items[h.item]
	switch it.Kind {
	case thread.ToolCall, thread.ShellCommand, thread.Notice:
		return h.part == 1
	case thread.UserMessage:
		return bytes.HasPrefix(it.Text, []byte(carriedIntro))
	}
	return false
}

// locate finds a match in the rows.
func (v *View) locate(h Hit) (seg int, m mark, ok bool) {
	n := h.ord
	message := v.thread.Items[h.item].Kind == thread.AgentMessage
	if message && v.closed(h.item) {
		return 0, m, false
	}
	if message || v.pieced(h.item) {
		seg, n = v.blockOf(h)
	}
	if h.part == 2 || v.segments(h.item) <= seg {
		return seg, m, false
	}
	f := v.found(h.item, seg)
	first, last := 0, f.count
	switch kind := v.thread.Items[h.item].Kind; {
	case kind == thread.AgentMessage:
		n = min(n, last-1) // there may be less to see than was written
	case kind == thread.Attachment && h.part > 0:
		return 0, m, false
	case kind != thread.ToolCall && kind != thread.ShellCommand && kind != thread.Notice:
	case h.part == 0:
		last = f.first
	default:
		first = f.first
	}
	n += first
	for _, m := range f.marks {
		if m.n == n && n < last && n >= first {
			return seg, m, true
		}
	}
	return seg, m, false
}

// blockOf is the block or piece of a message that a match is in, and the how
// manieth of it the match is.
func (v *View) blockOf(h Hit) (seg, n int) {
	e := v.entry(h.item)
	start, end := 0, len(e.item.Text)
	closed := len(e.segs) - 1
	if e.item.Kind == thread.AgentMessage {
		closed = e.stream.Len()
	}
	for seg = 0; seg < closed; seg++ {
		from, to := e.span(seg)
		if h.off < to {
			start, end = from, to
			break
		}
		start = to
	}
	v.search.query.each(string(e.item.Text[start:end]), func(from, _ int) bool {
		if start+from >= h.off {
			return false
		}
		n++
		return true
	})
	return min(seg, v.segments(h.item)-1), n
}

// bring scrolls as little as it takes to have a row in sight, with some around
// it.
func (v *View) bring(p place) {
	v.clamp()
	around := v.height / 4
	v.keepInSight()
	switch {
	case p.before(v.move(v.top, around)):
		v.top = v.move(p, -around)
	case v.between(v.top, place{p.item, p.seg, p.row + 1}) > v.height-around:
		v.top = v.move(p, around-v.height+1)
	}
	v.fill()
	v.selection.away, v.dirty = true, true
}

// matchRow is where the match stands that was gone to.
func (v *View) matchRow() (place, bool) {
	now := v.search.now
	if v.search.query.text == "" || now.n < 0 || !v.ready() || now.item >= len(v.thread.Items) || now.seg >= v.segments(now.item) {
		return place{}, false
	}
	for _, m := range v.found(now.item, now.seg).marks {
		if m.n == now.n {
			return place{now.item, now.seg, m.row}, true
		}
	}
	return place{}, false
}

// matchSeen tells whether that is in sight.
func (v *View) matchSeen() bool {
	if v.search.query.text == "" {
		return false
	}
	v.Rows()
	p, ok := v.matchRow()
	return ok && slices.Contains(v.places, p)
}

// bringMatch has it in sight.
func (v *View) bringMatch() {
	if p, ok := v.matchRow(); ok {
		v.bring(p)
	}
}

// Place is where the reader is, and what is selected.
type Place struct {
	top       place
	follow    bool
	leftAt    int
	selection selection
}

// Here is where the reader is.
func (v *View) Here() Place { return Place{v.top, v.follow, v.leftAt, v.selection} }

// Back goes where the reader has been.
func (v *View) Back(p Place) {
	v.top, v.follow, v.leftAt, v.selection, v.dirty = p.top, p.follow, p.leftAt, p.selection, true
}

// FirstInSight is the index of the first item that can be seen; 0 where there is
// none.
func (v *View) FirstInSight() int {
	v.Rows()
	for _, i := range v.owners {
		if i >= 0 {
			return i
		}
	}
	return 0
}
