package editor

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// place is a position in the text: a line and a byte in it.
type place struct{ line, off int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.off < q.off }

// endOf returns the place at the end of a text that begins at p.
func (p place) endOf(text string) place {
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		return place{p.line + strings.Count(text, "\n"), len(text) - i - 1}
	}
	return place{p.line, p.off + len(text)}
}

// buffer is the text of an editor, in softly wrapped lines. It has no cursor. All places passed to it and returned by it
// are at the edge of a cluster.
type buffer struct {
	lines []*inputLine // never empty
	chips chips
	room  int // cells of a row for text; one more is for the cursor at the end of a full row
}

// empty reports whether there is no text.
func (b *buffer) empty() bool { return len(b.lines) == 1 && len(b.lines[0].text) == 0 }

// line returns the text of the line of a place.
func (b *buffer) line(p place) []byte { return b.lines[p.line].text }

func (b *buffer) lineStart(p place) place { return place{p.line, 0} }
func (b *buffer) lineEnd(p place) place   { return place{p.line, len(b.line(p))} }

// end returns the place after all text.
func (b *buffer) end() place { return b.lineEnd(place{line: len(b.lines) - 1}) }

// text returns the text between two places, with chips as their runes.
func (b *buffer) text(from, to place) string {
	if from.line == to.line {
		return string(b.line(from)[from.off:to.off])
	}
	var out bytes.Buffer
	out.Write(b.line(from)[from.off:])
	for i := from.line + 1; i < to.line; i++ {
		out.WriteByte('\n')
		out.Write(b.lines[i].text)
	}
	out.WriteByte('\n')
	out.Write(b.line(to)[:to.off])
	return out.String()
}

// replace replaces the text between from and to by ins, which is clean. It returns the place after ins.
func (b *buffer) replace(from, to place, ins string) place {
	first := b.lines[from.line]
	if from.line == to.line && strings.IndexByte(ins, '\n') < 0 {
		b.splice(first, from.off, to.off-from.off, ins)
		return place{from.line, b.snap(from.line, from.off+len(ins))}
	}
	tail := slices.Clone(b.line(to)[to.off:])
	parts := strings.Split(ins, "\n")
	b.splice(first, from.off, len(first.text)-from.off, parts[0])
	added := make([]*inputLine, 0, len(parts)-1)
	for _, p := range parts[1:] {
		added = append(added, &inputLine{text: []byte(p)})
	}
	b.lines = slices.Replace(b.lines, from.line+1, to.line+1, added...)
	last := from.line + len(added)
	at := len(b.lines[last].text)
	b.splice(b.lines[last], at, 0, string(tail))
	return place{last, b.snap(last, at)}
}

// splice replaces n bytes of a line and keeps the wrapping of the rest.
func (b *buffer) splice(l *inputLine, at, n int, ins string) {
	if n == 0 && ins == "" {
		return
	}
	l.text = slices.Replace(l.text, at, at+n, []byte(ins)...)
	l.edited(&b.chips, at, n, len(ins))
}

// wrapped returns a line after wrapping it.
func (b *buffer) wrapped(line int) *inputLine {
	l := b.lines[line]
	l.wrap(&b.chips, b.room)
	return l
}

// cluster measures the first cluster of a text.
func (b *buffer) cluster(text []byte) (n, width int) { return b.chips.cluster(text, b.room) }

// snap returns the first edge of a cluster at or after off: a combining mark joins text inserted before it.
func (b *buffer) snap(line, off int) int {
	l := b.wrapped(line)
	for i := l.starts[l.rowAt(off)]; ; {
		if i >= off {
			return i
		}
		n, _ := b.cluster(l.text[i:])
		i += n
	}
}

// edge returns the last edge of a cluster up to a place of a line.
func (b *buffer) edge(p place) place {
	l := b.wrapped(p.line)
	last := l.starts[l.rowAt(p.off)]
	for i := last; i <= p.off; {
		last = i
		if i == len(l.text) {
			break
		}
		n, _ := b.cluster(l.text[i:])
		i += n
	}
	return place{p.line, last}
}

