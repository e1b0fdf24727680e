package text

import (
	"fmt"
	"strings"
)

// Lines says how many lines a text has: "2 lines".
func Lines(text string) string {
	n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}
