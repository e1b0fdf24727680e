package chat

import (
	"bytes"

	"parley/acpclient/thread"
	"parley/ui/theme"
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
			rows[n] = widget.Highlight(rows[n], m.left, m.right, ink)
		}
	}
}

// place is where the match stands that was gone to.
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

// cutShort tells whether something may be left out of an item before a match: how
// manieth it is among what is shown cannot be told then.
func cutShort(it *thread.Item, h Hit) bool {
	switch it.Kind {
	case thread.ToolCall, thread.ShellCommand, thread.Notice:
		return h.part == 1
	case thread.UserMessage:
		return bytes.HasPrefix(it.Text, []byte(carriedIntro))
	}
	return false
}

// locate finds a match in the rows.
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

// within is the segment of a message that a match is in, and the how manieth of it
// the match is.
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
