package transcript

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"

	"parley/internal/text"
	"parley/ui/transcript/markdown"
)

// How much is shown of a prompt, in rows.
const (
	maxPrompt    = 12
	closedPrompt = 3
)

// maxBlank is how many blocks are drawn to find the first row of a message.
const maxBlank = 16

// closedMessage draws the first row of a message and how many lines are hidden. Of
// later blocks the lines of the source are counted, so that they need not be
// rendered.
func (l *layout) closedMessage(e *entry, code []*markdown.Listing) (out []string, missing []*markdown.Listing) {
	var rows []string
	k := 0
	for k = range min(e.count(), maxBlank) {
		if rows, missing = l.block(e, k, code); len(rows) > 0 {
			break
		}
	}
	if len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	if len(rows) == 0 && e.count() <= maxBlank {
		return nil, missing
	}
	if len(rows) == 0 {
		rows = []string{indent + "…"}
	}
	out = []string{rows[0]}
	if n := len(rows) - 1 + e.linesAfter(k); n > 0 {
		out = append(out, indent+l.th.Dim.Paint(text.Truncate(more(n), l.width-len(indent), "…")))
	}
	return out, missing
}

// inDetail draws the detail of a notice: JSON broken into lines, else the text, on a
// bounded number of rows.
func (l *look) inDetail(s string) []string {
	var rows []string
	left := 0
	for depth, line := range pretty(s) {
		if len(rows) >= maxShown {
			left++
			continue
		}
		before := indent + indent + strings.Repeat("  ", min(depth, maxDepth, l.width/8))
		rows = append(rows, paint(l.th.Faint, before, line, l.width)...)
	}
	left += max(0, len(rows)-maxShown)
	rows = rows[:min(len(rows), maxShown)]
	if left > 0 {
		rows = append(rows, indent+indent+l.th.Dim.Paint(text.Truncate(more(left), l.width-2*len(indent), "…")))
	}
	return rows
}

// maxDepth bounds how far JSON is indented, in levels: the agent chooses its depth.
const maxDepth = 8

// pretty yields the lines of indented JSON with their depths; other text stays as it
// is.
func pretty(text string) iter.Seq2[int, string] {
	var flat bytes.Buffer
	if t := strings.TrimSpace(text); len(t) > hugeJSON || !strings.HasPrefix(t, "{") && !strings.HasPrefix(t, "[") || json.Indent(&flat, []byte(t), "", "") != nil {
		text = text[:min(len(text), hugeJSON)]
		return func(yield func(int, string) bool) { yield(0, strings.ToValidUTF8(text, "")) }
	}
	return func(yield func(int, string) bool) {
		depth := 0
		for line := range strings.SplitSeq(flat.String(), "\n") {
			// A brace at the end of a line is never part of a string, since strings
			// end with a quote.
			if strings.HasPrefix(line, "}") || strings.HasPrefix(line, "]") {
				depth--
			}
			if !yield(depth, line) {
				return
			}
			if strings.HasSuffix(line, "{") || strings.HasSuffix(line, "[") {
				depth++
			}
		}
	}
}
