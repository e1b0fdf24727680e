package transcript

import (
	"parley/acpclient/thread"
	"parley/internal/carried"
	"parley/internal/text"
	"parley/ui/theme"
)

// finding marks the matches of a query in the rows, and the current one among them.
type finding struct {
	query query
	now   current
}

// current is the match that is shown: the n-th of a segment; none if n < 0.
type current struct{ item, seg, n int }

func newFinding(text string) finding { return finding{query: newQuery(text), now: current{n: -1}} }

// paint marks the matches in rows; the first of them is at p.
func (f *finding) paint(t rows, p place, rows []string, th *theme.Theme) {
	if f.query.text == "" {
		return
	}
	for _, m := range t.text(p.item, p.seg).matches(f.query).marks {
		if n := m.row - p.row; n >= 0 && n < len(rows) {
			ink := th.Match
			if f.now == (current{p.item, p.seg, m.n}) {
				ink = th.Selected
			}
			rows[n] = text.Highlight(rows[n], m.left, m.right, ink.Paint)
		}
	}
}

// place returns the row of the current match.
func (f *finding) place(t rows) (place, bool) {
	now := f.now
	if f.query.text == "" || now.n < 0 || now.item >= len(t.items()) || now.seg >= t.segments(now.item) {
		return place{}, false
	}
	for _, m := range t.text(now.item, now.seg).matches(f.query).marks {
		if m.n == now.n {
			return place{now.item, now.seg, m.row}, true
		}
	}
	return place{}, false
}

// cutShort reports whether text before a match may be hidden, so that the number of the
// match cannot be compared with the visible ones.
func cutShort(it *thread.Item, h Hit) bool {
	switch it.Kind {
	case thread.ToolCall, thread.ShellCommand, thread.Notice:
		return h.part == 1
	case thread.UserMessage:
		return carried.Begins(it.Text)
	}
	return false
}

// locate finds the segment that shows a match.
func (f *finding) locate(t rows, h Hit) (at current, ok bool) {
	it, shown := t.items()[h.item], t.shown(h.item)
	at, n := current{item: h.item}, h.ord
	if it.Kind == thread.AgentMessage && shown.closed() {
		return at, false
	}
	if it.Kind == thread.AgentMessage || pieced(it, shown) {
		at.seg, n = f.within(t, h)
	}
	if h.part == 2 || at.seg >= t.segments(h.item) {
		return at, false
	}
	found := t.text(h.item, at.seg).matches(f.query)
	first, last := 0, found.count
	switch {
	case it.Kind == thread.AgentMessage:
		n = min(n, last-1) // there may be less to see than was written
	case it.Kind == thread.Attachment && h.part > 0:
		return at, false
	case it.Kind != thread.ToolCall && it.Kind != thread.ShellCommand && it.Kind != thread.Notice:
	case h.part == 0:
		last = found.first
	default:
		first = found.first
	}
	at.n = n + first
	return at, at.n >= first && at.n < last
}

// within returns the segment of a message that a match is in, and its number
// there.
func (f *finding) within(t rows, h Hit) (seg, n int) {
	last := t.segments(h.item) - 1
	start, end := t.span(h.item, 0)
	for h.off >= end && seg < last {
		seg++
		start, end = t.span(h.item, seg)
	}
	text := t.items()[h.item].Text
	f.query.each(string(text[start:end]), func(from, _ int) bool {
		if start+from >= h.off {
			return false
		}
		n++
		return true
	})
	return seg, n
}
