package text

import "strings"

// Pad fills s with spaces up to width cells.
func Pad(s string, width int) string { return s + strings.Repeat(" ", max(0, width-Width(s))) }

// Columns joins the cells of each row to one row, with columns that are two cells apart. What is last in its row widens no column.
func Columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row[:max(len(row)-1, 0)] {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(cell))
		}
	}
	out := make([]string, len(rows))
	for n, row := range rows {
		for i, cell := range row {
			if i < len(row)-1 {
				cell = Pad(cell, widths[i]+2)
			}
			out[n] += cell
		}
		out[n] = strings.TrimRight(out[n], " ")
	}
	return out
}
