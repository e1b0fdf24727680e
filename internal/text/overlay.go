package text

// Overlay puts the rows of top over those of base, the first at row y, their first cell at column x, and returns the
// result; base and top stay as they are. Where a row of base is too short it is filled with spaces up to x. Wide
// characters cut by an edge of top become spaces. What falls outside the rows of base, or left of column 0, is not
// drawn. Rows that nothing covers are shared with base.
func Overlay(base, top []string, x, y int) []string {
	out := make([]string, len(base))
	copy(out, base)
	var w RowWriter
	for i, row := range top {
		at := y + i
		if at < 0 || at >= len(base) {
			continue
		}
		out[at] = overlayRow(&w, base[at], row, x)
	}
	return out
}

func overlayRow(w *RowWriter, base, top string, x int) string {
	skip := max(-x, 0)
	width := max(Width(top)-skip, 0)
	x = max(x, 0)
	if width == 0 {
		return base
	}
	base = expandTabs(base)
	if n := cutInto(w, base, 0, x); n < x {
		w.Spaces(x-n, Pen{})
	}
	cutInto(w, expandTabs(top), skip, skip+width)
	cutInto(w, base, x+width, MaxCells)
	return w.Finish()
}

// MaxCells is wider than any terminal.
const MaxCells = 1 << 20
