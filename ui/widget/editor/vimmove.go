package editor

import (
	"strings"
	"unicode/utf8"

	"parley/ui/widget/text"
)

// target is where a motion leads.
type target struct {
	at        place
	inclusive bool // an operator takes the character there as well
	lines     bool // it takes whole lines
}

// motion says where a motion leads from the cursor; false where it leads nowhere.
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

// motion says where a motion leads from a place; false where it leads nowhere.
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
	case '%': // to the bracket that belongs to the one here, or to the next one of the line
		i := strings.IndexAny(string(b.line(from)[from.off:]), brackets)
		if i < 0 {
			return target{}, false
		}
		to, ok := b.partner(place{from.line, from.off + i})
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

// kindAt tells what is at a place: 0 for a space or the end of a line, else 1 or 2; capital motions know only one kind
// that is not space.
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

// find is f, F, t or T: to a character of the line, or before it.
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

// firstWord is the first place of the line that is no space.
func (b *buffer) firstWord(p place) place {
	text := string(b.line(p))
	return place{p.line, len(text) - len(strings.TrimLeft(text, " "))}
}
