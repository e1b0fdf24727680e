package widget

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// vim is what makes an editor a small vi: modes, counts, operators, motions, text objects, a register and a repeat.
// It begins in insert mode, where it is the editor without modes.
type vim struct {
	on      bool
	mode    vimMode
	pending []rune // of a command that is not complete
	anchor  place  // where a visual selection began
	find    vimCommand
	text    string // the register
	lines   bool   // it holds whole lines

	last  vimCommand        // the last change, for .
	typed []tea.KeyPressMsg // and what was typed in it
	redo  bool              // . is at work
}

type vimMode int

const (
	vimInsert vimMode = iota
	vimNormal
	vimVisual
	vimVisualLine
)

// begin goes back to insert mode, as at the start of a draft.
func (v *vim) begin() { v.mode, v.pending = vimInsert, nil }

// SetVim turns the modes of vi on or off.
func (c *Editor) SetVim(on bool) { c.vim = vim{on: on} }

// Mode names the mode that is not the usual one: "normal", "visual" or "visual line"; "" while text can be typed.
func (c *Editor) Mode() string {
	return [...]string{"", "normal", "visual", "visual line"}[c.vim.mode]
}

// vimKey handles a key as vi does. handled is false where it is for the editor without modes.
func (c *Editor) vimKey(k tea.KeyPressMsg) (taken, handled bool) {
	v, name := &c.vim, k.Keystroke()
	if v.mode == vimInsert {
		if name != "esc" {
			if !v.redo && len(v.typed) < 10_000 {
				v.typed = append(v.typed, k)
			}
			return false, false
		}
		v.mode = vimNormal
		c.edits.seal()
		if c.at.off > 0 {
			c.moveTo(c.left())
		}
		return true, true
	}
	switch {
	case name == "esc" && (v.mode != vimNormal || len(v.pending) > 0):
		v.mode, v.pending = vimNormal, nil
		return true, true
	case name == "ctrl+r":
		c.redo()
		return true, true
	case name == "backspace" || name == "space":
		k.Text = map[string]string{"backspace": "h", "space": "l"}[name]
	case !printable(k):
		return false, false // enter, arrows and the like keep their meaning
	}
	r, _ := utf8.DecodeRuneInString(k.Text)
	v.pending = append(v.pending, r)
	cmd, state := parseVim(v.pending, v.mode)
	if state == vimIncomplete {
		return true, true
	}
	v.pending = nil
	if state == vimComplete {
		return c.run(cmd), true
	}
	return true, true
}

// run carries out a command; false for one that is not the editor's, such as a step up from the first row.
func (c *Editor) run(cmd vimCommand) bool {
	v := &c.vim
	c.edits.seal()
	if cmd.key == '.' {
		c.repeat(cmd.count)
		return true
	}
	if cmd.changes() && !v.redo {
		v.last, v.typed = cmd, nil
	}
	switch {
	case v.mode == vimVisual || v.mode == vimVisualLine:
		return c.visual(cmd)
	case cmd.op != 0:
		c.operate(cmd)
	case strings.ContainsRune("iaIAoOxXsSDCYpPrR~Juvy", cmd.key) || cmd.key == 'V':
		c.simple(cmd)
	default:
		return c.moved(cmd)
	}
	c.stay()
	return true
}

// moved carries out a motion.
func (c *Editor) moved(cmd vimCommand) bool {
	if cmd.key == 'j' || cmd.key == 'k' {
		for range max(1, cmd.count) {
			if !c.vertical(cmd.key == 'j') {
				return false // it is for the history
			}
		}
		return true
	}
	if to, ok := c.motion(cmd); ok {
		c.moveTo(to.at)
	}
	c.stay()
	return true
}

// stay keeps the cursor on a character in normal mode.
func (c *Editor) stay() {
	if c.vim.mode == vimNormal && c.at.off > 0 && c.at == c.lineEnd() {
		goal := c.goal
		c.at = c.left()
		c.goal = goal
	}
}

