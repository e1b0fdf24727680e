// Package box draws frames with a title and a foot around rows.
package box

import (
	"strings"

	"parley/internal/text"
	"parley/ui/theme"
)

// Separator as a row of a box's body draws a line from border to border.
const Separator = "\x00separator"

// A box narrower than tightWidth loses its inner margins, the text at its top right and the one in its foot; one
// narrower than bareWidth is not drawn at all, only its body is.
const (
	tightWidth = 20
	bareWidth  = 4
)

// Box is a frame with rounded corners: a title at the top left, a word at the top right, a hint in the bottom border.
// Texts that are empty leave the border whole. Title, Right and Foot are plain text, the rows of Body may be styled.
type Box struct {
	Title, Right, Foot string
	Body               []string
	Focused            bool       // draws the border in the colour of what has the keys
	Ink                *theme.Ink // of the border; nil: by Focused
}

// InnerWidth returns how many cells a body row has in a box of that width.
func InnerWidth(width int) int {
	switch {
	case width < bareWidth:
		return max(width, 0)
	case width < tightWidth:
		return width - 2
	}
	return width - 4
}

// Rows draws the box: exactly width cells a row, the body padded. Body rows must have been wrapped to InnerWidth; what is
// longer is cut and marked.
func (b Box) Rows(width int, th *theme.Theme) []string {
	inner := InnerWidth(width)
	if width < bareWidth {
		var rows []string
		for _, row := range b.Body {
			if row != Separator {
				rows = append(rows, text.Truncate(row, inner, ""))
			}
		}
		return rows
	}
	ink := th.Border
	if b.Focused {
		ink = th.BorderFocus
	}
	if b.Ink != nil {
		ink = *b.Ink
	}
	margin, right, foot := " ", b.Right, b.Foot
	if width < tightWidth {
		margin, right, foot = "", "", ""
	}
	rows := make([]string, 0, len(b.Body)+2)
	rows = append(rows, border("╭", "╮", b.Title, right, width, ink, th.Title, th.Dim))
	edge, line := ink.Paint("│"), ink.Paint("├"+strings.Repeat("─", width-2)+"┤")
	for _, row := range b.Body {
		if row == Separator {
			rows = append(rows, line)
			continue
		}
		row = text.Pad(text.Truncate(row, inner, "…"), inner)
		rows = append(rows, edge+margin+row+margin+edge)
	}
	if foot != "" {
		return append(rows, border("╰─", "╯", text.FitHints(foot, width-5), "", width, ink, th.Dim, th.Dim))
	}
	return append(rows, border("╰", "╯", "", "", width, ink, th.Dim, th.Dim))
}

// border draws "╭ left ─── right ╮". The right text goes first when there is no room, then the left one is cut.
func border(from, to, left, right string, width int, ink, leftInk, rightInk theme.Ink) string {
	left, right = text.OneLine(left), text.OneLine(right)
	room := width - text.Width(from+to)
	lw, rw := text.Width(left), text.Width(right)
	if right != "" && room < lw+rw+5 {
		right, rw = "", 0
	}
	if left != "" && lw > room-2 {
		left = text.Truncate(left, room-2, "…")
		lw = text.Width(left)
	}
	var b strings.Builder
	open := from
	if left != "" {
		b.WriteString(ink.Paint(from) + " " + leftInk.Paint(left) + " ")
		room -= lw + 2
		open = ""
	}
	if right == "" {
		b.WriteString(ink.Paint(open + strings.Repeat("─", max(room, 0)) + to))
		return b.String()
	}
	b.WriteString(ink.Paint(open + strings.Repeat("─", max(room-rw-2, 0))))
	b.WriteString(" " + rightInk.Paint(right) + " " + ink.Paint(to))
	return b.String()
}
