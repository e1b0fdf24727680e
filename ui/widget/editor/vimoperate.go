package editor

// operate runs d, c or y on a motion, a text object, or whole lines.
func (v *vim) operate(cmd vimCommand) {
	if from, to, lines, ok := v.extent(cmd); ok {
		v.apply(cmd.op, from, to, lines)
	}
}

// extent returns the range that an operator works on.
func (v *vim) extent(cmd vimCommand) (from, to place, lines, ok bool) {
	e, word := v.e, cmd.key == 'w' || cmd.key == 'W'
	switch {
	case cmd.key == cmd.op: // dd, cc, yy
		last := min(e.at.line+max(1, cmd.count)-1, len(e.lines)-1)
		return e.lineStart(e.at), e.lineEnd(place{line: last}), true, true
	case (cmd.key == 'i' || cmd.key == 'a') && cmd.arg != 0:
		from, to, ok = e.object(e.at, cmd)
		return from, to, false, ok
	case cmd.op == 'c' && word && e.kindAt(e.at, false) != 0:
		return e.at, e.changedWord(e.at, cmd), false, true
	}
	t, ok := v.motion(cmd)
	if !ok {
		return from, to, false, false
	}
	from, to = e.at, t.at
	if to.before(from) {
		from, to = to, from
	}
	switch {
	case t.lines:
		return e.lineStart(from), e.lineEnd(to), true, true
	case t.inclusive:
		to = e.after(to)
	case word && to.line > from.line: // the last word of a line ends with it
		to = e.lineEnd(from)
	}
	return from, to, false, true
}

// apply runs an operator on a range.
func (v *vim) apply(op rune, from, to place, lines bool) {
	e := v.e
	v.text, v.lines = e.text(from, to), lines
	if lines {
		v.text += "\n"
	}
	switch {
	case op == 'y':
		if !lines || from.line < e.at.line {
			e.moveTo(from)
		}
	case op == 'c':
		e.replace(from, to, "")
		v.mode = vimInsert
	case lines && to.line+1 < len(e.lines):
		e.replace(from, place{to.line + 1, 0}, "")
		e.moveTo(e.firstWord(e.at))
	case lines && from.line > 0: // the last lines: delete the newline before them
		e.replace(e.lineEnd(place{line: from.line - 1}), to, "")
		e.moveTo(e.firstWord(e.at))
	default:
		e.replace(from, to, "")
	}
}
