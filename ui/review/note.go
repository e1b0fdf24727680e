package review

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/linediff"
	"parley/internal/notes"
	"parley/internal/workspace"
	"parley/ui/widget/diff"
)

// picked are the selected lines of a sheet.
type picked struct {
	sheet    *diff.Sheet // nil: none
	from, to int         // the line where the selection began, and the last one that it came to
}

// in reports whether lines of a sheet are selected.
func (p picked) in(s *diff.Sheet) bool { return s != nil && p.sheet == s }

// has reports whether a line of a sheet is selected.
func (p picked) has(s *diff.Sheet, line int) bool {
	return p.in(s) && s.HasText(line) && line >= min(p.from, p.to) && line <= max(p.from, p.to)
}

// pick selects the first line of the selected hunk, or the next line or the previous one: as well, or
// alone.
func (r *Review) pick(step int, alone bool) {
	s := r.sheet()
	if s == nil || s.Len() == 0 || r.inTree {
		return
	}
	if !r.picked.in(s) {
		line := r.top
		if s.Changes() > 0 {
			line = s.Begin(r.change)
		}
		for line < s.Len()-1 && !s.HasText(line) {
			line++
		}
		r.pickLine(line, line)
		return
	}
	line := r.picked.to + step
	for line >= 0 && line < s.Len() && !s.HasText(line) {
		line += step
	}
	switch {
	case line < 0 || line >= s.Len():
	case alone:
		r.pickLine(line, line)
	default:
		r.pickLine(r.picked.from, line)
	}
}

// pickLine selects lines and shows the last.
func (r *Review) pickLine(from, to int) {
	s := r.sheet()
	r.picked = picked{s, from, to}
	if k := s.Change(to); k >= 0 {
		r.change = k
	}
	switch end := r.top + r.fits(r.top); {
	case to < r.top:
		r.top = to
	case to >= end:
		r.top = min(r.top+to-end+1, r.last())
	}
}

// pickRow selects the line at a row of the screen.
func (r *Review) pickRow(y int) {
	s, f := r.sheet(), r.current()
	_, width := r.columns(r.width)
	if s == nil || width == 0 {
		return
	}
	y -= 1 + len(r.head(f, width))
	l := r.layout(f, s, width)
	for line := r.top; y >= 0 && line < s.Len(); line++ {
		if y -= max(1, len(l.draw(line, none))); y < 0 && s.HasText(line) {
			r.inTree = false
			r.pickLine(line, line)
		}
	}
}

// writeNote lets the user write a note on the selected lines, or edit the one that is shown below the
// only one; else one on the selected hunk, else on the file.
func (r *Review) writeNote() tea.Cmd {
	f, s := r.current(), r.sheet()
	switch {
	case f == nil:
		return nil
	case r.inTree || f.Undone:
		return r.out.Add(WriteNote(f.aboutFile(false)))
	case f.doc == nil:
		return r.out.Say("Still reading " + f.name)
	case r.notePicked():
		return r.out.Add(WriteNote(r.notesBelow(r.picked.to)[0]))
	case r.picked.in(s):
		return r.out.Add(WriteNote(f.aboutLines(s.Excerpt(min(r.picked.from, r.picked.to), max(r.picked.from, r.picked.to)))))
	case s == nil || s.Changes() == 0:
		return r.out.Add(WriteNote(f.aboutFile(false)))
	}
	return r.out.Add(WriteNote(f.aboutLines(f.doc.diff.Excerpt(r.change))))
}

// notesOn returns the notes on a file.
func notesOn(s *workspace.Session, path string) (on []notes.Note) {
	path = s.NameOf(path)
	for _, n := range s.Notes() {
		if !n.Undone && n.Path == path {
			on = append(on, n)
		}
	}
	return on
}

// moveNotes moves the notes on a file of which a part has changed.
func moveNotes(s *workspace.Session, path, before, after string) {
	s.SetNotes(notes.Move(s.Notes(), s.NameOf(path), before, after))
}

// notePicked reports whether only a line with a note below it is selected.
func (r *Review) notePicked() bool {
	return r.picked.in(r.sheet()) && r.picked.from == r.picked.to && len(r.notesBelow(r.picked.to)) > 0
}

// notesBelow returns the notes that are shown below a line of the sheet.
func (r *Review) notesBelow(line int) (on []notes.Note) {
	for _, n := range notesOn(r.session, r.current().Path) {
		if r.noteLine(n) == line {
			on = append(on, n)
		}
	}
	return on
}

// RowBelow returns the row of the page below the line that a note on the shown file is about.
func (r *Review) RowBelow(n notes.Note) int {
	f, s := r.current(), r.sheet()
	_, width := r.columns(r.width)
	if f == nil || width == 0 {
		return 0
	}
	y, at := 1+len(r.head(f, width)), r.noteLine(n)
	if s == nil || at < r.top {
		return y
	}
	l := r.layout(f, s, width)
	for line := r.top; line <= at && y < r.height; line++ {
		if y += len(l.draw(line, none)); line == at { // a note there is the one that is edited
			for _, on := range l.notes[line] {
				y -= len(noteRows(on.Text, barWidth+l.look.Width, l.look.Theme))
			}
		}
	}
	return y
}

// aboutLines returns a note on some lines.
func (f *file) aboutLines(x linediff.Excerpt) notes.Note {
	return notes.Note{Path: f.Path, From: x.From, To: x.To, Old: x.Old, Quote: notes.Bound(x.Text), Diff: true}
}

// aboutFile returns a note on the whole file; it quotes the changes if it says so and they are read.
func (f *file) aboutFile(quote bool) notes.Note {
	n := notes.Note{Path: f.Path}
	if quote && f.doc != nil && f.doc.diff != nil {
		n.Quote, n.Diff = notes.Bound(f.doc.diff.Unified()), true
	}
	return n
}
