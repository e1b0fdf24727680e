package chat

import (
	"parley/ui/theme"
	"parley/ui/widget"
)

// maxColoured bounds the diffs whose colours are kept.
const maxColoured = 400

// Colouring is a diff that was drawn without the colours of its code, because
// nobody has looked at its code yet.
type Colouring struct {
	diff   *widget.Computed
	lines  int
	item   int
	syntax *widget.Syntax
}

// Run looks at the code. It takes a tenth of a millisecond a line and belongs on
// a goroutine of its own; the view may be used meanwhile.
func (c *Colouring) Run() { c.syntax = c.diff.Highlight(c.lines) }

// coloured is what is known of a diff's code.
type coloured struct {
	syntax *widget.Syntax
	asked  int // lines that were asked for
}

// Uncoloured returns the diffs that were drawn without colours since it was last
// called. Each is to be given to Coloured, after Run.
func (v *View) Uncoloured() []*Colouring {
	out := v.wanted
	v.wanted = nil
	return out
}

// Coloured takes the colours of a diff, which is drawn again where it is in
// sight. It has as many rows as before.
func (v *View) Coloured(c *Colouring) {
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
