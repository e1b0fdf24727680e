package diff

import (
	"slices"
	"strings"

	"parley/internal/linediff"
	"parley/internal/text"
	"parley/internal/words"

	"znkr.io/diff"
)

// Sheet is a diff as a list of lines that are drawn one by one, so that a view of a diff of any length costs what it
// shows. It does not change once made.
type Sheet struct {
	c     *linediff.Diff
	sides bool
	lines []sheetLine
	parts []part
}

// part is a change in a sheet.
type part struct {
	head       int // the line above it
	begin, end int // its own lines, and the context after these; without the context before them
}

// sheetLine is one line of a sheet: the row above a change, the gap between two hunks, or a line of the diff.
type sheetLine struct {
	head        int       // the change that begins here; -1: it is a line of the diff or a gap
	left, right *lineEdit // both: what is drawn beside each other, or the two of which left is drawn and compared with right
	at, rightAt int       // the edits, counted through all hunks
}

// Of a line that is longer than a screen only the beginning is drawn.
const (
	sheetRows  = 40       // of a line
	sheetBytes = 16 << 10 // that are looked at
)

// NewSheet lays out a diff, in one column or side by side, with a line above each change and the context before it. Of
// folded changes there is only that line, without the context around them.
func NewSheet(c *linediff.Diff, sides bool, folded []bool) *Sheet {
	s := &Sheet{c: c, sides: sides && c.TwoSided}
	spans := c.Changes()
	at := 0
	for i, h := range c.Hunks {
		if i > 0 {
			s.lines = append(s.lines, sheetLine{head: -1})
		}
		lead := len(s.lines) // where the context before the next change may begin
		stretches(h, func(st stretch) bool {
			for i, e := range s.stretch(st) {
				e.at, e.rightAt = e.at+at, e.rightAt+at
				if k := len(s.parts); (i == 0 || !s.sides) && k < len(spans) && spans[k].From == e.at {
					s.head(s.tail(lead, max(lead, len(s.lines)-nearLines), folded), isFolded(folded, k))
				}
				k := len(s.parts) - 1
				inside := k >= 0 && e.at < spans[k].To
				if !inside || !isFolded(folded, k) {
					s.lines = append(s.lines, e)
				}
				if inside {
					lead, s.parts[k].end = len(s.lines), len(s.lines)
				}
			}
			return true
		})
		s.tail(lead, len(s.lines), folded)
		at += len(h.Edits)
	}
	return s
}

func isFolded(folded []bool, change int) bool { return change < len(folded) && folded[change] }

// nearLines is how many lines of the context before a change, and of that after it, belong to it.
const nearLines = 3

// tail adds the context from the line lead to another to the last change if it ends there, or drops it if
// that is folded. It returns where the other line is then.
func (s *Sheet) tail(lead, to int, folded []bool) int {
	k := len(s.parts) - 1
	if k < 0 || s.parts[k].end != lead {
		return to
	}
	end := min(lead+nearLines, to)
	if isFolded(folded, k) {
		s.lines = slices.Delete(s.lines, lead, end)
		return to - (end - lead)
	}
	s.parts[k].end = end
	return to
}

// head adds the line above the next change, before its context from the line lead on. That of a folded change is left out.
func (s *Sheet) head(lead int, folded bool) {
	context := slices.Clone(s.lines[lead:])
	s.lines = append(s.lines[:lead], sheetLine{head: len(s.parts)})
	if !folded {
		s.lines = append(s.lines, context...)
	}
	s.parts = append(s.parts, part{lead, len(s.lines), len(s.lines)})
}

// stretch returns the lines of a part of a hunk.
func (s *Sheet) stretch(st stretch) (lines []sheetLine) {
	for i := range st.context {
		lines = append(lines, sheetLine{-1, &st.context[i], &st.context[i], st.at + i, st.at + i})
	}
	dels, adds := len(st.dels), len(st.adds)
	get := func(list []lineEdit, i int) *lineEdit {
		if i < len(list) {
			return &list[i]
		}
		return nil
	}
	if s.sides {
		for i := range max(dels, adds) {
			// A line without a left side counts as one of the change of the stretch.
			lines = append(lines, sheetLine{-1, get(st.dels, i), get(st.adds, i), st.at + min(i, max(dels-1, 0)), st.at + dels + i})
		}
		return lines
	}
	for i := range st.dels {
		lines = append(lines, sheetLine{-1, &st.dels[i], get(st.adds, i), st.at + i, 0})
	}
	for i := range st.adds {
		lines = append(lines, sheetLine{-1, &st.adds[i], get(st.dels, i), st.at + dels + i, 0})
	}
	return lines
}

// Len returns how many lines there are.
func (s *Sheet) Len() int { return len(s.lines) }

// Changes returns how many changes there are.
func (s *Sheet) Changes() int { return len(s.parts) }

// Head returns the line above a change and its context.
func (s *Sheet) Head(change int) int { return s.parts[change].head }

