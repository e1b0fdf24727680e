package chat

import (
	"parley/ui/chat/markdown"
	"parley/ui/theme"
	"parley/ui/widget"
)

// maxColoured bounds the diffs whose colours are kept.
const maxColoured = 400

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

// coloured is what is known of a diff's code.
type coloured struct {
	syntax *widget.Syntax
	asked  int // lines that were asked for
}

// Uncoloured returns the code that was drawn without colours since it was last
// called, and is still near. Each is to be given to Coloured, after Run.
func (v *View) Uncoloured() []*Colouring {
	out := v.wanted[:0]
	for _, c := range v.wanted {
		if c.code == nil || v.short || v.near(c.item, c.seg) {
			out = append(out, c)
		} else {
			v.undrawn(c)
		}
	}
	v.wanted = nil
	return out
}

// undrawn has a block drawn again when it is seen again.
func (v *View) undrawn(c *Colouring) {
	if e := v.entries[c.item]; e != nil {
		e.undraw(c.seg)
	}
}

// near tells whether a segment is on the screen, or right beside what is.
func (v *View) near(item, seg int) bool {
	if len(v.places) == 0 {
		return false
	}
	first, last := v.places[0], v.places[len(v.places)-1]
	switch {
	case item < first.item-1 || item > last.item+1, item == first.item && seg < first.seg-1, item == last.item && seg > last.seg+1:
		return false
	}
	return true
}

// forgo drops what was asked for; it is asked for again when it is drawn again.
func (v *View) forgo() {
	for _, c := range v.wanted {
		if c.code != nil {
			v.undrawn(c)
		} else if known := v.coloured[c.diff]; known != nil && !known.syntax.Covers(c.lines) {
			known.asked = 0
		}
	}
	v.wanted = nil
}

// message draws the k-th block of the message that is being rendered.
func (v *View) message(b markdown.Block, k int) []string {
	rows, missing := v.renderer.Draw(b, v.listings)
	if len(missing) == 0 {
		return rows
	}
	for _, c := range v.wanted { // drawn twice before anyone has asked
		if c.code != nil && c.item == v.drawing && c.seg == k {
			c.code = missing
			return rows
		}
	}
	v.wanted = append(v.wanted, &Colouring{item: v.drawing, seg: k, code: missing})
	return rows
}

// colouredCode draws a block again with the colours of its code.
func (v *View) colouredCode(c *Colouring) {
	e := v.entries[c.item]
	if e == nil || e.stream == nil || c.item >= len(v.thread.Items) {
		return
	}
	k := c.seg
	if v.closed(c.item) {
		k, e.head = 0, nil
	}
	if k >= len(e.segs) || e.segs[k] == nil || !e.segs[k].done && e.segs[k].rows == nil {
		return // it is not drawn any more
	}
	e.undraw(k)
	v.listings, v.dirty = c.code, true
	if k < v.segments(c.item) {
		v.segment(c.item, k)
	}
	v.listings = nil
}

// Coloured takes the colours of code, which is drawn again where it is in
// sight. It has as many rows as before.
func (v *View) Coloured(c *Colouring) {
	if c.code != nil {
		v.colouredCode(c)
		return
	}
	known := v.coloured[c.diff]
	if known == nil || known.syntax.Covers(c.lines) {
		return
	}
	known.syntax = c.syntax
	if e := v.entries[c.item]; e != nil {
		e.stale()
		v.dirty = true
	}
}

// colours returns what is known of a diff's code, and asks for more where the
// first so many lines are not covered.
func (v *View) colours(d *widget.Computed, lines int) *widget.Syntax {
	if !widget.Colours(v.th) {
		return nil
	}
	known := v.coloured[d]
	if known == nil {
		if v.coloured == nil || len(v.coloured) >= maxColoured {
			v.coloured = map[*widget.Computed]*coloured{}
		}
		known = &coloured{}
		v.coloured[d] = known
	}
	if lines = min(lines, d.Lines()); lines > known.asked {
		known.asked = lines
		v.wanted = append(v.wanted, &Colouring{diff: d, lines: lines, item: v.drawing})
	}
	return known.syntax
}

// drawn draws a diff of the item that is being rendered: side by side where all
// of it is shown and there is room.
func (v *View) drawn(d *widget.Computed, width, limit int, full bool) (rows []string, more int) {
	if v.measured { // for its text, at a width at which no ground may be filled
		rows, more = d.Rows(width, limit, theme.Plain())
		return v.numbered(rows, d), more
	}
	return d.Draw(widget.DiffLook{Width: width, Limit: limit, Sides: full && v.width >= widget.SidesWidth && v.peek != v.drawing+1, Syntax: v.colours(d, limit), Theme: v.th})
}

// SetTheme changes the look. Of what was seen the rows are made anew when they
// come into sight again; nothing is read or compared again.
func (v *View) SetTheme(th *theme.Theme) {
	v.th, v.renderer, v.dirty = th, nil, true
	for _, e := range v.entries {
		if e.stream == nil {
			e.stale()
			continue
		}
		clear(e.segs)
		e.head, e.headAt = nil, 0
	}
}
