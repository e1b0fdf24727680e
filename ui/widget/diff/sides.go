package diff

import (
	"strings"

	"znkr.io/diff/textdiff"

	"parley/internal/text"
	"parley/ui/theme"
)

// between separates the sides of a diff.
const between = " │ "

// sides draws a hunk side by side: a deleted line beside the inserted one that replaced it.
func (r *diffRenderer) sides(h textdiff.Hunk[string]) {
	shown := 0
	stretches(h, func(s stretch) bool {
		for i, e := range s.context {
			if r.full() {
				break
			}
			r.pair(&e, &e, r.at+s.at+i, r.at+s.at+i)
			shown++
		}
		for i := range max(len(s.dels), len(s.adds)) {
			if r.full() {
				break
			}
			var left, right *lineEdit
			if i < len(s.dels) {
				left = &s.dels[i]
				shown++
			}
			if i < len(s.adds) {
				right = &s.adds[i]
				shown++
			}
			r.pair(left, right, r.at+s.at+i, r.at+s.at+len(s.dels)+i)
		}
		return !r.full()
	})
	r.more += len(h.Edits) - shown
}

// pair draws a row of both sides, nil for a side that has no such line. Where the limit cuts it, it still counts as shown
// only if nothing of it is missing.
func (r *diffRenderer) pair(left, right *lineEdit, leftAt, rightAt int) {
	var marks [2][]span
	if left != nil && right != nil && left != right {
		marks[0], marks[1] = wordMarks(left.Line, right.Line)
	}
	half := sideWidth(r.width)
	a, moreA := r.half(left, leftAt, marks[0], half, true)
	b, moreB := r.half(right, rightAt, marks[1], half, false)
	for i := range max(len(a), len(b)) {
		if r.full() {
			moreA, moreB = moreA || i < len(a), moreB || i < len(b)
			break
		}
		row := strings.Repeat(" ", half)
		if i < len(a) {
			row = text.Pad(a[i], half)
		}
		row += r.th.Border.Paint(between)
		if i < len(b) {
			row += b[i]
		}
		r.rows = append(r.rows, row)
	}
	if moreA {
		r.more++
	}
	if moreB && left != right {
		r.more++
	}
}

// sideWidth returns the width of a side of a diff that has two.
func sideWidth(width int) int { return (width - text.Width(between)) / 2 }

// half draws one side of a row. On the left a line of context has its old number.
func (r *diffRenderer) half(e *lineEdit, n int, marks []span, width int, old bool) (rows []string, more bool) {
	if e == nil {
		return nil, false
	}
	inks, unfinished := r.look(*e)
	number := ""
	switch {
	case r.gutter == 0:
	case old:
		number = r.number(e.LineNoX)
	default:
		number = r.number(e.LineNoY)
	}
	rows, more = r.cell(inks, number, r.text(*e), marks, r.syntax.line(n), width, r.left())
	if unfinished && !more {
		note := theme.Ink.Paint(r.th.DiffHunk, text.Truncate(strings.Repeat(" ", r.gutter)+noNewline, width, "…"))
		rows = append(rows, note)
	}
	return rows, more
}
