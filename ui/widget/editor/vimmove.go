package editor

import (
	"strings"
	"unicode/utf8"

	"parley/internal/text"
)

// target is where a motion ends.
type target struct {
	at        place
	inclusive bool // an operator includes the character there
	lines     bool // an operator works on whole lines
}

// motion returns where a motion from the cursor ends; false if it fails.
func (v *vim) motion(cmd vimCommand) (target, bool) {
	switch cmd.key {
	case ';', ',':
		again := v.find
		if again.key == 0 {
			return target{}, false
		}
		if cmd.key == ',' {
			again.key = map[rune]rune{'f': 'F', 'F': 'f', 't': 'T', 'T': 't'}[again.key]
		}
		again.count = cmd.count
		cmd = again
	case 'f', 'F', 't', 'T':
		v.find = cmd
	}
	return v.e.motion(v.e.at, cmd)
}

// motion returns where a motion from a place ends; false if it fails.
func (b *buffer) motion(from place, cmd vimCommand) (target, bool) {
	n := max(1, cmd.count)
	switch cmd.key {
	case 'f', 'F', 't', 'T':
		return b.find(from, cmd)
	case '0':
		return target{at: b.lineStart(from)}, true
	case '^':
		return target{at: b.firstWord(from)}, true
	case '$':
		return target{at: b.lineEnd(place{line: min(from.line+n-1, len(b.lines)-1)})}, true
	case 'g', 'G':
		line := len(b.lines) - 1
		if cmd.count > 0 {
			line = min(cmd.count-1, line)
		} else if cmd.key == 'g' {
			line = 0
		}
		return target{at: place{line, 0}, lines: true}, true
	case 'j', 'k':
		if cmd.key == 'k' {
			n = -n
		}
		line := from.line + n
		return target{at: place{line, 0}, lines: true}, line >= 0 && line < len(b.lines)
	case '%': // to the bracket that matches the one here, or the next one in the line
		i := strings.IndexAny(string(b.line(from)[from.off:]), brackets)
		if i < 0 {
			return target{}, false
		}
		to, ok := b.matchingBracket(place{from.line, from.off + i})
		return target{at: to, inclusive: true}, ok
	}
	at := from
	for range n {
		switch {
		case cmd.key == 'h' && at.off > 0:
			at = b.left(at)
		case cmd.key == 'h':
		case cmd.key == 'l':
			at = b.after(at)
		default:
			at = b.wordMotion(at, cmd.key)
		}
	}
	return target{at: at, inclusive: cmd.key == 'e' || cmd.key == 'E'}, at != from || cmd.op == 'c'
}

// kindAt returns the kind of the character at a place: 0 for a space or the end of a line, else 1 or 2. For capital
// motions everything but space is of one kind.
func (b *buffer) kindAt(p place, capital bool) int {
	s := b.line(p)
	if p.off >= len(s) {
		return 0
	}
	r, _ := utf8.DecodeRune(s[p.off:])
	switch {
	case blank(r):
		return 0
	case capital || isChip(r) || text.WordRune(r) || r == '_':
		return 1
	}
	return 2
}

// wordMotion is one step of w, b or e, or their capitals.
func (b *buffer) wordMotion(at place, key rune) place {
	capital := strings.ContainsRune("WBE", key)
	kind := func() int { return b.kindAt(at, capital) }
	forward := func() bool {
		was := at
		at = b.right(at)
		return at != was
	}
	switch key {
	case 'w', 'W':
		from, line := kind(), at.line
		for from != 0 && kind() == from && at.line == line && forward() {
		}
		for kind() == 0 && !(at.off == 0 && at.line != line && len(b.line(at)) == 0) && forward() {
		}
	case 'e', 'E':
		for forward() && kind() == 0 {
		}
		for k := kind(); k != 0; {
			next := b.right(at)
			if next == at || next.line != at.line || b.kindAt(next, capital) != k {
				break
			}
			at = next
		}
	default:
		for at != (place{}) {
			at = b.left(at)
			if kind() != 0 {
				break
			}
		}
		for k := kind(); k != 0 && at.off > 0; {
			before := b.left(at)
			if b.kindAt(before, capital) != k {
				break
			}
			at = before
		}
	}
	return at
}

// find is f, F, t or T: to a character in the line, or next to it.
func (b *buffer) find(at place, cmd vimCommand) (target, bool) {
	text := b.line(at)
	back := cmd.key == 'F' || cmd.key == 'T'
	till := cmd.key == 't' || cmd.key == 'T'
	for range max(1, cmd.count) {
		from, found := b.after(at).off, -1
		if back {
			found = strings.LastIndex(string(text[:at.off]), string(cmd.arg))
		} else if found = strings.Index(string(text[from:]), string(cmd.arg)); found >= 0 {
			found += from
		}
		if found < 0 {
			return target{}, false
		}
		at.off = found
	}
	switch {
	case till && back:
		at = b.right(at)
	case till:
		at = b.left(at)
	}
	return target{at: at, inclusive: !back}, true
}

// firstWord returns the place of the first non-space in the line.
func (b *buffer) firstWord(p place) place {
	text := string(b.line(p))
	return place{p.line, len(text) - len(strings.TrimLeft(text, " "))}
}
