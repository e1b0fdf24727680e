package editor

import (
	"cmp"
	"strings"
)

// changedWord returns where cw ends: at the end of the word, while dw includes the spaces after it.
func (b *buffer) changedWord(at place, cmd vimCommand) place {
	capital := cmd.key == 'W'
	for range max(1, cmd.count) {
		k := b.kindAt(at, capital)
		for k == 0 && at != b.lineEnd(at) {
			at = b.after(at)
			k = b.kindAt(at, capital)
		}
		for k != 0 && b.kindAt(at, capital) == k {
			at = b.after(at)
		}
	}
	return at
}

// object returns the range of a text object around a place.
func (b *buffer) object(at place, cmd vimCommand) (from, to place, ok bool) {
	around := cmd.key == 'a'
	switch {
	case cmd.arg == 'w' || cmd.arg == 'W':
		return b.wordObject(at, cmd.arg == 'W', around)
	case strings.ContainsRune("\"'`", cmd.arg):
		from, to, ok = b.quoted(at, byte(cmd.arg))
	default:
		from, to, ok = b.bracketed(at, cmd.arg)
	}
	if ok && !around {
		from.off++
		to.off--
	}
	return from, to, ok
}

func (b *buffer) wordObject(at place, capital, around bool) (from, to place, ok bool) {
	if len(b.line(at)) == 0 {
		return from, to, false
	}
	kind, end := b.kindAt(at, capital), b.lineEnd(at)
	run := func(p place, k int) place { // to the end of a run
		for p != end && b.kindAt(p, capital) == k {
			p = b.after(p)
		}
		return p
	}
	back := func(p place, k int) place {
		for p.off > 0 {
			before := b.left(p)
			if b.kindAt(before, capital) != k {
				break
			}
			p = before
		}
		return p
	}
	from, to = back(at, kind), run(at, kind)
	if !around {
		return from, to, true
	}
	switch spaces := run(to, 0); {
	case kind == 0 && spaces != end:
		to = run(to, b.kindAt(to, capital))
	case kind != 0 && spaces != to:
		to = spaces
	case kind != 0:
		from = back(from, 0)
	}
	return from, to, true
}

// quoted returns the first pair of quotes in the line that ends after a place.
func (b *buffer) quoted(at place, q byte) (from, to place, ok bool) {
	text := b.line(at)
	open := -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] != q:
		case open < 0:
			open = i
		case i >= at.off:
			return place{at.line, open}, place{at.line, i + 1}, true
		default:
			open = -1
		}
	}
	return from, to, false
}

const brackets = "()[]{}<>"

// bracketed returns the innermost pair of brackets around a place.
func (b *buffer) bracketed(at place, kind rune) (from, to place, ok bool) {
	open := byte(cmp.Or(map[rune]rune{'b': '(', ')': '(', 'B': '{', '}': '{', ']': '[', '>': '<'}[kind], kind))
	shut := brackets[strings.IndexByte(brackets, open)^1]
	for line := at.line; line >= 0; line-- {
		text := b.lines[line].text
		off := len(text) - 1
		if line == at.line {
			off = min(at.off, off)
		}
		for depth := 0; off >= 0; off-- {
			switch {
			case text[off] == shut && (place{line, off}) != at:
				depth++
			case text[off] == open && depth > 0:
				depth--
			case text[off] == open:
				if end, found := b.matchingBracket(place{line, off}); found && !end.before(at) {
					return place{line, off}, place{end.line, end.off + 1}, true
				}
				return from, to, false
			}
		}
	}
	return from, to, false
}

// matchingBracket returns the place of the bracket that matches the one at a place.
func (b *buffer) matchingBracket(from place) (place, bool) {
	bracket := b.line(from)[from.off]
	k := strings.IndexByte(brackets, bracket)
	other, step := brackets[k^1], 1-2*(k&1)
	depth := 0
	for line, off := from.line, from.off; line >= 0 && line < len(b.lines); {
		text := b.lines[line].text
		for ; off >= 0 && off < len(text); off += step {
			switch text[off] {
			case bracket:
				depth++
			case other:
				if depth--; depth == 0 {
					return place{line, off}, true
				}
			}
		}
		if line += step; line >= 0 && line < len(b.lines) {
			off = 0
			if step < 0 {
				off = len(b.lines[line].text) - 1
			}
		}
	}
	return place{}, false
}
