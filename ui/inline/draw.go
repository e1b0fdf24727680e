package inline

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"parley/ui/glyphs"
)

// row is a row on the screen.
type row struct {
	text  string
	cells int
	risky bool // a terminal with other ideas of how wide things are might wrap it
}

const (
	begin = ansi.SetModeSynchronizedOutput
	end   = ansi.ResetModeSynchronizedOutput
	// still is how many bytes are drawn so fast that nobody sees the cursor move.
	still = 200
)

// forget makes rows such that no row is taken to be the same.
func forget(rows []row) []row {
	for i := range rows {
		rows[i].text = "\x00"
	}
	return rows
}

// update appends to b what brings the screen up to date, if anything is to be
// drawn now.
func (t *Terminal) update(b []byte) []byte {
	if t.alt || t.away {
		return b
	}
	t.told.Lock()
	if !t.on {
		t.told.Unlock()
		return b
	}
	printed, frame := t.printed, t.frame
	t.printed = nil
	t.timer.Stop()
	t.drawnAt = time.Now()
	t.told.Unlock()
	cols, rows, err := t.measure()
	if err != nil || cols < 2 || rows < 2 {
		t.told.Lock()
		t.printed = append(printed, t.printed...)
		t.told.Unlock()
		return b
	}
	return t.compose(b, printed, frame, cols, rows)
}

// compose draws the printed rows where the live part began, and the new live part below
// them. Unchanged rows are not written.
func (t *Terminal) compose(b []byte, printed []string, f Frame, cols, rows int) []byte {
	from := len(b)
	b = append(b, begin...)
	resized := len(b)
	if size := (extent{cols, rows}); size != t.size {
		b = t.erase(b, cols)
		t.size, t.seen = size, size
	}
	next := t.fold(printed, cols)
	done := len(next)
	lines := f.Rows
	if len(lines) == 0 {
		lines = []string{""}
	}
	cut := max(0, len(lines)-(rows-1)) // the top of them has to be on the screen
	for _, l := range lines[cut:] {
		next = append(next, t.cell(glyphs.Truncate(l, cols-1, ""), cols))
	}
	risky := slices.ContainsFunc(next, func(r row) bool { return r.risky })
	if drawn := len(b); risky {
		b = t.rewrite(append(b, ansi.ResetModeAutoWrap...), next)
		if len(b) == drawn+len(ansi.ResetModeAutoWrap) {
			b, risky = b[:drawn], false
		}
	} else {
		b = t.rewrite(b, next)
	}
	t.y -= done
	t.live = next[done:]
	x, y := 0, len(t.live)-1
	if !f.Bare {
		x, y = min(f.X, cols-1), max(0, min(f.Y-cut, len(t.live)-1))
	}
	if len(b) == resized && x == t.x && y == t.y && f.Bare == t.hidden {
		return b[:from]
	}
	b = t.to(b, x, y)
	if risky {
		b = append(b, ansi.SetModeAutoWrap...)
	}
	if !t.hidden && (f.Bare || len(b)-resized > still) {
		b = slices.Insert(b, resized, []byte(ansi.ResetModeTextCursorEnable)...)
		t.hidden = true
	}
	if !f.Bare && t.hidden {
		b, t.hidden = append(b, ansi.SetModeTextCursorEnable...), false
	}
	return append(b, end...)
}

// rewrite turns the live rows into next.
func (t *Terminal) rewrite(b []byte, next []row) []byte {
	b = t.shift(b, next)
	for i, r := range next {
		switch {
		case i >= len(t.live) && i == 0:
			b = append(append(b, '\r'), r.text...)
			t.x, t.y = r.cells, 0
		case i >= len(t.live):
			b = append(append(t.to(b, 0, i-1), "\r\n"...), r.text...)
			t.x, t.y = r.cells, i
		case r.text != t.live[i].text:
			b = t.replace(b, i, t.live[i], r)
		}
	}
	if len(t.live) > len(next) {
		b = append(t.to(b, 0, len(next)), ansi.EraseScreenBelow...)
	}
	return b
}

