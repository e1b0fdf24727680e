package diff

import (
	"strings"

	"znkr.io/diff"

	"parley/ui/theme"
)

// A change of a diff is the unit that can be accepted or refused: deleted and inserted lines that follow each other, also
// across blank lines.

// Pick is the state of one change: the row above it, painted and fitting the width, and whether the change is refused.
type Pick struct {
	Head    string
	Refused bool
}

// picks are those of a diff while it is drawn.
type picks struct {
	of    []Pick
	spans []span // of the changes, in edits of all hunks
	heads []int  // the row above each
}

// Changes returns how many changes the diff has; 0 where it was not compared.
func (c *Computed) Changes() int { return len(c.changes()) }

// changes returns the changes as ranges of edits, counted through all hunks.
func (c *Computed) changes() (all []span) {
	at := 0
	for _, h := range c.hunks {
		joins := false // the next change belongs to the last one
		for i, e := range h.Edits {
			switch {
			case e.Op == diff.Match:
				joins = joins && strings.TrimSpace(e.Line) == ""
			case joins:
				all[len(all)-1].to = at + i + 1
			default:
				all, joins = append(all, span{at + i, at + i + 1}), true
			}
		}
		at += len(h.Edits)
	}
	return all
}

// DrawPicks is Draw in one column, with a row above each change. heads are the numbers of these rows.
func (c *Computed) DrawPicks(look Look, of []Pick) (rows []string, heads []int) {
	look.Sides, look.Limit = false, 0
	p := &picks{of: of, spans: c.changes()}
	return c.draw(look, p).rows, p.heads
}

// refused reports whether the n-th edit belongs to a refused change. It must be called for every edit in order, since it
// draws the row above the first edit of each change.
func (p *picks) refused(r *diffRenderer, n int) bool {
	if p == nil {
		return false
	}
	if k := len(p.heads); k < len(p.spans) && k < len(p.of) && p.spans[k].from == n {
		p.heads = append(p.heads, len(r.rows))
		r.rows = append(r.rows, p.of[k].Head)
	}
	k := len(p.heads) - 1
	return k >= 0 && n < p.spans[k].to && p.of[k].Refused
}

// faint returns the inks of refused lines.
func (k *kindInks) faint(th *theme.Theme) *kindInks {
	return &kindInks{sign: k.sign, mark: th.Faint, text: th.Faint, word: th.Faint}
}

// Without returns the new text without the refused changes. before and after are the texts that were compared, or others
// with the same lines; ok is false if the lines differ.
func (c *Computed) Without(before, after string, refused []bool) (text string, ok bool) {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	spans := c.changes()
	var b strings.Builder
	at, line, k := 0, 0, 0 // edits, lines of old, the change
	for _, h := range c.hunks {
		if h.LineNoX < line || h.LineNoX > len(old) {
			return "", false
		}
		for ; line < h.LineNoX; line++ {
			b.WriteString(old[line])
		}
		for i, e := range h.Edits {
			for k < len(spans) && at+i >= spans[k].to {
				k++
			}
			no := k < len(spans) && k < len(refused) && refused[k]
			switch {
			case e.Op == diff.Insert && e.LineNoY >= len(now) || e.Op != diff.Insert && line >= len(old):
				return "", false
			case e.Op == diff.Insert && !no:
				b.WriteString(now[e.LineNoY])
			case e.Op == diff.Delete && !no:
				line++
			case e.Op != diff.Insert:
				b.WriteString(old[line])
				line++
			}
		}
		at += len(h.Edits)
	}
	for ; line < len(old); line++ {
		b.WriteString(old[line])
	}
	return b.String(), true
}
