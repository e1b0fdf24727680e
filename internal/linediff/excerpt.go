package linediff

import (
	"strings"

	"znkr.io/diff"
)

// Excerpt is a part of a diff as text: its lines, each with its sign.
type Excerpt struct {
	Text     string
	From, To int  // the lines of the new file, from 1, both included; 0: none
	Old      bool // they are lines of the old file: all of them were removed
}

// Excerpt returns the lines of a change.
func (c *Diff) Excerpt(change int) Excerpt {
	spans := c.Changes()
	if change < 0 || change >= len(spans) {
		return Excerpt{}
	}
	return c.ExcerptOf(func(n int) bool { return n >= spans[change].From && n < spans[change].To })
}

// ExcerptOf returns the edits that has says, counted through all hunks.
func (c *Diff) ExcerptOf(has func(n int) bool) Excerpt {
	var b strings.Builder
	var now, old Excerpt
	reach := func(x *Excerpt, line int) {
		if x.To = max(c.First, 0) + line + 1; x.From == 0 {
			x.From = x.To
		}
	}
	at := 0
	for _, h := range c.Hunks {
		for i, e := range h.Edits {
			if !has(at + i) {
				continue
			}
			sign := byte(' ')
			switch e.Op {
			case diff.Delete:
				sign = '-'
				reach(&old, e.LineNoX)
			case diff.Insert:
				sign = '+'
				reach(&now, e.LineNoY)
			default:
				reach(&now, e.LineNoY)
			}
			b.WriteByte(sign)
			b.WriteString(strings.TrimSuffix(e.Line, "\n"))
			b.WriteByte('\n')
		}
		at += len(h.Edits)
	}
	if now.From == 0 {
		now = old
		now.Old = old.From > 0
	}
	now.Text = b.String()
	return now
}
