package editor

import (
	"cmp"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/widget/text"
)

// vim is what makes an editor a small vi: modes, counts, operators, motions, text objects, a register and a repeat.
// It begins in insert mode, where it is the editor without modes.
type vim struct {
	e       *Editor
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
func (c *Editor) SetVim(on bool) { c.vim = vim{e: c, on: on} }

// Mode names the mode that is not the usual one: "normal", "visual" or "visual line"; "" while text can be typed.
func (c *Editor) Mode() string {
	return [...]string{"", "normal", "visual", "visual line"}[c.vim.mode]
}

func (v *vim) selecting() bool { return v.mode == vimVisual || v.mode == vimVisualLine }

// key handles a key as vi does. handled is false where it is for the editor without modes.
func (v *vim) key(k tea.KeyPressMsg) (taken, handled bool) {
	e, name := v.e, k.Keystroke()
	if v.mode == vimInsert {
		if name != "esc" {
			if !v.redo && len(v.typed) < 10_000 {
				v.typed = append(v.typed, k)
			}
			return false, false
		}
		v.mode = vimNormal
		e.edits.seal()
		if e.at.off > 0 {
			e.moveTo(e.left(e.at))
		}
		return true, true
	}
	switch {
	case name == "esc" && (v.mode != vimNormal || len(v.pending) > 0):
		v.mode, v.pending = vimNormal, nil
		return true, true
	case name == "ctrl+r":
		e.redo()
		return true, true
	case name == "backspace" || name == "space":
		k.Text = map[string]string{"backspace": "h", "space": "l"}[name]
	case !text.Printable(k):
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
		return v.run(cmd), true
	}
	return true, true
}

// run carries out a command; false for one that is not the editor's, such as a step up from the first row.
func (v *vim) run(cmd vimCommand) bool {
	v.e.edits.seal()
	if cmd.key == '.' {
		v.repeat(cmd.count)
		return true
	}
	if cmd.changes() && !v.redo {
		v.last, v.typed = cmd, nil
	}
	switch {
	case v.selecting():
		return v.visual(cmd)
	case cmd.op != 0:
		v.operate(cmd)
	case strings.ContainsRune("iaIAoOxXsSDCYpPrR~Juvy", cmd.key) || cmd.key == 'V':
		v.simple(cmd)
	default:
		return v.moved(cmd)
	}
	v.stay()
	return true
}

// moved carries out a motion.
func (v *vim) moved(cmd vimCommand) bool {
	if cmd.key == 'j' || cmd.key == 'k' {
		for range max(1, cmd.count) {
			if !v.e.vertical(cmd.key == 'j') {
				return false // it is for the history
			}
		}
		return true
	}
	if to, ok := v.motion(cmd); ok {
		v.e.moveTo(to.at)
	}
	v.stay()
	return true
}

// stay keeps the cursor on a character in normal mode.
func (v *vim) stay() {
	if e := v.e; v.mode == vimNormal && e.at.off > 0 && e.at == e.lineEnd(e.at) {
		e.at = e.left(e.at)
	}
}

// simple carries out the commands of one key.
func (v *vim) simple(cmd vimCommand) {
	e, n := v.e, max(1, cmd.count)
	switch cmd.key {
	case 'i':
		v.mode = vimInsert
	case 'a':
		v.mode = vimInsert
		e.moveTo(e.after(e.at))
	case 'I':
		v.mode = vimInsert
		e.moveTo(e.firstWord(e.at))
	case 'A':
		v.mode = vimInsert
		e.moveTo(e.lineEnd(e.at))
	case 'o':
		e.moveTo(e.lineEnd(e.at))
		e.insert("\n")
		v.mode = vimInsert
	case 'O':
		e.moveTo(e.lineStart(e.at))
		e.insert("\n")
		e.moveTo(place{e.at.line - 1, 0})
		v.mode = vimInsert
	case 'v':
		v.mode, v.anchor = vimVisual, e.at
	case 'V':
		v.mode, v.anchor = vimVisualLine, e.at
	case 'p', 'P':
		v.put(cmd.key == 'p', n)
	case 'u':
		for range n {
			e.undo()
		}
	case 'J':
		v.join(n)
	case 'r', '~':
		v.change(cmd, n)
	case 'S':
		v.operate(vimCommand{op: 'c', key: 'c', count: cmd.count})
	case 'Y':
		v.operate(vimCommand{op: 'y', key: 'y', count: cmd.count})
	default: // those that mean an operator with a motion
		short := map[rune]vimCommand{'x': {op: 'd', key: 'l'}, 'X': {op: 'd', key: 'h'}, 's': {op: 'c', key: 'l'}, 'D': {op: 'd', key: '$'}, 'C': {op: 'c', key: '$'}}[cmd.key]
		short.count = cmd.count
		v.operate(short)
	}
}

// change replaces characters, or the case of letters.
func (v *vim) change(cmd vimCommand, n int) {
	e := v.e
	from, to := e.at, e.at
	for range n {
		to = e.after(to)
	}
	text := e.text(from, to)
	switch {
	case text == "":
	case cmd.key == '~':
		e.replace(from, to, swapCase(text))
	default:
		e.replace(from, to, strings.Repeat(string(cmd.arg), clusters([]byte(text))))
		e.moveTo(e.left(e.at))
	}
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
func (v *vim) join(n int) {
	e := v.e
	for range max(1, n-1) {
		if e.at.line+1 >= len(e.lines) {
			return
		}
		next := e.lines[e.at.line+1].text
		skip := len(next) - len(strings.TrimLeft(string(next), " "))
		at := e.lineEnd(e.at)
		space := " "
		if at.off == 0 || skip == len(next) {
			space = ""
		}
		e.replace(at, place{e.at.line + 1, skip}, space)
		e.moveTo(at)
	}
}

// put inserts the register, after the cursor or before it.
func (v *vim) put(after bool, n int) {
	if v.text == "" {
		return
	}
	e, text := v.e, strings.Repeat(v.text, n)
	if !v.lines {
		if after {
			e.moveTo(e.after(e.at))
		}
		e.replace(e.at, e.at, text)
		e.moveTo(e.left(e.at))
		return
	}
	text = strings.TrimSuffix(text, "\n")
	if after {
		at := e.lineEnd(e.at)
		e.replace(at, at, "\n"+text)
		e.moveTo(place{at.line + 1, 0})
		return
	}
	at := e.lineStart(e.at)
	e.replace(at, at, text+"\n")
	e.moveTo(at)
}

// repeat does the last change again.
func (v *vim) repeat(count int) {
	if v.last.key == 0 {
		return
	}
	cmd := v.last
	if count > 0 {
		cmd.count = count
	}
	v.redo = true
	v.run(cmd)
	if v.mode == vimInsert {
		for _, k := range v.typed {
			v.e.key(k, intent.Default.Of(intent.Draft, k.Keystroke()))
		}
		v.key(tea.KeyPressMsg{Code: tea.KeyEscape})
	}
	v.redo = false
	v.stay()
}

// visual handles a command while something is selected.
func (v *vim) visual(cmd vimCommand) bool {
	e := v.e
	from, to, lines := v.selected()
	switch {
	case cmd.arg != 0 && (cmd.key == 'i' || cmd.key == 'a'):
		if a, b, ok := e.object(e.at, cmd); ok && a != b {
			v.anchor = a
			e.moveTo(e.left(b))
		}
	case strings.ContainsRune("dxcsy", cmd.key):
		v.mode = vimNormal
		e.moveTo(from)
		v.apply(cmp.Or(map[rune]rune{'x': 'd', 's': 'c'}[cmd.key], cmd.key), from, to, lines)
		v.stay()
	case cmd.key == 'r' || cmd.key == '~' || cmd.key == 'u':
		v.mode = vimNormal
		text := e.text(from, to)
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
		e.replace(from, to, text)
		e.moveTo(from)
	case cmd.key == 'p':
		v.mode = vimNormal
		put := v.text
		v.text, v.lines = e.text(from, to), lines
		e.replace(from, to, strings.TrimSuffix(put, "\n"))
		e.moveTo(from)
	case cmd.key == 'J':
		v.mode = vimNormal
		e.moveTo(from)
		v.join(to.line - from.line + 1)
	case cmd.key == 'o':
		if v.anchor = from; e.at == from {
			v.anchor = e.left(to)
		}
		e.at, v.anchor = v.anchor, e.at
	case cmd.key == 'v' || cmd.key == 'V':
		want := map[rune]vimMode{'v': vimVisual, 'V': vimVisualLine}[cmd.key]
		if v.mode == want {
			want = vimNormal
		}
		v.mode = want
	default:
		return v.moved(cmd)
	}
	return true
}

// selected is what a visual selection covers.
func (v *vim) selected() (from, to place, lines bool) {
	e := v.e
	from, to = v.anchor, e.at
	from.line = min(from.line, len(e.lines)-1) // the text may have been changed meanwhile
	from.off = e.snap(from.line, min(from.off, len(e.line(from))))
	if to.before(from) {
		from, to = to, from
	}
	if v.mode == vimVisualLine {
		return e.lineStart(from), e.lineEnd(to), true
	}
	return from, e.after(to), false
}
