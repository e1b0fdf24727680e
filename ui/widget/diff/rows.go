// Package diff draws what was changed: unified or side by side, with hunks to pick from.
package diff

import (
	"fmt"
	"strconv"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/internal/linediff"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
	"parley/ui/widget/syntax"
)

// NumbersWidth is the narrowest diff that shows line numbers.
const NumbersWidth = 60

// leastSides is the narrowest diff of two sides that can be drawn.
const leastSides = 60

// SidesWidth is the narrowest screen on which a diff is shown side by side.
const SidesWidth = 140

// Look says how a diff is drawn.
type Look struct {
	Width  int
	Limit  int     // rows at most; 0: all
	Sides  bool    // the old text left, the new one right; a diff that only adds or only deletes has one column anyway
	Syntax *Syntax // the classes of its code; nil while they are unknown
	Theme  *theme.Theme
}

// Rows draws the diff in one column, without the colours of its code. See [Draw].
func Rows(c *linediff.Diff, width, maxLines int, th *theme.Theme) (rows []string, more int) {
	return Draw(c, Look{Width: width, Limit: maxLines, Theme: th})
}

// Draw draws the diff: three lines of context, hunks divided by a dim "⋯", signs at every changed line so that it can be
// read without colour. Long lines are wrapped. more is the number of lines left out. The cost is that of the rows drawn.
func Draw(c *linediff.Diff, look Look) (rows []string, more int) {
	r := draw(c, look, nil)
	return r.rows, r.more
}

// draw is Draw with a row above each change, if there are picks.
func draw(c *linediff.Diff, look Look, picks *picks) *diffRenderer {
	r := &diffRenderer{c: c, th: look.Theme, inks: inksOf(look.Theme), width: max(look.Width, 8), limit: look.Limit, syntax: look.Syntax, picks: picks}
	if note := note(c); note != "" {
		r.rows = []string{r.th.Dim.Paint(text.Truncate(note, r.width, "…"))}
		return r
	}
	r.gutter = Gutter(c, r.width)
	hunk := r.hunk
	if look.Sides && r.width >= leastSides && c.TwoSided {
		hunk, r.gutter = r.sides, r.gutter/2
	}
	divided := false
	for i, h := range c.Hunks {
		if divided = i > 0 && !r.full(); divided {
			r.rows = append(r.rows, r.th.DiffHunk.Paint(strings.Repeat(" ", r.gutter)+"⋯"))
		}
		before := len(r.rows)
		hunk(h)
		r.at += len(h.Edits)
		if divided && len(r.rows) == before { // nothing of the hunk fits below it
			r.rows = r.rows[:before-1]
		}
	}
	return r
}

// note returns what is shown instead of a diff without lines.
func note(c *linediff.Diff) string {
	switch {
	case c.TooLarge:
		return fmt.Sprintf("too large to compare: %s before, %s now, at most +%d −%d lines",
			words.Bytes(c.OldSize), words.Bytes(c.NewSize), c.Added, c.Removed)
	case len(c.Hunks) > 0:
		return ""
	case c.OldMissing && c.NewSize == 0:
		return "new empty file"
	case c.OldMissing:
		return "new file"
	}
	return "no changes"
}

// Gutter returns how many cells the line numbers take in rows of that width. A diff that only adds lines, or only
// deletes them, has one column of numbers.
func Gutter(c *linediff.Diff, width int) int {
	switch {
	case width < NumbersWidth || c.First < 0 || note(c) != "":
		return 0
	case c.TwoSided:
		return 2 * column(c)
	}
	return column(c)
}

// column is the width of a column of line numbers, with the space after it.
func column(c *linediff.Diff) int { return max(c.Digits, 3) + 1 }

type diffRenderer struct {
	c             *linediff.Diff
	th            *theme.Theme
	inks          *diffInks
	syntax        *Syntax
	width, gutter int
	limit         int
	rows          []string
	more          int
	at            int // edits of the hunks before
	picks         *picks
	longest       int // bytes of a line that are drawn; 0: all

	row  text.RowWriter
	cuts []run
}

func (r *diffRenderer) full() bool { return r.limit > 0 && len(r.rows) >= r.limit }

// left returns how many more rows fit; 0: any number.
func (r *diffRenderer) left() int {
	if r.limit == 0 {
		return 0
	}
	return r.limit - len(r.rows)
}

type lineEdit = textdiff.Edit[string]

// stretch is a part of a hunk: lines of context, or deleted lines and the inserted ones that follow.
type stretch struct {
	at         int // the index of the first in the hunk
	context    []lineEdit
	dels, adds []lineEdit
}

// stretches walks through a hunk until f returns false.
func stretches(h textdiff.Hunk[string], f func(stretch) bool) {
	run := func(from int, op diff.Op) int {
		for from < len(h.Edits) && h.Edits[from].Op == op {
			from++
		}
		return from
	}
	for i := 0; i < len(h.Edits); {
		same := run(i, diff.Match)
		dels := run(same, diff.Delete)
		adds := run(dels, diff.Insert)
		if same > i && !f(stretch{at: i, context: h.Edits[i:same]}) || adds > same && !f(stretch{at: same, dels: h.Edits[same:dels], adds: h.Edits[dels:adds]}) {
			return
		}
		i = adds
	}
}

