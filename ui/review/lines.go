package review

import (
	"path"
	"strings"

	"parley/internal/notes"
	"parley/internal/text"
	"parley/internal/words"
	"parley/ui/theme"
	"parley/ui/widget/diff"
)

// layout draws the lines of a diff, each with a bar beside it and the notes below it.
type layout struct {
	r     *Review
	file  *file
	sheet *diff.Sheet
	look  diff.Look
	notes map[int][]notes.Note // by the line that they are below
}

// Signs in the column left of a diff. They differ in shape, too: colours may be few.
const (
	hunkBar     = "▌" // of the selected hunk
	pickedBar   = "┃" // of a selected line
	noteSign    = "✎"
	barWidth    = 2
	mostNote    = 4 // rows of a note
	leastNoting = 8 // cells that a note needs
)

func (r *Review) layout(f *file, s *diff.Sheet, width int) *layout {
	l := &layout{r: r, file: f, sheet: s, look: diff.Look{Width: max(1, width-barWidth), Limit: max(1, r.bodyHeight(r.height)), Theme: r.env.Theme, Syntax: f.doc.syntax}}
	for _, n := range notesOn(r.session, f.Path) {
		if l.notes == nil {
			l.notes = map[int][]notes.Note{}
		}
		line := r.noteLine(n)
		l.notes[line] = append(l.notes[line], n)
	}
	return l
}

// noteLine returns the line of the sheet that a note is shown below; -1: it is shown above the diff.
func (r *Review) noteLine(n notes.Note) int {
	if s := r.sheet(); s != nil && n.From > 0 && !n.Stale {
		return s.Line(max(n.From, n.To), n.Old)
	}
	return -1
}

// draw draws a line of the sheet, and what is below it.
func (l *layout) draw(line int, head func(change int) string) (rows []string) {
	th, r := l.look.Theme, l.r
	picked := r.picked.has(l.sheet, line)
	bar := strings.Repeat(" ", barWidth)
	switch {
	case picked:
		bar = th.Key.Paint(pickedBar) + " "
	case !r.inTree && l.sheet.Within(r.change, line):
		bar = th.Key.Paint(hunkBar) + " "
	}
	drawn := l.sheet.Draw(line, l.look, head)
	if line == r.search.line && r.search.found == l.file {
		drawn = r.search.marked(drawn, th)
	}
	for _, row := range drawn {
		if picked { // the code keeps its colours
			row = l.sheet.Select(row, l.look.Width, th.Selected.Paint)
		}
		rows = append(rows, bar+row)
	}
	for _, n := range l.notes[line] {
		rows = append(rows, noteRows(n.Text, barWidth+l.look.Width, th)...)
	}
	return rows
}

// above returns what is said above the diff of a note that is not below a line of it.
func above(n notes.Note) string {
	n.Path = path.Base(n.Path)
	switch {
	case n.Stale:
		return n.Where() + ", undone since: " + n.Text
	case n.From > 0: // its line is hidden
		return n.Where() + ": " + n.Text
	}
	return n.Text
}

// noteRows draws what a note says.
func noteRows(said string, width int, th *theme.Theme) (rows []string) {
	if width < leastNoting {
		return nil
	}
	said = safeWords(said)
	lines := text.Wrap(said, width-barWidth)
	if len(lines) > mostNote {
		lines = append(lines[:mostNote-1], strings.Join(lines[mostNote-1:], " "))
	}
	for i, line := range lines {
		sign := strings.Repeat(" ", barWidth)
		if i == 0 {
			sign = th.Accent.Paint(noteSign) + " "
		}
		rows = append(rows, text.Truncate(sign+th.Accent.Paint(line), width, "…"))
	}
	return rows
}

// safeWords returns what the user has written as one line.
func safeWords(s string) string { return words.OneLine(text.CleanInput(s)) }
