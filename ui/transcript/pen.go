package transcript

import (
	"strings"

	"parley/acpclient/thread"
	"parley/internal/linediff"
	"parley/internal/words"
	"parley/ui/theme"
	"parley/ui/widget/diff"
)

// pen draws one item. A drawing depends only on the pen's fields, and each drawing
// has its own pen.
type pen struct {
	look
	extent
	it         *thread.Item
	thread     *thread.Thread
	live       bool // the item shows a clock or a spinner
	cache      *cache
	group      []*thread.Item // the calls that the item's line names; empty: it alone
	uncoloured []*Colouring   // diffs that were drawn without all of their colours
}

// wide returns a pen for the same item at a width at which nothing is wrapped. Its
// rows show which rows of the screen are one line.
func (p *pen) wide() *pen {
	w := *p
	w.width, w.measure, w.uncoloured = unwrapped, true, nil
	return &w
}

// drawn draws a diff: side by side if all of it is shown and there is room.
func (p *pen) drawn(d *linediff.Diff, width, limit int, full bool) (rows []string, more int) {
	if p.measure { // for its text, at a width at which no ground may be filled
		rows, more = diff.Rows(d, width, limit, theme.Plain())
		return numbered(rows, d), more
	}
	return diff.Draw(d, diff.Look{Width: width, Limit: limit, Sides: full && p.width >= diff.SidesWidth && !p.peeked, Syntax: p.colours(d, limit), Theme: p.th})
}

// colours returns the highlighting of a diff as far as it is known. If that does not
// cover so many lines, the pen notes it in uncoloured.
func (p *pen) colours(d *linediff.Diff, lines int) *diff.Syntax {
	if !diff.Colours(p.th) {
		return nil
	}
	known := p.cache.coloured(d)
	if lines = min(lines, d.Lines()); lines > known.requested {
		p.uncoloured = append(p.uncoloured, &Colouring{diff: d, lines: lines, item: p.it.Index})
	}
	return known.syntax
}

// The marks around the place of a diff's line numbers, in rows that are drawn to be
// measured.
const (
	numbersBegin = "\x01"
	numbersEnd   = "\x02"
)

// numbered marks how many cells of line numbers a diff has, in rows that are drawn
// to be measured.
func numbered(rows []string, c *linediff.Diff) []string {
	before := numbersBegin + strings.Repeat("x", diff.Gutter(c, unwrapped)) + numbersEnd
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = before + r
	}
	return out
}

// more returns the row that replaces n hidden lines.
func more(n int) string {
	return "▸ " + words.Count(n, "more line")
}

// foldedLines is what a line says of n lines that can be opened below it.
func foldedLines(n int) string { return "▸ " + words.Count(n, "line") }
