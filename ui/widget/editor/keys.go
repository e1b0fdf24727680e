package editor

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/layer"
)

// Key handles a key that means want and reports whether the editor used it. It uses text, the keys of intent.Draft, and
// enter after a backslash, which becomes a newline. It does not use enter, up on the first row, down on the last and,
// while it is empty, any key that would move or delete.
func (c *Editor) Key(k tea.KeyPressMsg, want intent.Intent) bool {
	c.keepWindow()
	return c.key(k, want)
}

func (c *Editor) key(k tea.KeyPressMsg, want intent.Intent) bool {
	if c.vim.on {
		if used, handled := c.vim.key(k); handled {
			return used
		}
	}
	if layer.Printable(k) && want == intent.None {
		if k.Text == " " {
			c.edits.seal() // undo works word by word
		}
		c.insert(text.CleanInput(k.Text))
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
		c.moveTo(move(&c.buffer, c.at))
		return true
	}
	switch {
	case want == intent.LineUp || want == intent.LineDown:
		return !c.Empty() && c.vertical(want == intent.LineDown)
	case want == intent.Newline:
		c.insert("\n")
	case want == intent.Yank:
		c.replace(c.at, c.at, c.yank)
	case k.Keystroke() == "enter" && c.at.off > 0 && c.line(c.at)[c.at.off-1] == '\\':
		c.replace(place{c.at.line, c.at.off - 1}, c.at, "\n")
	default:
		c.killing = wasKilling
		return false
	}
	return true
}

// moves maps intents to where they move the cursor.
var moves = map[intent.Intent]func(b *buffer, from place) place{
	intent.CharLeft: (*buffer).left, intent.CharRight: (*buffer).right,
	intent.LineStart: (*buffer).lineStart, intent.LineEnd: (*buffer).lineEnd,
	intent.WordLeft: (*buffer).wordLeft, intent.WordRight: (*buffer).wordRight,
	intent.DraftStart: func(*buffer, place) place { return place{} },
	intent.DraftEnd:   func(b *buffer, _ place) place { return b.end() },
}

// kills maps intents to what they delete.
var kills = map[intent.Intent]func(*Editor){
	intent.DeleteBack:    func(c *Editor) { c.delete(c.left(c.at), c.at) },
	intent.DeleteForward: func(c *Editor) { c.delete(c.at, c.right(c.at)) },
	intent.KillBlankLeft: func(c *Editor) { c.kill(c.blankLeft(c.at), c.at) },
	intent.KillWordLeft:  func(c *Editor) { c.kill(c.wordLeft(c.at), c.at) },
	intent.KillWordRight: func(c *Editor) { c.kill(c.at, c.wordRight(c.at)) },
	intent.KillToStart:   func(c *Editor) { c.kill(c.lineStart(c.at), c.at) },
	intent.KillToEnd: func(c *Editor) {
		to := c.lineEnd(c.at)
		if to == c.at {
			to = c.right(c.at) // at the end of a line it deletes the newline
		}
		c.kill(c.at, to)
	},
}

func (c *Editor) delete(from, to place) {
	c.killing = false
	c.replace(from, to, "")
}

// kill deletes text and keeps it for ctrl+y. Consecutive kills are joined in the order of the text.
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

// vertical moves the cursor a row down or up, as near as it can to the column where the move began. It reports whether
// there was such a row.
func (c *Editor) vertical(down bool) bool {
	row, column := c.rowOf(c.at)
	if c.goal < 0 {
		c.goal = column
	}
	n := -1
	if down {
		n = 1
	}
	to, moved := c.step(row, n)
	if moved == 0 {
		c.goal = -1
		return false
	}
	c.at = c.placeAt(to, c.goal)
	return true
}