// hunk draws a hunk in one column.
func (r *diffRenderer) hunk(h textdiff.Hunk[string]) {
	stretches(h, func(s stretch) bool {
		if r.full() {
			r.more += len(h.Edits) - s.at
			return false
		}
		for i, e := range s.context {
			r.line(e, r.at+s.at+i, nil)
		}
		pairs := min(len(s.dels), len(s.adds))
		marks := make([][]span, pairs)
		for i, e := range s.dels {
			var own []span
			if i < pairs && !r.full() {
				own, marks[i] = wordMarks(e.Line, s.adds[i].Line)
			}
			r.line(e, r.at+s.at+i, own)
		}
		for i, e := range s.adds {
			var own []span
			if i < pairs {
				own = marks[i]
			}
			r.line(e, r.at+s.at+len(s.dels)+i, own)
		}
		return true
	})
}

// line draws one line of the diff, the n-th of all.
func (r *diffRenderer) line(e lineEdit, n int, marks []span) {
	if r.full() {
		r.more++
		return
	}
	inks, unfinished := r.look(e)
	code := r.syntax.line(n)
	if r.picks.refused(r, n) && e.Op != diff.Match {
		inks, marks, code = inks.faint(r.th), nil, nil
	}
	rows, more := r.cell(inks, r.numbers(e), r.text(e), marks, code, r.width, r.left())
	r.rows = append(r.rows, rows...)
	if more {
		r.more++
		return
	}
	if unfinished && !r.full() {
		r.rows = append(r.rows, r.th.DiffHunk.Paint(text.Truncate(strings.Repeat(" ", r.gutter)+noNewline, r.width, "…")))
	}
}

const noNewline = `\ no newline at end of file`

// text returns an edit's line as it is shown. A carriage return is shown only if it is what changed.
func (r *diffRenderer) text(e lineEdit) string {
	text := strings.TrimSuffix(e.Line, "\n")
	if !r.c.ShowCR || e.Op == diff.Match {
		text = strings.TrimSuffix(text, "\r")
	}
	return clip(text, r.longest)
}

// look returns the inks of an edit, and whether it is a last line without a newline. Only a changed line is: on both
// sides it would be no difference.
func (r *diffRenderer) look(e lineEdit) (inks *kindInks, unfinished bool) {
	switch e.Op {
	case diff.Insert:
		return &r.inks.added, e.LineNoY == r.c.LastNew
	case diff.Delete:
		return &r.inks.deleted, e.LineNoX == r.c.LastOld
	}
	return &r.inks.context, false
}

// numbers returns the line numbers of an edit, the old one left of the new one.
func (r *diffRenderer) numbers(e lineEdit) string {
	switch {
	case r.gutter == 0:
		return ""
	case !r.c.TwoSided && e.Op == diff.Delete:
		return r.number(e.LineNoX)
	case !r.c.TwoSided:
		return r.number(e.LineNoY)
	case e.Op == diff.Delete:
		return r.number(e.LineNoX) + strings.Repeat(" ", r.gutter/2)
	case e.Op == diff.Insert:
		return strings.Repeat(" ", r.gutter/2) + r.number(e.LineNoY)
	}
	return r.number(e.LineNoX) + r.number(e.LineNoY)
}

// number returns a line number, aligned to the right of its column.
func (r *diffRenderer) number(line int) string {
	digits := strconv.Itoa(r.c.First + line + 1)
	return strings.Repeat(" ", max(column(r.c)-1-len(digits), 0)) + digits + " "
}

// cell draws a line: its numbers, its sign and its text, wrapped into rows of width cells, at most limit of them (0: all);
// more says that text was left. Rows with a ground are as wide as that, others end where the text does.
func (r *diffRenderer) cell(inks *kindInks, numbers, str string, marks []span, code []syntax.Span, width, limit int) (rows []string, more bool) {
	p := &r.row
	room, cells := max(width-r.gutter-2, 1), 0
	p.Add(numbers, r.inks.number)
	p.Add(inks.sign+" ", inks.mark)
	end := func() {
		if inks.filled {
			p.Spaces(room-cells, inks.text)
		}
		rows, cells = append(rows, p.Finish()), 0
	}
	r.cuts = inks.runs(r.cuts, len(str), marks, code)
	from := 0
	for _, c := range r.cuts {
		to := syntax.Whole(str, from, c.to)
		part := text.Visible(str[from:to])
		from = to
		if len(part) <= room-cells && text.PlainASCII(part) {
			p.Add(part, c.ink)
			cells += len(part)
			continue
		}
		for start, sc := 0, (text.Scanner{S: part}); ; {
			cluster, w, at := sc.Next()
			if cluster == "" {
				p.Add(part[start:], c.ink)
				break
			}
			if cells+w > room && cells > 0 {
				p.Add(part[start:at], c.ink)
				start = at
				end()
				if limit > 0 && len(rows) == limit {
					p.Finish()
					return rows, true
				}
				p.Spaces(r.gutter, text.Pen{})
				p.Add("  ", inks.mark)
			}
			cells += w
		}
	}
	end()
	return rows, false
}
