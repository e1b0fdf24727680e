package diff

import (
	"parley/internal/linediff"
	"parley/internal/text"
	"parley/ui/theme"
)

// Pick is the state of one change: the row above it, painted and fitting the width, and whether the change is refused.
type Pick struct {
	Head    string
	Refused bool
}

// picks are those of a diff while it is drawn.
type picks struct {
	of    []Pick
	spans []linediff.Span // of the changes
	heads []int           // the row above each
}

// DrawPicks is Draw in one column, with a row above each change. heads are the numbers of these rows.
func DrawPicks(c *linediff.Diff, look Look, of []Pick) (rows []string, heads []int) {
	look.Sides, look.Limit = false, 0
	p := &picks{of: of, spans: c.Changes()}
	return draw(c, look, p).rows, p.heads
}

// refused reports whether the n-th edit belongs to a refused change. It must be called for every edit in order, since it
// draws the row above the first edit of each change.
func (p *picks) refused(r *diffRenderer, n int) bool {
	if p == nil {
		return false
	}
	if k := len(p.heads); k < len(p.spans) && k < len(p.of) && p.spans[k].From == n {
		p.heads = append(p.heads, len(r.rows))
		r.rows = append(r.rows, p.of[k].Head)
	}
	k := len(p.heads) - 1
	return k >= 0 && n < p.spans[k].To && p.of[k].Refused
}

// faint returns the inks of refused lines.
func (k *kindInks) faint(th *theme.Theme) *kindInks {
	faint := text.PenOf(th.Faint.Paint)
	return &kindInks{sign: k.sign, mark: faint, text: faint, word: faint}
}