// replace writes a row over another one: from where they differ, or all of it
// when it is shorter. Then it is cleared from its beginning, so that terminals
// which remember how long a line was forget it.
func (t *Terminal) replace(b []byte, y int, old, r row) []byte {
	if r.cells < old.cells || old.text == "\x00" {
		b = append(t.to(b, 0, y), ansi.EraseLineRight...)
		b = append(b, r.text...)
	} else {
		skip, style, rest := changed(old.text, r.text)
		b = append(append(t.to(b, skip, y), style...), rest...)
	}
	t.x = r.cells
	return b
}

// to moves the cursor to a place in rows that are on the screen.
func (t *Terminal) to(b []byte, x, y int) []byte {
	if x == t.x && y == t.y {
		return b
	}
	switch {
	case y < t.y:
		b = append(b, ansi.CursorUp(t.y-y)...)
	case y > t.y:
		b = append(b, ansi.CursorDown(y-t.y)...)
	}
	if x != t.x {
		b = append(b, '\r')
		if x > 0 {
			b = append(b, ansi.CursorForward(x)...)
		}
	}
	t.x, t.y = x, y
	return b
}

// clear takes the live part off the screen: the cursor is where it began.
func (t *Terminal) clear(b []byte) []byte {
	if t.alt || t.away || len(t.live) == 0 {
		return b
	}
	cols, rows, err := t.measure()
	if err != nil {
		cols, rows = t.size.cols, t.size.rows
	}
	b = append(t.erase(b, cols), ansi.SetModeTextCursorEnable...)
	t.size, t.hidden = extent{cols, rows}, false
	return b
}

// erase erases the live part, wherever a terminal of so many columns has it now.
func (t *Terminal) erase(b []byte, cols int) []byte {
	b = append(b, '\r')
	if up := t.above(cols); up > 0 {
		b = append(b, ansi.CursorUp(up)...)
	}
	t.live, t.x, t.y = nil, 0, 0
	return append(b, ansi.EraseScreenBelow...)
}

// fold makes rows of the terminal from those that are to be printed.
func (t *Terminal) fold(printed []string, cols int) []row {
	rows := make([]row, 0, len(printed)+8)
	for _, p := range printed {
		if glyphs.Width(p) < cols {
			rows = append(rows, t.cell(p, cols))
			continue
		}
		// It was made for a wider terminal.
		for part := range strings.SplitSeq(glyphs.Hardwrap(p, cols-1), "\n") {
			rows = append(rows, t.cell(part, cols))
		}
	}
	return rows
}

// cell makes a row of a line, for a terminal of so many columns.
func (t *Terminal) cell(line string, cols int) row {
	line = glyphs.Row(strings.TrimRight(line, " "))
	if strings.Contains(line, "\x1b") {
		line += ansi.ResetStyle
		if t.reduce != nil {
			var b bytes.Buffer
			t.reduce(&b).Write([]byte(line))
			line = b.String()
		}
	}
	r := row{text: line, cells: glyphs.Width(line)}
	r.risky = r.cells+len(line)-utf8.RuneCountInString(line) >= cols && len(line) >= cols
	return r
}

// changed returns how many cells at the beginning of two rows are the same, the style after
// them, and the rest of the new row.
func changed(old, now string) (skip int, style, rest string) {
	n := 0
	for n < len(old) && n < len(now) && old[n] == now[n] {
		n++
	}
	at, inks := 0, ""
	for at < n {
		seq, width, size, _ := ansi.DecodeSequence(now[at:], ansi.NormalState, nil)
		switch {
		case at+size >= n:
			return skip, inks, now[at:]
		case width == 1 && size == 1:
			skip++
		case width == 0 && strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			if inks += seq; seq == ansi.ResetStyle || seq == "\x1b[0m" {
				inks = ""
			}
		default: // terminals differ in how wide it is
			return skip, inks, now[at:]
		}
		at += size
	}
	return skip, inks, now[at:]
}
