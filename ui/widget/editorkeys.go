package widget

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// Key handles a key that means want, and says whether the editor took it. It takes text, what edits and moves
// (intent.Draft), and enter after a backslash, which a newline replaces. It leaves enter, up on the first row, down on
// the last, and, while it is empty, everything that would move or delete.
func (c *Editor) Key(k tea.KeyPressMsg, want intent.Intent) bool {
	c.settle()
	if c.vim.on {
		if taken, handled := c.vimKey(k); handled {
			return taken
		}
	}
	if printable(k) && want == intent.None {
		if k.Text == " " {
			c.edits.seal() // words are undone one by one
		}
		c.Insert(k.Text)
		return true
	}
	if want != intent.None && want != intent.Newline {
		c.edits.seal()
	}
	if want == intent.Undo {
		return c.undo()
	}
	if kill, ok := kills[want]; ok {
		if c.Empty() {
			return false
		}
		kill(c)
		return true
	}
	wasKilling := c.killing
	c.killing = false
	if move, ok := moves[want]; ok {
		if c.Empty() {
			return false
		}
		c.moveTo(move(c))
		return true
	}
	switch {
	case want == intent.LineUp || want == intent.LineDown:
		return !c.Empty() && c.vertical(want == intent.LineDown)
	case want == intent.Newline:
		c.Insert("\n")
	case want == intent.Yank:
		c.replace(c.at, c.at, c.yank)
	case k.Keystroke() == "enter" && c.EndsWithBackslash():
		c.replace(place{c.at.line, c.at.off - 1}, c.at, "\n")
	default:
		c.killing = wasKilling
		return false
	}
	return true
}

// EndsWithBackslash says whether a backslash is right before the cursor.
func (c *Editor) EndsWithBackslash() bool {
	return c.at.off > 0 && c.lines[c.at.line].text[c.at.off-1] == '\\'
}

// moves maps intents to the place they move to.
var moves = map[intent.Intent]func(*Editor) place{
	intent.CharLeft: (*Editor).left, intent.CharRight: (*Editor).right,
	intent.LineStart: (*Editor).lineStart, intent.LineEnd: (*Editor).lineEnd,
	intent.WordLeft: (*Editor).wordLeft, intent.WordRight: (*Editor).wordRight,
	intent.DraftStart: func(*Editor) place { return place{} }, intent.DraftEnd: (*Editor).end,
}

// kills maps intents to what they delete.
var kills = map[intent.Intent]func(*Editor){
	intent.DeleteBack:    func(c *Editor) { c.delete(c.left(), c.at) },
	intent.DeleteForward: func(c *Editor) { c.delete(c.at, c.right()) },
	intent.KillBlankLeft: func(c *Editor) { c.kill(c.blankLeft(), c.at) },
	intent.KillWordLeft:  func(c *Editor) { c.kill(c.wordLeft(), c.at) },
	intent.KillWordRight: func(c *Editor) { c.kill(c.at, c.wordRight()) },
	intent.KillToStart:   func(c *Editor) { c.kill(c.lineStart(), c.at) },
	intent.KillToEnd: func(c *Editor) {
		to := c.lineEnd()
		if to == c.at {
			to = c.right() // at the end of a line it takes the newline
		}
		c.kill(c.at, to)
	},
}

func (c *Editor) delete(from, to place) {
	c.killing = false
	c.replace(from, to, "")
}

// kill deletes text and keeps it for ctrl+y. Kills in a row add up, in the order of the text.
func (c *Editor) kill(from, to place) {
	if from == to {
		return
	}
	text := c.text(from, to)
	switch {
	case !c.killing:
		c.yank = text
	case from.before(c.at):
		c.yank = text + c.yank
	default:
		c.yank += text
	}
	c.replace(from, to, "")
	c.killing = true
}

func (c *Editor) lineStart() place { return place{c.at.line, 0} }
func (c *Editor) lineEnd() place   { return place{c.at.line, len(c.lines[c.at.line].text)} }

// left returns the place one cluster before the cursor; a line's start follows the end of the line before.
func (c *Editor) left() place {
	p := c.at
	if p.off == 0 {
		if p.line == 0 {
			return p
		}
		return place{p.line - 1, len(c.lines[p.line-1].text)}
	}
	l := c.lines[p.line]
	l.wrap(&c.chips, c.textWidth())
	last := l.starts[l.rowAt(p.off-1)]
	for i := last; i < p.off; {
		n, _ := c.chips.cluster(l.text[i:], c.textWidth())
		last, i = i, i+n
	}
	return place{p.line, last}
}

func (c *Editor) right() place {
	p := c.at
	l := c.lines[p.line]
	if p.off < len(l.text) {
		n, _ := c.chips.cluster(l.text[p.off:], c.textWidth())
		return place{p.line, p.off + n}
	}
	if p.line+1 < len(c.lines) {
		return place{p.line + 1, 0}
	}
	return p
}

// wordLeft returns the start of the word before the cursor. A chip is a word.
func (c *Editor) wordLeft() place {
	return c.skipLeft(func(r rune) bool { return !wordRune(r) && r != '_' })
}

// blankLeft returns the start of the run of non-spaces before the cursor, as ctrl+w of a shell takes it.
func (c *Editor) blankLeft() place {
	return c.skipLeft(func(r rune) bool { return r == ' ' || r == '\u00a0' || r == '\u3000' })
}

func (c *Editor) skipLeft(gap func(rune) bool) place {
	if c.at.off == 0 {
		return c.left()
	}
	text, in := c.lines[c.at.line].text[:c.at.off], false
	for len(text) > 0 {
		r, n := lastRune(text)
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
	return c.edge(len(text))
}

func (c *Editor) wordRight() place {
	line := c.lines[c.at.line].text
	i, in := c.at.off, false
	if i == len(line) {
		return c.right()
	}
	for i < len(line) {
		r, n := utf8.DecodeRune(line[i:])
		if isChip(r) {
			if !in {
				i += n
			}
			break
		}
		word := wordRune(r) || r == '_'
		if in && !word {
			break
		}
		in = in || word
		i += n
	}
	return place{c.at.line, c.snap(c.at.line, i)}
}

// edge returns the place in the cursor's line at the last edge of a cluster up to off.
func (c *Editor) edge(off int) place {
	l := c.lines[c.at.line]
	l.wrap(&c.chips, c.textWidth())
	last := l.starts[l.rowAt(off)]
	for i := last; i <= off; {
		last = i
		if i == len(l.text) {
			break
		}
		n, _ := c.chips.cluster(l.text[i:], c.textWidth())
		i += n
	}
	return place{c.at.line, last}
}