// left returns the place one cluster before p; before the start of a line is the end of the line above.
func (b *buffer) left(p place) place {
	switch {
	case p.off > 0:
		return b.edge(place{p.line, p.off - 1})
	case p.line > 0:
		return b.lineEnd(place{line: p.line - 1})
	}
	return p
}

// right returns the place one cluster after p.
func (b *buffer) right(p place) place {
	switch {
	case p != b.lineEnd(p):
		return b.after(p)
	case p.line+1 < len(b.lines):
		return place{line: p.line + 1}
	}
	return p
}

// after is like right, but stays in the line.
func (b *buffer) after(p place) place {
	if text := b.line(p)[p.off:]; len(text) > 0 {
		n, _ := b.cluster(text)
		p.off += n
	}
	return p
}

// wordLeft returns the start of the word before p. A chip is a word.
func (b *buffer) wordLeft(p place) place {
	return b.skipLeft(p, func(r rune) bool { return !text.WordRune(r) && r != '_' })
}

// blankLeft returns the start of the run of non-spaces before p, which ctrl+w deletes in a shell.
func (b *buffer) blankLeft(p place) place { return b.skipLeft(p, blank) }

func blank(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\u3000' }

func (b *buffer) skipLeft(p place, gap func(rune) bool) place {
	if p.off == 0 {
		return b.left(p)
	}
	text, in := b.line(p)[:p.off], false
	for len(text) > 0 {
		r, n := utf8.DecodeLastRune(text)
		if isChip(r) {
			if !in {
				text = text[:len(text)-n]
			}
			break
		}
		if gap(r) && in {
			break
		}
		in = in || !gap(r)
		text = text[:len(text)-n]
	}
	return b.edge(place{p.line, len(text)})
}

// wordRight returns the end of the word after p.
func (b *buffer) wordRight(p place) place {
	line := b.line(p)
	i, in := p.off, false
	if i == len(line) {
		return b.right(p)
	}
	for i < len(line) {
		r, n := utf8.DecodeRune(line[i:])
		if isChip(r) {
			if !in {
				i += n
			}
			break
		}
		word := text.WordRune(r) || r == '_'
		if in && !word {
			break
		}
		in = in || word
		i += n
	}
	return place{p.line, b.snap(p.line, i)}
}

// rowRef names a row: one of the rows of a line.
type rowRef struct{ line, row int }

func (a rowRef) before(b rowRef) bool { return a.line < b.line || a.line == b.line && a.row < b.row }

// rowOf returns the row of a place and its column there.
func (b *buffer) rowOf(p place) (r rowRef, column int) {
	l := b.wrapped(p.line)
	r = rowRef{p.line, l.rowAt(p.off)}
	for text := l.text[l.starts[r.row]:p.off]; len(text) > 0; {
		n, cells := b.cluster(text)
		column += cells
		text = text[n:]
	}
	return r, column
}

// placeAt returns the place in a row that is nearest before a column, or at it.
func (b *buffer) placeAt(r rowRef, column int) place {
	l := b.wrapped(r.line)
	row := l.row(r.row)
	off, x := 0, 0
	for off < len(row) {
		n, cells := b.cluster(row[off:])
		// The end of a wrapped row is the start of the next: stay before its last cluster.
		if x+cells > column || off+n == len(row) && r.row+1 < len(l.starts) {
			break
		}
		off, x = off+n, x+cells
	}
	return place{r.line, l.starts[r.row] + off}
}

// step returns the row n rows after r (before, if n is negative), and how many steps there were.
func (b *buffer) step(r rowRef, n int) (rowRef, int) {
	done := 0
	for ; n > 0; n-- {
		switch {
		case r.row+1 < len(b.wrapped(r.line).starts):
			r.row++
		case r.line+1 < len(b.lines):
			r = rowRef{r.line + 1, 0}
		default:
			return r, done
		}
		done++
	}
	for ; n < 0; n++ {
		switch {
		case r.row > 0:
			r.row--
		case r.line > 0:
			r = rowRef{r.line - 1, len(b.wrapped(r.line-1).starts) - 1}
		default:
			return r, done
		}
		done++
	}
	return r, done
}
