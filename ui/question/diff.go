package question

import (
	"parley/permissions"
	"parley/ui/widget/diff"
)

// maxColours is how many lines of a diff get the colours of their code.
const maxColours = 2000

// Diff is a diff of a question, compared once.
type Diff struct {
	lines  *diff.Computed
	syntax *diff.Syntax
	asked  bool // for the colours of its code
}

// Highlight finds the colours of its code. Any goroutine.
func (d *Diff) Highlight() *diff.Syntax { return d.lines.Highlight(maxColours) }

// Coloured takes them.
func (q *Question) Coloured(d *Diff, s *diff.Syntax) {
	d.syntax, q.drawn = s, body{}
}

// Uncoloured are the diffs on the screen whose colours nobody has looked for yet. They
// are asked for once.
func (q *Question) Uncoloured() (out []*Diff) {
	if !q.Open() || q.hold.shownAt.IsZero() || !diff.Colours(q.env.Theme) {
		return nil
	}
	all := make([]*Diff, 0, len(q.diffs.of)+1)
	for _, d := range q.diffs.of {
		all = append(all, d)
	}
	if w := q.written(); w != nil && w.own != nil {
		all = append(all, w.own)
	}
	for _, d := range all {
		if !d.asked {
			d.asked = true
			out = append(out, d)
		}
	}
	return out
}

// diffs keeps what was compared of the question on the screen, by the part. What is not
// in it is compared when it is drawn.
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
		ds.of[i] = &Diff{lines: diff.Compute(diff.Diff{Path: p.Path, Old: p.Old, New: p.Text, OldMissing: p.OldNone, First: p.First})}
	}
	return ds.of[i]
}
