package widget

import (
	"cmp"
	"strings"
)

// operate carries out d, c or y over a motion, a text object, or whole lines.
func (c *Editor) operate(cmd vimCommand) {
	from, to, lines, ok := c.extent(cmd)
	if !ok {
		return
	}
	c.apply(cmd.op, from, to, lines)
}

// extent is what an operator works on.
func (c *Editor) extent(cmd vimCommand) (from, to place, lines, ok bool) {
	switch {
	case cmd.key == cmd.op: // dd, cc, yy
		last := min(c.at.line+max(1, cmd.count)-1, len(c.lines)-1)
		return place{c.at.line, 0}, place{last, len(c.lines[last].text)}, true, true
	case (cmd.key == 'i' || cmd.key == 'a') && cmd.arg != 0:
		from, to, ok = c.object(cmd)
		return from, to, false, ok
	case cmd.op == 'c' && (cmd.key == 'w' || cmd.key == 'W') && c.kindAt(c.at, false) != 0:
		return c.changedWord(cmd)
	}
	t, ok := c.motion(cmd)
	if !ok {
		return from, to, false, false
	}
	from, to = c.at, t.at
	if to.before(from) {
		from, to = to, from
	}
	switch {
	case t.lines:
		return place{from.line, 0}, place{to.line, len(c.lines[to.line].text)}, true, true
	case t.inclusive:
		to = c.after(to)
	case (cmd.key == 'w' || cmd.key == 'W') && to.line > from.line: // the last word of a line ends with it
		to = place{from.line, len(c.lines[from.line].text)}
	}
	return from, to, false, true
}

// changedWord is cw, which stops at the end of the word where dw takes the spaces after it too.
func (c *Editor) changedWord(cmd vimCommand) (from, to place, lines, ok bool) {
	capital := cmd.key == 'W'
	from, to = c.at, c.at
	for n := max(1, cmd.count); n > 0; n-- {
		k := c.kindAt(to, capital)
		for k == 0 && to.off < len(c.lines[to.line].text) {
			to = c.after(to)
			k = c.kindAt(to, capital)
		}
		for k != 0 && c.kindAt(to, capital) == k {
			to = c.after(to)
		}
	}
	return from, to, false, true
}

// after is the place after the character at p, in its line.
func (c *Editor) after(p place) place {
	if p.off >= len(c.lines[p.line].text) {
		return p
	}
	was := c.at
	c.at = p
	p = c.right()
	c.at = was
	return p
}

// apply does what the operator says.
func (c *Editor) apply(op rune, from, to place, lines bool) {
	v := &c.vim
	v.text, v.lines = c.text(from, to), lines
	if lines {
		v.text += "\n"
	}
	switch {
	case op == 'y':
		if !lines || from.line < c.at.line {
			c.moveTo(from)
		}
	case op == 'c':
		c.replace(from, to, "")
		v.mode = vimInsert
	case lines && to.line+1 < len(c.lines):
		c.replace(from, place{to.line + 1, 0}, "")
		c.moveTo(c.firstWord())
	case lines && from.line > 0: // the last lines go with the newline before them
		c.replace(place{from.line - 1, len(c.lines[from.line-1].text)}, to, "")
		c.moveTo(place{c.at.line, 0})
		c.moveTo(c.firstWord())
	default:
		c.replace(from, to, "")
	}
}

// object is the extent of a text object around the cursor.
func (c *Editor) object(cmd vimCommand) (from, to place, ok bool) {
	around := cmd.key == 'a'
	switch {
	case cmd.arg == 'w' || cmd.arg == 'W':
		return c.wordObject(cmd.arg == 'W', around)
	case strings.ContainsRune("\"'`", cmd.arg):
		from, to, ok = c.quoted(byte(cmd.arg))
	default:
		from, to, ok = c.bracketed(cmd.arg)
	}
	if ok && !around {
		from, to = place{from.line, from.off + 1}, place{to.line, to.off - 1}
	}
	return from, to, ok
}

func (c *Editor) wordObject(capital, around bool) (from, to place, ok bool) {
	text := c.lines[c.at.line].text
	if len(text) == 0 {
		return from, to, false
	}
	kind := c.kindAt(c.at, capital)
	run := func(p place, k int) place { // to the end of a run
		for p.off < len(text) && c.kindAt(p, capital) == k {
			p = c.after(p)
		}
		return p
	}
	back := func(p place, k int) place {
		was := c.at
		defer func() { c.at = was }()
		for c.at = p; c.at.off > 0; {
			before := c.left()
			if c.kindAt(before, capital) != k {
				break
			}
			c.at = before
		}
		return c.at
	}
	from, to = back(c.at, kind), run(c.at, kind)
	if !around {
		return from, to, true
	}
	switch end := run(to, 0); {
	case kind == 0 && end.off < len(text):
		to = run(to, c.kindAt(to, capital))
	case kind != 0 && end != to:
		to = end
	case kind != 0:
		from = back(from, 0)
	}
	return from, to, true
}

