package editor

import (
	"cmp"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// vim adds a small vi to an editor: modes, counts, operators, motions, text objects, a register and repeat. It begins in
// insert mode, where the editor works as without it.
type vim struct {
	e       *Editor
	on      bool
	mode    vimMode
	pending []rune // the keys of an incomplete command
	anchor  place  // where a visual selection began
	find    vimCommand
	text    string // the register
	lines   bool   // the register holds whole lines

	last  vimCommand        // the last change, for .
	typed []tea.KeyPressMsg // the keys typed during it
	redo  bool              // . is repeating it
}

type vimMode int

const (
	vimInsert vimMode = iota
	vimNormal
	vimVisual
	vimVisualLine
)

// begin returns to insert mode, as at the start of a draft.
func (v *vim) begin() { v.mode, v.pending = vimInsert, nil }

// SetVim turns the modes of vi on or off.
func (c *Editor) SetVim(on bool) { c.vim = vim{e: c, on: on} }

// Mode returns "normal", "visual" or "visual line"; "" in insert mode.
func (c *Editor) Mode() string {
	return [...]string{"", "normal", "visual", "visual line"}[c.vim.mode]
}

func (v *vim) selecting() bool { return v.mode == vimVisual || v.mode == vimVisualLine }

// key handles a key as vi does. handled is false if the editor should handle it as without vi.
func (v *vim) key(k tea.KeyPressMsg) (used, handled bool) {
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
	case !layer.Printable(k):
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

// run runs a command; false for one that the editor does not use, such as a step up from the first row.
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

// moved runs a motion.
func (v *vim) moved(cmd vimCommand) bool {
	if cmd.key == 'j' || cmd.key == 'k' {
		for range max(1, cmd.count) {
			if !v.e.vertical(cmd.key == 'j') {
				return false // the history uses it
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

// simple runs the commands of one key.
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
	default: // short for an operator with a motion
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

// swapCase swaps upper and lower case.
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

// join joins the line below to this one with a space.
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

// repeat repeats the last change.
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

// visual handles a command in visual mode.
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

// selected returns the range of the visual selection.
func (v *vim) selected() (from, to place, lines bool) {
	e := v.e
	from, to = v.anchor, e.at
	from.line = min(from.line, len(e.lines)-1) // the text may have changed since
	from.off = e.snap(from.line, min(from.off, len(e.line(from))))
	if to.before(from) {
		from, to = to, from
	}
	if v.mode == vimVisualLine {
		return e.lineStart(from), e.lineEnd(to), true
	}
	return from, e.after(to), false
}
