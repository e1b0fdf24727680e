// Package start is what comes before a session: the choice of an agent, the wait for it,
// and the ways to log in to it. It knows nothing of the pages of the screen: data comes
// as values, and what it wants done goes through the small interfaces that it declares.
package start

import "parley/ui/widget"

// wrap is text in rows of at most width cells, each painted and after the same few cells.
// paint may be nil.
func wrap(paint func(string) string, text, before string, width int) []string {
	var rows []string
	for _, r := range widget.Wrap(text, max(1, width-len(before))) {
		if paint != nil {
			r = paint(r)
		}
		rows = append(rows, before+r)
	}
	return rows
}
