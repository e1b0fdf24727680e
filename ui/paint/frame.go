package paint

import (
	"runtime"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/glyphs"
)

const (
	// still is the largest body, in bytes, that is drawn with a visible cursor on a terminal
	// without synchronised output.
	still = 200
	// whole is the largest body, in bytes, that needs no synchronised output: a terminal
	// reads it at once.
	whole = 64
)

// paint appends what brings the terminal to the newest view. Printed rows start where the
// live rows began, and the live rows follow. Unchanged cells are not written.
func (p *painter) paint(b []byte, cols, rows int) []byte {
	v := &p.view
	if now := glyphs.ByClusters(); now != p.clusters {
		if p.clusters = now; p.modes.on {
			b = append(b, choose(now, ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore)...)
		}
		p.forget()
	}
	b = p.set(b, v, cols)
	lines := strings.Split(v.Content, "\n")
	var body []byte
	var next []row
	cut, finished := 0, 0
	if v.AltScreen {
		if rows > 0 && len(lines) > rows {
			lines = lines[:rows]
		}
	} else {
		if size := (extent{cols, rows}); size != p.paintedSize {
			body = p.erase(body, cols)
			p.paintedSize, p.lastSize = size, size
		}
		next, p.printed = p.fold(p.printed, cols), nil
		finished = len(next)
		cut = max(0, len(lines)-(rows-1)) // the first live row must be on the screen
	}
	if p.cols = cols; !v.AltScreen {
		p.cols--
	}
	for _, l := range lines[cut:] {
		next = append(next, row{text: l})
	}
	body = p.rows(body, next, rows)
	p.y -= finished
	p.live = next[finished:]
	return p.finish(b, body, cut, cols)
}

// finish appends the body to the modes and places the cursor.
func (p *painter) finish(b, body []byte, cut, cols int) []byte {
	v := &p.view
	body = p.plain(body)
	noCursor := v.Cursor == nil
	switch {
	case !noCursor:
		body = p.to(body, min(v.Cursor.X, max(0, cols-1)), max(0, min(v.Cursor.Y-cut, len(p.live)-1)))
	case !v.AltScreen:
		body = p.to(body, 0, len(p.live)-1)
	}
	hide := !p.modes.hidden && (noCursor || !p.terminal.Synced && len(body) > still)
	show := !noCursor && (p.modes.hidden || hide)
	p.modes.hidden = noCursor
	synced := p.terminal.Synced && len(body) > whole
	b = append(b, choose(synced, ansi.SetModeSynchronizedOutput, "")...)
	b = append(b, choose(hide, ansi.ResetModeTextCursorEnable, "")...)
	b = append(b, body...)
	b = append(b, choose(show, ansi.SetModeTextCursorEnable, "")...)
	return append(b, choose(synced, ansi.ResetModeSynchronizedOutput, "")...)
}

// rows turns the live rows into next, on a screen of that height.
func (p *painter) rows(b []byte, next []row, height int) []byte {
	b = p.shift(b, next, height)
	for i := range next {
		r := &next[i]
		switch {
		case i < len(p.live):
			b = p.change(b, i, &p.live[i], r)
		case p.modes.alt:
			b = p.change(b, i, &row{lost: true}, r)
		default:
			if i > 0 {
				b = append(p.plain(p.to(b, p.x, i-1)), "\r\n"...)
			} else {
				b = append(b, '\r')
			}
			p.x, p.y = 0, i
			b = p.span(b, p.cells(r), 0, len(p.cells(r)))
		}
		b = p.mark(b, i, r)
	}
	if len(p.live) > len(next) || p.modes.alt && len(p.live) == 0 && len(next) < height {
		b = append(p.plain(p.to(b, 0, len(next))), ansi.EraseScreenBelow...)
	}
	return b
}

// markPrefix begins the marks by which a terminal finds prompts in its scrollback (OSC 133).
const markPrefix = "\x1b]133;"

// mark writes the marks of a row: those before its text in the first column, the others after it.
func (p *painter) mark(b []byte, y int, r *row) []byte {
	for rest := r.text; ; {
		at := strings.Index(rest, markPrefix)
		if at < 0 {
			return b
		}
		end := strings.IndexByte(rest[at:], '\a')
		if end < 0 {
			return b
		}
		x := len(p.cells(r))
		if at == 0 && len(rest) == len(r.text) {
			x = 0
		}
		b = append(p.to(b, x, y), rest[at:at+end+1]...)
		rest = rest[at+end+1:]
	}
}

