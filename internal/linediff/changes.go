package linediff

import (
	"hash/maphash"
	"strings"

	"znkr.io/diff"
)

// Span is a range of edits, counted through all hunks.
type Span struct{ From, To int }

// Changes returns the units that can be accepted or refused: deleted and inserted lines that follow each other, also across
// blank lines. There are none where the texts were not compared.
func (c *Diff) Changes() (all []Span) {
	at := 0
	for _, h := range c.Hunks {
		joins := false // the next change belongs to the last one
		for i, e := range h.Edits {
			switch {
			case e.Op == diff.Match:
				joins = joins && strings.TrimSpace(e.Line) == ""
			case joins:
				all[len(all)-1].To = at + i + 1
			default:
				all, joins = append(all, Span{at + i, at + i + 1}), true
			}
		}
		at += len(h.Edits)
	}
	return all
}

// Without returns the new text without the refused changes. before and after are the texts that were compared, or others
// with the same lines; ok is false if the lines differ.
func (c *Diff) Without(before, after string, refused []bool) (text string, ok bool) {
	old, now := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	spans := c.Changes()
	var b strings.Builder
	at, line, k := 0, 0, 0 // edits, lines of old, the change
	for _, h := range c.Hunks {
		if h.LineNoX < line || h.LineNoX > len(old) {
			return "", false
		}
		for ; line < h.LineNoX; line++ {
			b.WriteString(old[line])
		}
		for i, e := range h.Edits {
			for k < len(spans) && at+i >= spans[k].To {
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

var changeSeed = maphash.MakeSeed()

// ChangeKeys returns for each change what identifies it as long as its lines stay the same, and their place in the old
// text: so it does when other changes are undone, and changes that are alike differ.
func (c *Diff) ChangeKeys() []uint64 {
	spans := c.Changes()
	keys := make([]uint64, 0, len(spans))
	var h maphash.Hash
	h.SetSeed(changeSeed)
	at, k := 0, 0
	for _, hunk := range c.Hunks {
		old := hunk.LineNoX
		for i, e := range hunk.Edits {
			if k < len(spans) && at+i == spans[k].From {
				maphash.WriteComparable(&h, old)
			}
			if e.Op != diff.Insert {
				old++
			}
			if k < len(spans) && at+i >= spans[k].From && e.Op != diff.Match {
				h.WriteByte(byte(e.Op))
				h.WriteString(e.Line)
			}
			if k < len(spans) && at+i+1 == spans[k].To {
				keys = append(keys, h.Sum64())
				h.Reset()
				k++
			}
		}
		at += len(hunk.Edits)
	}
	return keys
}

// Matches reports whether a line of the diff matches.
func (c *Diff) Matches(matches func(string) bool) bool {
	for _, h := range c.Hunks {
		for _, e := range h.Edits {
			if matches(e.Line) {
				return true
			}
		}
	}
	return false
}

// Lines returns how many lines the diff has, context included.
func (c *Diff) Lines() int {
	n := 0
	for _, h := range c.Hunks {
		n += len(h.Edits)
	}
	return n
}
