package ui

import (
	"parley/permissions"
	"parley/ui/widget"
)

// maxQuestionColours is how many lines of a question's diff get the colours of
// their code.
const maxQuestionColours = 2000

// questionDiff is a diff of the question on the screen, compared once.
type questionDiff struct {
	diff   *widget.Computed
	syntax *widget.Syntax
	asked  bool
}

// compared returns the diff that is the i-th part of a question.
func (q *question) compared(key uint64, i int, p permissions.Part) *questionDiff {
	if q.diffsKey != key {
		q.diffs, q.diffsKey = map[int]*questionDiff{}, key
	}
	if q.diffs[i] == nil {
		q.diffs[i] = &questionDiff{diff: widget.Compute(widget.Diff{Path: p.Path, Old: p.Old, New: p.Text, OldMissing: p.OldNone, First: p.First})}
	}
	return q.diffs[i]
}

// diffRows draws one part of a question that is a diff: all of it, side by side
// where the question has a screen that is wide enough to itself.
func (q *question) diffRows(d *questionDiff, width int) []string {
	th := q.c.m.Theme
	rows, _ := d.diff.Draw(widget.DiffLook{Width: width - 2, Sides: q.sides(), Syntax: d.syntax, Theme: th})
	for i, r := range rows {
		rows[i] = "  " + r
	}
	q.want(d)
	return rows
}

// want notes a diff that was drawn without the colours of its code.
func (q *question) want(d *questionDiff) {
	if widget.Colours(q.c.m.Theme) && !d.asked {
		d.asked = true
		q.wanted = append(q.wanted, d)
	}
}

func (q *question) sides() bool { return q.full && q.c.m.width >= widget.SidesWidth }

// uncoloured returns the diffs that were drawn without the colours of their code.
func (q *question) uncoloured() []*questionDiff {
	out := q.wanted
	q.wanted = nil
	return out
}

// coloured takes them.
func (q *question) coloured(d *questionDiff, s *widget.Syntax) {
	d.syntax, q.drawn = s, nil
}

// patchRows draws all of a patch, each file with its name. One that has more to it than
// lines, such as what is binary, is shown as it is.
func (q *question) patchRows(p permissions.Part, width int) (rows []string) {
	th := q.c.m.Theme
	files := widget.ParsePatch(p.Text)
	for _, f := range files {
		if f.Binary || f.Text != "" || f.Diff == nil {
			return wrapInk(nil, p.Text, "  ", width)
		}
	}
	for _, f := range files {
		name := f.Path
		switch {
		case f.Path == "":
			name = f.OldPath + " (deleted)"
		case f.OldPath == "":
			name += " (new)"
		case f.OldPath != f.Path:
			name = f.OldPath + " → " + f.Path
		}
		if f.OldMode != "" {
			name += " (mode " + f.OldMode + " → " + f.NewMode + ")"
		}
		rows = append(rows, wrapInk(th.Strong.Paint, name, "  ", width)...)
		drawn, _ := f.Diff.Draw(widget.DiffLook{Width: width - 2, Sides: q.sides(), Theme: th})
		for _, r := range drawn {
			rows = append(rows, "  "+r)
		}
	}
	return rows
}
