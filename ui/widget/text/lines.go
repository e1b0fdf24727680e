package text

import (
	"fmt"
	"strings"
)

// Lines is how long a text is, in words.
func Lines(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