// Begin returns the first line that a change adds or removes; of a folded one the next line.
func (s *Sheet) Begin(change int) int { return min(s.parts[change].begin, len(s.lines)-1) }

// Within reports whether a line is one of a change, of the context around it, or the line above these.
func (s *Sheet) Within(change, line int) bool {
	return change < len(s.parts) && line >= s.parts[change].head && line < s.parts[change].end
}

// Change returns the change that a line is in, or the last before it; -1 if there is none.
func (s *Sheet) Change(line int) int {
	k := len(s.parts) - 1
	for k >= 0 && s.parts[k].head > line {
		k--
	}
	return k
}

// Line returns the line of the sheet that shows a line of the new file, or of the old one, from 1; -1 if none does.
func (s *Sheet) Line(number int, old bool) int {
	for i, l := range s.lines {
		for _, e := range []*lineEdit{l.left, l.right} {
			switch {
			case e == nil || !s.sides && e != l.left:
			case old && e.Op == diff.Delete && e.LineNoX+1 == number, !old && e.Op != diff.Delete && e.LineNoY+1 == number:
				return i
			}
		}
	}
	return -1
}

// Draw draws one line. head is the row above a change, painted and fitting the width. Limit is how many rows may be drawn;
// 0: all.
func (s *Sheet) Draw(line int, look Look, head func(change int) string) []string {
	l := s.lines[line]
	if l.head >= 0 {
		return []string{head(l.head)}
	}
	limit := sheetRows
	if look.Limit > 0 {
		limit = min(limit, look.Limit)
	}
	r := &diffRenderer{c: s.c, th: look.Theme, inks: inksOf(look.Theme), width: max(look.Width, 8), limit: limit, syntax: look.Syntax, longest: sheetBytes}
	r.gutter = s.gutter(r.width)
	switch {
	case l.left == nil && l.right == nil:
		return []string{r.th.DiffHunk.Paint(strings.Repeat(" ", r.gutter) + "⋯")}
	case s.sides:
		r.pair(l.left, l.right, l.at, l.rightAt)
	default:
		var marks []span
		if l.right != nil && l.right != l.left {
			marks, _ = wordMarks(l.left.Line, l.right.Line)
			if l.left.Op == diff.Insert {
				_, marks = wordMarks(l.right.Line, l.left.Line)
			}
		}
		r.line(*l.left, l.at, marks)
	}
	return r.rows
}

// gutter returns the width of the line numbers of a sheet that is drawn with a width: those of each side, if it has two.
func (s *Sheet) gutter(width int) int {
	if s.sides {
		return Gutter(s.c, width) / 2
	}
	return Gutter(s.c, width)
}

// Select paints the line numbers of a row that was drawn with a width. The code keeps its colours.
func (s *Sheet) Select(row string, width int, paint func(string) string) string {
	n := s.gutter(width)
	row = text.Highlight(row, 0, n, paint)
	if s.sides {
		right := sideWidth(width) + text.Width(between)
		row = text.Highlight(row, right, right+n, paint)
	}
	return row
}

// FileLine returns the line of the new file, from 1, that a line of the sheet is at or next to.
func (s *Sheet) FileLine(line int) int {
	for ; line < len(s.lines); line++ {
		l := s.lines[line]
		for _, e := range []*lineEdit{l.right, l.left} {
			if e != nil && e.Op != diff.Delete {
				return s.c.First + e.LineNoY + 1
			}
		}
	}
	if n := len(s.c.Hunks); n > 0 {
		return s.c.First + s.c.Hunks[n-1].EndLineNoY
	}
	return 1
}

// Find returns the next line, forwards or backwards from one that is not looked at, of which a text matches; -1 if there
// is none.
func (s *Sheet) Find(from, step int, matches func(string) bool) int {
	for i := from + step; i >= 0 && i < len(s.lines); i += step {
		l := s.lines[i]
		if l.left != nil && matches(l.left.Line) || s.sides && l.right != nil && l.right != l.left && matches(l.right.Line) {
			return i
		}
	}
	return -1
}

// Excerpt returns the lines of the diff from one line of the sheet to another, both included.
func (s *Sheet) Excerpt(from, to int) linediff.Excerpt {
	picked := map[int]bool{}
	for _, l := range s.lines[max(from, 0):min(to+1, len(s.lines))] {
		if l.left != nil {
			picked[l.at] = true
		}
		if s.sides && l.right != nil {
			picked[l.rightAt] = true
		}
	}
	return s.c.ExcerptOf(func(n int) bool { return picked[n] })
}

// HasText reports whether a line is one of the diff: neither the row above a change nor a gap.
func (s *Sheet) HasText(line int) bool {
	return line >= 0 && line < len(s.lines) && (s.lines[line].left != nil || s.lines[line].right != nil)
}

// clip cuts a text that is longer than n bytes, at the end of a character.
func clip(s string, n int) string {
	if n == 0 || len(s) <= n {
		return s
	}
	return words.Clip(s, n) + "…"
}