// to moves the cursor to a position in the rows on the screen.
func (p *painter) to(b []byte, x, y int) []byte {
	if x == p.x && y == p.y {
		return b
	}
	switch {
	case y == p.y:
	case p.modes.alt:
		p.x, p.y = x, y
		return append(b, ansi.CursorPosition(x+1, y+1)...)
	case y < p.y:
		b = append(b, ansi.CursorUp(p.y-y)...)
	default:
		b = append(b, ansi.CursorDown(y-p.y)...)
	}
	switch {
	case x == p.x || x < 0:
	case x == 0:
		b = append(b, '\r')
	default:
		b = append(b, ansi.CursorHorizontalAbsolute(x+1)...)
	}
	p.x, p.y = x, y
	return b
}

// fold returns the rows to print.
func (p *painter) fold(printed []string, cols int) []row {
	rows := make([]row, 0, len(printed)+8)
	for _, l := range printed {
		if glyphs.Width(l) < cols {
			rows = append(rows, row{text: l})
			continue
		}
		// It was laid out for a wider terminal.
		for line := p.parse(l); len(line) > 0; {
			n := 0
			for n < len(line) && n+line[n].Width < cols {
				n += max(1, line[n].Width)
			}
			n = min(max(1, n), len(line))
			rows = append(rows, row{text: line[:n].Render()})
			line = line[n:]
		}
	}
	return rows
}

// run is n rows that are the same from old in the live rows and from now in the next ones.
type run struct{ old, now, n int }

// longest returns the run with the most bytes.
func longest(old, now []row) (best run) {
	most := 32 // less is not worth a move
	for i := range old {
		for j := range now {
			if i > 0 && j > 0 && same(old[i-1], now[j-1]) {
				continue // part of an earlier run
			}
			n, bytes := 0, 0
			for i+n < len(old) && j+n < len(now) && same(old[i+n], now[j+n]) {
				bytes += len(old[i+n].text)
				n++
			}
			if bytes > most {
				most, best = bytes, run{i, j, n}
			}
		}
	}
	for best.n > 0 && best.old+best.n < len(old) && best.now+best.n < len(now) && grown(old[best.old+best.n], now[best.now+best.n]) {
		best.n++ // such as the last row of an answer
	}
	return best
}

// grown reports whether both rows begin alike, so that few cells differ.
func grown(old, now row) bool {
	n := min(len(old.text), len(now.text), 16)
	return n == 16 && !old.lost && old.text[:n] == now.text[:n]
}

// moves is false where some terminals delete and insert lines wrongly.
const moves = runtime.GOOS != "windows"

// shift lets the terminal move rows, by deleting and inserting lines above and below them,
// instead of writing them again.
func (p *painter) shift(b []byte, next []row, height int) []byte {
	if !moves || len(p.live) == 0 || !p.modes.alt && len(next) >= height || p.modes.alt && len(next) != len(p.live) {
		return b
	}
	top, end := 0, 0
	for least := min(len(p.live), len(next)); top < least && same(p.live[top], next[top]); top++ {
	}
	for least := min(len(p.live), len(next)) - top; end < least && same(p.live[len(p.live)-1-end], next[len(next)-1-end]); end++ {
	}
	grow := len(next) - len(p.live)
	r := longest(p.live[top:len(p.live)-end], next[top:len(next)-end])
	above := r.now - r.old // how many rows to insert there, or to delete if negative
	below := grow - above
	if r.n == 0 && (grow == 0 || end == 0) || above == 0 && below == 0 {
		return b
	}
	if r.n == 0 && grow > 0 { // no rows move between the common ends: insert just above the lower one
		r.old = len(p.live) - end - top
	}
	b = p.plain(b)
	if grow > 0 { // rows that leave at the top go into the scrollback
		b = append(p.to(b, p.x, len(p.live)-1), strings.Repeat("\r\n", grow)...)
		p.x, p.y = 0, p.y+grow
	}
	at := top + r.old
	if above < 0 {
		at += above
		b = p.drop(b, at, -above)
	}
	if below < 0 {
		b = p.drop(b, at+r.n, -below)
	}
	if above > 0 {
		b = p.room(b, at, above)
		at += above
	}
	if below > 0 {
		b = p.room(b, at+r.n, below)
	}
	return b
}

// drop deletes rows; those below move up.
func (p *painter) drop(b []byte, at, n int) []byte {
	b = append(p.to(b, 0, at), ansi.DeleteLine(n)...)
	p.live = slices.Delete(slices.Clone(p.live), at, at+n)
	return b
}

// room inserts empty rows; those below move down.
func (p *painter) room(b []byte, at, n int) []byte {
	b = append(p.to(b, 0, at), ansi.InsertLine(n)...)
	p.live = slices.Insert(slices.Clone(p.live), at, make([]row, n)...)
	return b
}
