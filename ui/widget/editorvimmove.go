package widget

import (
	"strings"
	"unicode/utf8"
)

// target is where a motion leads.
type target struct {
	at        place
	inclusive bool // an operator takes the character there as well
	lines     bool // it takes whole lines
}

// motion says where a motion leads from the cursor; false where it leads nowhere.
func (c *Editor) motion(cmd vimCommand) (target, bool) {
	at, n := c.at, max(1, cmd.count)
	defer func() { c.at = at }()
	switch cmd.key {
	case ';', ',':
		again := c.vim.find
		if again.key == 0 {
			return target{}, false
		}
		if cmd.key == ',' {
			again.key = map[rune]rune{'f': 'F', 'F': 'f', 't': 'T', 'T': 't'}[again.key]
		}
		again.count = cmd.count
		return c.findMotion(again)
	case 'f', 'F', 't', 'T':
		c.vim.find = cmd
		return c.findMotion(cmd)
	case '0':
		return target{at: c.lineStart()}, true
	case '^':
		return target{at: c.firstWord()}, true
	case '$':
		end := place{min(at.line+n-1, len(c.lines)-1), 0}
		end.off = len(c.lines[end.line].text)
		return target{at: end}, true
	case 'g', 'G':
		line := len(c.lines) - 1
		if cmd.count > 0 {
			line = min(cmd.count-1, line)
		} else if cmd.key == 'g' {
			line = 0
		}
		return target{at: place{line, 0}, lines: true}, true
	case 'j', 'k':
		step := n
		if cmd.key == 'k' {
			step = -n
		}
		if line := at.line + step; line >= 0 && line < len(c.lines) {
			return target{at: place{line, 0}, lines: true}, true
		}
		return target{}, false
	case '%':
		return c.match()
	}
	inclusive := cmd.key == 'e' || cmd.key == 'E'
	for range n {
		switch cmd.key {
		case 'h':
			if c.at.off > 0 {
				c.at = c.left()
			}
		case 'l':
			if c.at != c.lineEnd() {
				c.at = c.right()
			}
		default:
			c.at = c.wordMotion(cmd.key)
		}
	}
	return target{at: c.at, inclusive: inclusive}, c.at != at || cmd.op == 'c'
}

// kindAt tells what is at the cursor: 0 for a space or the end of a line, else 1 or 2; capital motions know only one
// kind that is not space.
func (c *Editor) kindAt(p place, capital bool) int {
	text := c.lines[p.line].text
	if p.off >= len(text) {
		return 0
	}
	r, _ := utf8.DecodeRune(text[p.off:])
	switch {
	case r == ' ' || r == '\u00a0' || r == '\u3000':
		return 0
	case capital || isChip(r) || wordRune(r) || r == '_':
		return 1
	}
	return 2
}

// wordMotion is one step of w, b or e, or their capitals.
func (c *Editor) wordMotion(key rune) place {
	capital := strings.ContainsRune("WBE", key)
	kind := func() int { return c.kindAt(c.at, capital) }
	forward := func() bool {
		next := c.right()
		if next == c.at {
			return false
		}
		c.at = next
		return true
	}
	switch key {
	case 'w', 'W':
		from, line := kind(), c.at.line
		for from != 0 && kind() == from && c.at.line == line && forward() {
		}
		for kind() == 0 && !(c.at.off == 0 && c.at.line != line && len(c.lines[c.at.line].text) == 0) && forward() {
		}
	case 'e', 'E':
		for forward() && kind() == 0 {
		}
		for k := kind(); k != 0; {
			next := c.right()
			if next == c.at || next.line != c.at.line || c.kindAt(next, capital) != k {
				break
			}
			c.at = next
		}
	default:
		for c.at != (place{}) {
			c.at = c.left()
			if kind() != 0 {
				break
			}
		}
		for k := kind(); k != 0 && c.at.off > 0; {
			before := c.left()
			if c.kindAt(before, capital) != k {
				break
			}
			c.at = before
		}
	}
	return c.at
}

// findMotion is f, F, t or T: to a character of the line, or before it.
func (c *Editor) findMotion(cmd vimCommand) (target, bool) {
	at, text := c.at, c.lines[c.at.line].text
	back := cmd.key == 'F' || cmd.key == 'T'
	till := cmd.key == 't' || cmd.key == 'T'
	found := -1
	for range max(1, cmd.count) {
		if back {
			found = strings.LastIndex(string(text[:at.off]), string(cmd.arg))
		} else {
			from := c.after(at).off
			if found = strings.Index(string(text[from:]), string(cmd.arg)); found >= 0 {
				found += from
			}
		}
		if found < 0 {
			return target{}, false
		}
		at.off = found
	}
	was := c.at
	c.at = at
	switch {
	case till && back:
		at = c.right()
	case till:
		at = c.left()
	}
	c.at = was
	return target{at: at, inclusive: !back}, true
}

const brackets = "()[]{}<>"

// match is %: to the bracket that belongs to the one under the cursor, or to the next one of the line.
func (c *Editor) match() (target, bool) {
	text := c.lines[c.at.line].text
	i := strings.IndexAny(string(text[c.at.off:]), brackets)
	if i < 0 {
		return target{}, false
	}
	from := place{c.at.line, c.at.off + i}
	to, ok := c.partner(from)
	return target{at: to, inclusive: true}, ok
}

// partner finds the bracket that belongs to the one at a place.
func (c *Editor) partner(from place) (place, bool) {
	own := c.lines[from.line].text[from.off]
	k := strings.IndexByte(brackets, own)
	other, step := brackets[k^1], 1-2*(k&1)
	depth := 0
	for line, off := from.line, from.off; line >= 0 && line < len(c.lines); {
		text := c.lines[line].text
		for ; off >= 0 && off < len(text); off += step {
			switch text[off] {
			case own:
				depth++
			case other:
				if depth--; depth == 0 {
					return place{line, off}, true
				}
			}
		}
		if line += step; line >= 0 && line < len(c.lines) {
			off = 0
			if step < 0 {
				off = len(c.lines[line].text) - 1
			}
		}
	}
	return place{}, false
}

// firstWord is the first place of the line that is not blank.
func (c *Editor) firstWord() place {
	text := string(c.lines[c.at.line].text)
	return place{c.at.line, len(text) - len(strings.TrimLeft(text, " "))}
}
