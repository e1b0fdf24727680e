package text

import "github.com/charmbracelet/x/ansi"

// Highlight paints the cells from left up to right of a styled row, whatever they looked like. Halves of wide characters
// at the edges become spaces.
func Highlight(row string, left, right int, paint func(string) string) string {
	if left < 0 || right <= left {
		return row
	}
	text := ansi.Strip(Cut(expandTabs(row), left, right))
	if text == "" {
		return row
	}
	return Overlay([]string{row}, []string{paint(text)}, left, 0)[0]
}

// Cell returns which bytes of plain text are shown in a cell, from start up to end; both are the length of the text if it
// ends before that cell.
func Cell(text string, cell int) (start, end int) {
	cells := 0
	for sc := (Scanner{S: text}); ; {
		cluster, w, at := sc.Next()
		if cluster == "" {
			return len(text), len(text)
		}
		if w > 0 && cells+w > cell {
			return at, sc.pos
		}
		cells += w
	}
}
