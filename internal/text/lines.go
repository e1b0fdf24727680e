package text

import (
	"strings"

	"parley/internal/words"
)

// Lines says how many lines a text has: "2 lines".
func Lines(text string) string {
	return words.Count(strings.Count(strings.TrimRight(text, "\n"), "\n")+1, "line")
}
