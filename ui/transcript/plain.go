package transcript

import (
	"iter"
	"slices"
	"strings"

	"parley/internal/text"
)

// maxCounted is how much of a text is wrapped to count its rows, in bytes; after
// that its lines are counted.
const maxCounted = 64 << 10

// wholeLines yields the lines of a text; very long ones are cut.
func wholeLines(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			for len(line) >= maxWhole {
				n := wholeWords(line[:maxWhole])
				if !yield(line[:n]) {
					return
				}
				line = line[n:]
			}
			if !yield(line) {
				return
			}
		}
	}
}

// firstRows returns the first rows of a text and the rest of the text. The last line
// is wrapped as a whole, so there may be more rows than most.
func firstRows(s string, width, most int) (rows []string, rest string) {
	at := 0
	for line := range wholeLines(s) {
		rows = append(rows, text.Wrap(line, width)...)
		at += len(line)
		if at < len(s) && s[at] == '\n' {
			at++
		}
		if len(rows) >= most {
			break
		}
	}
	return rows, s[at:]
}

// lastRows returns the last rows of a text, at most so many.
func lastRows(s string, width, most int) []string {
	var blocks [][]string
	for n := 0; n < most; {
		at := strings.LastIndexByte(s, '\n')
		parts := slices.Collect(wholeLines(s[at+1:]))
		for _, part := range slices.Backward(parts) {
			rows := text.Wrap(part, width)
			blocks = append(blocks, rows)
			if n += len(rows); n >= most {
				break
			}
		}
		if at < 0 {
			break
		}
		s = s[:at]
	}
	slices.Reverse(blocks)
	rows := slices.Concat(blocks...)
	return rows[max(0, len(rows)-most):]
}

// countRows returns how many rows a text has, about as many for a long one.
func countRows(s string, width int) (n int) {
	at := 0
	for line := range wholeLines(s) {
		if at > maxCounted {
			return n + strings.Count(s[min(at, len(s)):], "\n") + 1
		}
		at += len(line) + 1
		if len(line) <= width && strings.IndexByte(line, '\t') < 0 {
			n++
		} else {
			n += len(text.Wrap(line, width))
		}
	}
	return n
}
