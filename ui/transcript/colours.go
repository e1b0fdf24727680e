package transcript

import (
	"parley/internal/linediff"
	"parley/ui/transcript/markdown"
	"parley/ui/widget/diff"
)

// Colouring is code that was drawn without its colours, because it was not analysed
// yet: that of a diff, or of a block of a message.
type Colouring struct {
	diff   *linediff.Diff
	lines  int
	item   int
	syntax *diff.Syntax

	seg  int                 // of the item, where it is a message
	code []*markdown.Listing // of that block; nil: it is a diff
}

// Run analyses the code. It takes a tenth of a millisecond per line, so call it on
// another goroutine; the view may be used meanwhile.
func (c *Colouring) Run() {
	for _, l := range c.code {
		l.Run()
	}
	if c.diff != nil {
		c.syntax = diff.Highlight(c.diff, c.lines)
	}
}

// takeUncoloured returns the code in the segment at p that was drawn without colours and was
// not returned before.
func (l *layout) takeUncoloured(p place) (out []*Colouring) {
	e := l.entries[p.item]
	if e == nil || p.seg >= len(e.segs) || e.segs[p.seg] == nil {
		return nil
	}
	s := e.segs[p.seg]
	for _, c := range s.uncoloured {
		if c.diff != nil {
			known := l.cache.coloured(c.diff)
			if known.requested >= c.lines {
				continue
			}
			known.requested = c.lines
		}
		out = append(out, c)
	}
	s.uncoloured = nil
	return out
}

// coloured redraws code with its colours. It reports whether any rows have changed,
// never in number.
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
	s.done, s.made = false, key{}
	if c.code != nil && c.seg < l.segments(c.item) {
		l.ready(c.item, c.seg, c.code)
	}
	return true
}