// simple carries out the commands of one key.
func (c *Editor) simple(cmd vimCommand) {
	v, n := &c.vim, max(1, cmd.count)
	switch cmd.key {
	case 'i':
		v.mode = vimInsert
	case 'a':
		v.mode = vimInsert
		if c.at != c.lineEnd() {
			c.moveTo(c.right())
		}
	case 'I':
		v.mode = vimInsert
		c.moveTo(c.firstWord())
	case 'A':
		v.mode = vimInsert
		c.moveTo(c.lineEnd())
	case 'o':
		c.moveTo(c.lineEnd())
		c.Insert("\n")
		v.mode = vimInsert
	case 'O':
		c.moveTo(c.lineStart())
		c.Insert("\n")
		c.moveTo(place{c.at.line - 1, 0})
		v.mode = vimInsert
	case 'v':
		v.mode, v.anchor = vimVisual, c.at
	case 'V':
		v.mode, v.anchor = vimVisualLine, c.at
	case 'p', 'P':
		c.put(cmd.key == 'p', n)
	case 'u':
		for range n {
			c.undo()
		}
	case 'J':
		c.join(n)
	case 'r', '~':
		c.change(cmd, n)
	case 'S':
		c.operate(vimCommand{op: 'c', key: 'c', count: cmd.count})
	case 'Y':
		c.operate(vimCommand{op: 'y', key: 'y', count: cmd.count})
	default: // those that mean an operator with a motion
		short := map[rune]vimCommand{'x': {op: 'd', key: 'l'}, 'X': {op: 'd', key: 'h'}, 's': {op: 'c', key: 'l'}, 'D': {op: 'd', key: '$'}, 'C': {op: 'c', key: '$'}}[cmd.key]
		short.count = cmd.count
		c.operate(short)
	}
}

// change replaces characters, or the case of letters.
func (c *Editor) change(cmd vimCommand, n int) {
	from, to := c.at, c.at
	for range n {
		if c.at = to; c.at == c.lineEnd() {
			break
		}
		to = c.right()
	}
	text := c.text(from, to)
	c.at = from
	if text == "" {
		return
	}
	if cmd.key == '~' {
		c.replace(from, to, swapCase(text))
		return
	}
	c.replace(from, to, strings.Repeat(string(cmd.arg), clusters([]byte(text))))
	c.moveTo(c.left())
}

// swapCase makes small letters large and the reverse.
func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if up := []rune(strings.ToUpper(string(r))); len(up) == 1 && up[0] != r {
			return up[0]
		}
		if low := []rune(strings.ToLower(string(r))); len(low) == 1 {
			return low[0]
		}
		return r
	}, s)
}

// join puts the line below after this one, with a space between.
func (c *Editor) join(n int) {
	for range max(1, n-1) {
		if c.at.line+1 >= len(c.lines) {
			return
		}
		next := c.lines[c.at.line+1].text
		skip := len(next) - len(strings.TrimLeft(string(next), " "))
		at := c.lineEnd()
		blank := " "
		if at.off == 0 || skip == len(next) {
			blank = ""
		}
		c.replace(at, place{c.at.line + 1, skip}, blank)
		c.moveTo(at)
	}
}

// put inserts the register, after the cursor or before it.
func (c *Editor) put(behind bool, n int) {
	v := &c.vim
	if v.text == "" {
		return
	}
	text := strings.Repeat(v.text, n)
	if !v.lines {
		if behind && c.at != c.lineEnd() {
			c.moveTo(c.right())
		}
		c.replace(c.at, c.at, text)
		c.moveTo(c.left())
		return
	}
	text = strings.TrimSuffix(text, "\n")
	if behind {
		at := c.lineEnd()
		c.replace(at, at, "\n"+text)
		c.moveTo(place{at.line + 1, 0})
		return
	}
	at := c.lineStart()
	c.replace(at, at, text+"\n")
	c.moveTo(at)
}

// repeat does the last change again.
func (c *Editor) repeat(count int) {
	v := &c.vim
	if v.last.key == 0 {
		return
	}
	cmd := v.last
	if count > 0 {
		cmd.count = count
	}
	v.redo = true
	c.run(cmd)
	if v.mode == vimInsert {
		for _, k := range v.typed {
			c.Key(k, intent.Default.Of(intent.Draft, k.Keystroke()))
		}
		c.vimKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	}
	v.redo = false
	c.stay()
}