// quoted is the first pair of quotes of the line that ends after the cursor.
func (c *Editor) quoted(q byte) (from, to place, ok bool) {
	text := c.lines[c.at.line].text
	open := -1
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] != q:
		case open < 0:
			open = i
		case i >= c.at.off:
			return place{c.at.line, open}, place{c.at.line, i + 1}, true
		default:
			open = -1
		}
	}
	return from, to, false
}

// bracketed is the innermost pair of brackets around the cursor.
func (c *Editor) bracketed(kind rune) (from, to place, ok bool) {
	open := byte(cmp.Or(map[rune]rune{'b': '(', ')': '(', 'B': '{', '}': '{', ']': '[', '>': '<'}[kind], kind))
	shut := brackets[strings.IndexByte(brackets, open)^1]
	for line := c.at.line; line >= 0; line-- {
		text := c.lines[line].text
		off := len(text) - 1
		if line == c.at.line {
			off = min(c.at.off, off)
		}
		for depth := 0; off >= 0; off-- {
			switch {
			case text[off] == shut && (place{line, off}) != c.at:
				depth++
			case text[off] == open && depth > 0:
				depth--
			case text[off] == open:
				if end, found := c.partner(place{line, off}); found && !end.before(c.at) {
					return place{line, off}, place{end.line, end.off + 1}, true
				}
				return from, to, false
			}
		}
	}
	return from, to, false
}

// visual handles a command while something is selected.
func (c *Editor) visual(cmd vimCommand) bool {
	v := &c.vim
	from, to, lines := c.selected()
	switch {
	case cmd.arg != 0 && (cmd.key == 'i' || cmd.key == 'a'):
		if a, b, ok := c.object(cmd); ok && a != b {
			v.anchor = a
			c.at = b
			c.moveTo(c.left())
		}
	case strings.ContainsRune("dxcsy", cmd.key):
		v.mode = vimNormal
		c.moveTo(from)
		c.apply(cmp.Or(map[rune]rune{'x': 'd', 's': 'c'}[cmd.key], cmd.key), from, to, lines)
		c.stay()
	case cmd.key == 'r' || cmd.key == '~' || cmd.key == 'u':
		v.mode = vimNormal
		text := c.text(from, to)
		switch cmd.key {
		case '~':
			text = swapCase(text)
		case 'u':
			text = strings.ToLower(text)
		default:
			text = strings.Map(func(r rune) rune {
				if r == '\n' {
					return r
				}
				return cmd.arg
			}, text)
		}
		c.replace(from, to, text)
		c.moveTo(from)
	case cmd.key == 'p':
		v.mode = vimNormal
		put := v.text
		v.text, v.lines = c.text(from, to), lines
		c.replace(from, to, strings.TrimSuffix(put, "\n"))
		c.moveTo(from)
	case cmd.key == 'J':
		v.mode = vimNormal
		c.moveTo(from)
		c.join(to.line - from.line + 1)
	case cmd.key == 'o':
		if v.anchor = from; c.at == from {
			v.anchor = c.lastOf(to)
		}
		c.at, v.anchor = v.anchor, c.at
	case cmd.key == 'v' || cmd.key == 'V':
		want := map[rune]vimMode{'v': vimVisual, 'V': vimVisualLine}[cmd.key]
		if v.mode == want {
			want = vimNormal
		}
		v.mode = want
	default:
		return c.moved(cmd)
	}
	return true
}

// lastOf is the last character before a place.
func (c *Editor) lastOf(p place) place {
	was := c.at
	c.at = p
	p = c.left()
	c.at = was
	return p
}

// selected is what a visual selection covers.
func (c *Editor) selected() (from, to place, lines bool) {
	from, to = c.vim.anchor, c.at
	from.line = min(from.line, len(c.lines)-1) // the text may have been changed meanwhile
	from.off = c.snap(from.line, min(from.off, len(c.lines[from.line].text)))
	if to.before(from) {
		from, to = to, from
	}
	if c.vim.mode == vimVisualLine {
		return place{from.line, 0}, place{to.line, len(c.lines[to.line].text)}, true
	}
	return from, c.after(to), false
}
