package editor

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"parley/internal/glyphs"
	"parley/internal/text"
)

// inputLine is one line of the editor's text with its soft wrapping.
type inputLine struct {
	text   []byte
	starts []int // the offset where each row starts; starts[0] is 0
	width  int   // the width that starts are for; 0: not wrapped

	clusters bool // starts were measured by clusters
}

// wrap wraps the line for width unless it is wrapped already.
func (l *inputLine) wrap(ch *chips, width int) {
	if l.width == width && l.clusters == glyphs.ByClusters() {
		return
	}
	l.width, l.clusters = width, glyphs.ByClusters()
	l.starts = append(l.starts[:0], 0)
	for at := 0; ; {
		next, more := ch.nextRow(l.text, at, width)
		if !more {
			return
		}
		l.starts = append(l.starts, next)
		at = next
	}
}

// edited updates the wrapping after n bytes at an offset became m others. A row depends only on its start, its text and
// the cluster after it, so wrapping begins two rows before the edit and ends where a row starts as before.
func (l *inputLine) edited(ch *chips, at, n, m int) {
	if l.width == 0 {
		return
	}
	keep := max(l.rowAt(at)-2, 0)
	old := slices.Clone(l.starts[keep+1:])
	l.starts = l.starts[:keep+1]
	for start := l.starts[keep]; ; {
		next, more := ch.nextRow(l.text, start, l.width)
		if !more {
			return
		}
		if next >= at+m {
			for len(old) > 0 && old[0]-n+m < next {
				old = old[1:]
			}
			if len(old) > 0 && old[0]-n+m == next && old[0] >= at+n {
				for _, s := range old {
					l.starts = append(l.starts, s-n+m)
				}
				return
			}
		}
		l.starts = append(l.starts, next)
		start = next
	}
}

// rowAt returns the row that holds the byte at off; at a break it is the later one.
func (l *inputLine) rowAt(off int) int {
	return sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > off }) - 1
}

// row returns the bytes of a row.
func (l *inputLine) row(i int) []byte {
	if i+1 < len(l.starts) {
		return l.text[l.starts[i]:l.starts[i+1]]
	}
	return l.text[l.starts[i]:]
}

// nextRow returns where the row after the one at start begins; false if that is the last. Rows break after spaces and next
// to wide characters, else anywhere. One space may use the cell that is reserved for the cursor.
func (ch *chips) nextRow(text []byte, start, width int) (int, bool) {
	if len(text)-start <= width && plainBytes(text[start:]) {
		return len(text), false
	}
	cells, brk := 0, -1
	for i := start; i < len(text); {
		n, w := 1, 1
		c := text[i]
		if c < 0x20 || c >= 0x7f || i+1 < len(text) && text[i+1] >= 0x80 {
			n, w = ch.cluster(text[i:], width)
		}
		if cells+w > width {
			switch {
			case c == ' ' && n == 1:
				return i + 1, true
			case w > 1 && i > start:
				return i, true
			case brk > start:
				return brk, true
			case i > start:
				return i, true
			}
		}
		if w > 1 && i > start {
			brk = i
		}
		cells += w
		i += n
		if w > 1 || c == ' ' {
			brk = i
		}
	}
	return len(text), false
}

func plainBytes(b []byte) bool {
	for _, c := range b {
		if c < 0x20 || c >= 0x7f {
			return false
		}
	}
	return true
}

// cluster returns the bytes and cells of the first cluster of s, which is not empty. A chip is one cluster, as wide as its
// label but at most limit.
func (ch *chips) cluster(s []byte, limit int) (n, width int) {
	if c := s[0]; c < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1, 1
	}
	if r, size := utf8.DecodeRune(s); isChip(r) {
		return size, min(text.Width(ch.label(r)), limit)
	}
	cl, w := glyphs.Whole(s)
	n = len(cl)
	// Runes of chips start with the byte 0xF4 (plane 16) and never join a cluster.
	if i := bytes.IndexByte(cl[1:], 0xF4); i >= 0 {
		n = i + 1
		w = glyphs.Width(string(cl[:n]))
	}
	return n, min(w, limit)
}
