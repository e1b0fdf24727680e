package diff

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
func (c *Computed) Excerpt(change int) Excerpt {
	spans := c.changes()
	if change < 0 || change >= len(spans) {
		return Excerpt{}
	}
	return c.excerpt(func(n int) bool { return n >= spans[change].from && n < spans[change].to })
}

// Excerpt returns the lines of the diff from one line of the sheet to another, both included.
func (s *Sheet) Excerpt(from, to int) Excerpt {
	picked := map[int]bool{}
	for _, l := range s.lines[max(from, 0):min(to+1, len(s.lines))] {
		if l.left != nil {
			picked[l.at] = true
		}
		if s.sides && l.right != nil {
			picked[l.rightAt] = true
		}
	}
	return s.c.excerpt(func(n int) bool { return picked[n] })
}

// HasText reports whether a line is one of the diff: neither the row above a change nor a gap.
func (s *Sheet) HasText(line int) bool {
	return line >= 0 && line < len(s.lines) && (s.lines[line].left != nil || s.lines[line].right != nil)
}

// excerpt returns some edits, counted through all hunks.
func (c *Computed) excerpt(has func(n int) bool) Excerpt {
	var b strings.Builder
	var now, old Excerpt
	reach := func(x *Excerpt, line int) {
		if x.To = max(c.first, 0) + line + 1; x.From == 0 {
			x.From = x.To
		}
	}
	at := 0
	for _, h := range c.hunks {
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
