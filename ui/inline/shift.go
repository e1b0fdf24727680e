package inline

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// run is n rows that are the same from old in the live rows and from now in the next ones.
type run struct{ old, now, n int }

// longest finds the most rows that follow each other in both, by their bytes.
func longest(old, now []row) (best run) {
	most := 32 // it has to be worth it
	for i := range old {
		for j := range now {
			n, bytes := 0, 0
			for i+n < len(old) && j+n < len(now) && old[i+n].text == now[j+n].text {
				bytes += len(old[i+n].text)
				n++
			}
			if bytes > most {
				most, best = bytes, run{i, j, n}
			}
		}
	}
	return best
}

// shift lets the terminal move rows, by deleting and inserting lines above and below them,
// instead of writing them again.
func (t *Terminal) shift(b []byte, next []row) []byte {
	if len(t.live) == 0 || len(next) >= t.size.rows {
		return b
	}
	top, end := 0, 0
	for least := min(len(t.live), len(next)); top < least && t.live[top].text == next[top].text; top++ {
	}
	for least := min(len(t.live), len(next)) - top; end < least && t.live[len(t.live)-1-end].text == next[len(next)-1-end].text; end++ {
	}
	grow := len(next) - len(t.live)
	r := longest(t.live[top:len(t.live)-end], next[top:len(next)-end])
	above := r.now - r.old // rows that are missing there, or too many
	below := grow - above
	if r.n == 0 && (grow == 0 || end == 0) || above == 0 && below == 0 {
		return b
	}
	if r.n == 0 && grow > 0 { // all of the change is before the end
		r.old = len(t.live) - end - top
	}
	if grow > 0 { // what leaves the screen at its top goes into the scrollback
		b = append(t.to(b, 0, len(t.live)-1), strings.Repeat("\n", grow)...)
		t.y += grow
	}
	at := top + r.old
	if above < 0 {
		at += above
		b = t.drop(b, at, -above)
	}
	if below < 0 {
		b = t.drop(b, at+r.n, -below)
	}
	if above > 0 {
		b = t.room(b, at, above)
		at += above
	}
	if below > 0 {
		b = t.room(b, at+r.n, below)
	}
	return b
}

// drop takes rows away: those below come up.
func (t *Terminal) drop(b []byte, at, n int) []byte {
	b = append(t.to(b, 0, at), ansi.DeleteLine(n)...)
	t.live = slices.Delete(slices.Clone(t.live), at, at+n)
	return b
}

// room makes empty rows: those below go down.
func (t *Terminal) room(b []byte, at, n int) []byte {
	b = append(t.to(b, 0, at), ansi.InsertLine(n)...)
	t.live = slices.Insert(slices.Clone(t.live), at, make([]row, n)...)
	return b
}
