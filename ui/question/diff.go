package question

import (
	"parley/internal/linediff"
	"parley/permissions"
	"parley/ui/widget/diff"
)

// maxColours is how many lines of a diff get syntax colours.
const maxColours = 2000

// Diff is a diff of a question. It is computed once.
type Diff struct {
	lines              *linediff.Diff
	syntax             *diff.Syntax
	colouringRequested bool // Uncoloured has returned it
}

// Highlight computes the syntax colours. Any goroutine may call it.
func (d *Diff) Highlight() *diff.Syntax { return diff.Highlight(d.lines, maxColours) }

// Coloured sets the syntax colours of a diff.
func (q *Question) Coloured(d *Diff, s *diff.Syntax) {
	d.syntax, q.drawn = s, body{}
}

// Uncoloured returns the diffs on the screen without syntax colours. It returns each of
// them once.
func (q *Question) Uncoloured() (out []*Diff) {
	if !q.Open() || q.hold.shownAt.IsZero() || !diff.Colours(q.env.Theme) {
		return nil
	}
	all := make([]*Diff, 0, len(q.diffs.of)+1)
	for _, d := range q.diffs.of {
		all = append(all, d)
	}
	if w := q.written(); w != nil && w.edited != nil {
		all = append(all, w.edited)
	}
	for _, d := range all {
		if !d.colouringRequested {
			d.colouringRequested = true
			out = append(out, d)
		}
	}
	return out
}

// diffs caches the diffs of the question on the screen, by part.
type diffs struct {
	key uint64
	of  map[int]*Diff
}

// part returns the diff that is the i-th part of a question.
func (ds *diffs) part(key uint64, i int, p permissions.Part) *Diff {
	if ds.key != key || ds.of == nil {
		*ds = diffs{key, map[int]*Diff{}}
	}
	if ds.of[i] == nil {
		ds.of[i] = &Diff{lines: linediff.Compare(p.Texts())}
	}
	return ds.of[i]
}
