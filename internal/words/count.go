// Package words says numbers, sizes and times as a person reads them, and what happened: for the screen, the chat in
// lines, `parley run` and logs.
package words

import "strings"

// CountLines counts the lines of text; a last newline ends a line, it does not begin one.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
