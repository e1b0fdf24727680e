package text

// WrapInk wraps text to rows of at most width cells, each with the same prefix, and
// paints the wrapped text; paint may be nil.
func WrapInk(paint func(string) string, text, before string, width int) []string {
	var rows []string
	for _, r := range Wrap(text, max(1, width-Width(before))) {
		if paint != nil {
			r = paint(r)
		}
		rows = append(rows, before+r)
	}
	return rows
}
