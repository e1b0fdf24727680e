package diff

import (
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"parley/internal/linediff"
	"parley/ui/widget/syntax"
)

// maxSyntaxBytes is the longest line whose code is analysed. After a longer one the analysis of a hunk starts again.
const maxSyntaxBytes = 1000

// Syntax holds the classes of the code in a diff. It does not change once made.
type Syntax struct {
	known bool
	lines [][]syntax.Span // of the edits of all hunks, in their order
	upTo  int             // edits that were analysed
}

// Covers reports whether the first n lines of the diff, context included, were analysed.
func (s *Syntax) Covers(n int) bool { return s != nil && (!s.known || s.upTo >= n) }

// line returns the classes of an edit.
func (s *Syntax) line(n int) []syntax.Span {
	if s == nil || n >= len(s.lines) {
		return nil
	}
	return s.lines[n]
}

// Highlight analyses the code in the first n lines of a diff, in the language that the name of its file says. It takes a
// tenth of a millisecond per line, so call it on another goroutine than the screen's.
func Highlight(c *linediff.Diff, n int) *Syntax {
	s := &Syntax{known: syntax.Known(c.Path)}
	if !s.known {
		return s
	}
	all := c.Lines()
	n = min(n, all)
	s.lines = make([][]syntax.Span, n)
	for _, h := range c.Hunks {
		if s.upTo >= n {
			break
		}
		edits := h.Edits[:min(len(h.Edits), n-s.upTo)]
		s.side(c.Path, edits, diff.Delete)
		s.side(c.Path, edits, diff.Insert)
		s.upTo += len(edits)
	}
	if n == all {
		s.upTo = int(^uint(0) >> 1)
	}
	return s
}

// side analyses one side of a hunk: the context and the lines with that sign. The context keeps the classes that it has on
// the new side.
func (s *Syntax) side(path string, edits []textdiff.Edit[string], sign diff.Op) {
	var lines []string
	var at []int
	changed := false
	flush := func() {
		if changed || sign == diff.Insert {
			for i, spans := range syntax.Lines(path, lines) {
				s.lines[at[i]] = spans
			}
		}
		lines, at, changed = lines[:0], at[:0], false
	}
	for i, e := range edits {
		if e.Op != sign && e.Op != diff.Match {
			continue
		}
		text := lineText(e.Line)
		if len(text) > maxSyntaxBytes || strings.IndexByte(text, '\r') >= 0 {
			flush()
			continue
		}
		lines, at = append(lines, text), append(at, s.upTo+i)
		changed = changed || e.Op == sign
	}
	flush()
}
