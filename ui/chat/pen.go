package chat

import (
	"fmt"
	"strings"

	"parley/acpclient/thread"
	"parley/ui/theme"
	"parley/ui/widget"
)

// pen draws one item, from what it is given alone. It is made for one drawing.
type pen struct {
	look
	extent
	it         *thread.Item
	thread     *thread.Thread
	live       bool // the item has a clock
	cache      *cache
	uncoloured []*Colouring // diffs that were drawn without all of their colours
}

// wide draws the same at a width at which nothing is wrapped: that tells which
// rows of the screen are one line.
func (p *pen) wide() *pen {
	w := *p
	w.width, w.measure, w.uncoloured = unwrapped, true, nil
	return &w
}

// drawn draws a diff: side by side where all of it is shown and there is room.
func (p *pen) drawn(d *widget.Computed, width, limit int, full bool) (rows []string, more int) {
	if p.measure { // for its text, at a width at which no ground may be filled
		rows, more = d.Rows(width, limit, theme.Plain())
		return numbered(rows, d), more
	}
	return d.Draw(widget.DiffLook{Width: width, Limit: limit, Sides: full && p.width >= widget.SidesWidth && !p.peeked, Syntax: p.colours(d, limit), Theme: p.th})
}

// colours is what is known of a diff's code. Where that does not cover the first
// so many lines, more is to be asked for.
func (p *pen) colours(d *widget.Computed, lines int) *widget.Syntax {
	if !widget.Colours(p.th) {
		return nil
	}
	known := p.cache.coloured(d)
	if lines = min(lines, d.Lines()); lines > known.asked {
		p.uncoloured = append(p.uncoloured, &Colouring{diff: d, lines: lines, item: p.it.Index})
	}
	return known.syntax
}

// The sign before the numbers of a diff's lines, in rows that are measured, and
// the one behind how many cells they take.
const (
	numbersBegin = "\x01"
	numbersEnd   = "\x02"
)

// numbered says in rows that are measured how many cells of line numbers a diff
// has, and how many here.
func numbered(rows []string, c *widget.Computed) []string {
	before := numbersBegin + strings.Repeat("x", c.Gutter(unwrapped)) + numbersEnd
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = before + r
	}
	return out
}

// more is the row that stands for n lines that are not shown.
func more(n int) string {
	if n == 1 {
		return "▸ 1 more line"
	}
	return fmt.Sprintf("▸ %d more lines", n)
}
