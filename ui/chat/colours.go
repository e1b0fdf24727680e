package chat

import (
	"parley/ui/chat/markdown"
	"parley/ui/widget"
)

// Colouring is code that was drawn without its colours, because nobody has looked
// at it yet: that of a diff, or of a block of a message.
type Colouring struct {
	diff   *widget.Computed
	lines  int
	item   int
	syntax *widget.Syntax

	seg  int                 // of the item, where it is a message
	code []*markdown.Listing // of that block; nil: it is a diff
}

// Run looks at the code. It takes a tenth of a millisecond a line and belongs on
// a goroutine of its own; the view may be used meanwhile.
func (c *Colouring) Run() {
	for _, l := range c.code {
		l.Run()
	}
	if c.diff != nil {
		c.syntax = c.diff.Highlight(c.lines)
	}
}

// wanted takes what was drawn without colours of the segments from a place to
// another one, and right beside them.
func (l *layout) wanted(first, last place) (out []*Colouring) {
	for i := first.item - 1; i <= last.item+1; i++ {
		e := l.entries[i]
		if e == nil {
			continue
		}
		from, to := 0, len(e.segs)-1
		if i < first.item {
			from = to
		} else if i == first.item {
			from = first.seg - 1
		}
		if i > last.item {
			to = 0
		} else if i == last.item {
			to = min(to, last.seg+1)
		}
		for k := max(0, from); k <= to; k++ {
			if s := e.segs[k]; s != nil {
				out = append(out, l.asked(s)...)
			}
		}
	}
	return out
}

// asked takes what of a segment was drawn without colours and nobody has asked for.
func (l *layout) asked(s *segment) (out []*Colouring) {
	for _, c := range s.uncoloured {
		if c.diff != nil {
			known := l.cache.coloured(c.diff)
			if known.asked >= c.lines {
				continue
			}
			known.asked = c.lines
		}
		out = append(out, c)
	}
	s.uncoloured = nil
	return out
}

// coloured takes the colours of code and draws it again, unless that is not drawn
// any more. It has as many rows as before.
func (l *layout) coloured(c *Colouring) bool {
	if c.diff != nil {
		known := l.cache.coloured(c.diff)
		if known.syntax.Covers(c.lines) {
			return false
		}
		known.syntax = c.syntax
	}
	e := l.entries[c.item]
	if e == nil || c.item >= len(l.thread.Items) || c.seg >= len(e.segs) || e.segs[c.seg] == nil || e.segs[c.seg].rows == nil || (c.code == nil) == (e.stream != nil) {
		return false
	}
	s := e.segs[c.seg]
	s.done, s.made, e.head = false, key{}, nil
	if c.code != nil && c.seg < l.segments(c.item) {
		l.ready(c.item, c.seg, c.code)
	}
	return true
}
