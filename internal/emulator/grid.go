package emulator

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/vt"

	"parley/internal/text"
)

// grid is an emulated screen for programs that move the cursor. It gets what the tokenizer passes on, without what could
// make it answer, allocate or work without bound.
type grid struct {
	vt   *vt.Emulator
	cols int
	buf  []byte
	// scrolled counts newlines since the last harvest; the emulator's scrollback is slow once it is full.
	scrolled int
	calm     int // newlines since the cursor was last moved otherwise
	pen      text.Pen
	modes    bool // margins, charsets or modes were set, which lines know nothing of
}

const (
	harvestEvery = 200
	// calmLines is after how many newlines without cursor movements lines are enough again.
	calmLines = 2 * terminalRows
)

func newGrid(cols int) *grid {
	g := &grid{vt: vt.NewEmulator(cols, terminalRows), cols: cols}
	g.vt.SetScrollbackSize(terminalHistory)
	// Answers to queries would block, since nothing reads them: with the writing end closed they are dropped.
	if pw, ok := g.vt.InputPipe().(io.Closer); ok {
		_ = pw.Close()
	}
	return g
}

// openGrid changes from lines to a grid and puts the last lines on it, within reach of the cursor.
func (t *Terminal) openGrid() {
	t.grid = newGrid(t.cols)
	keep := max(len(t.lines)-(terminalRows-1), 0)
	for _, line := range t.lines[keep:] {
		t.bytes -= len(line)
		t.grid.raw(line + "\r\n")
	}
	t.lines = t.lines[:keep]
	col := t.live.col
	t.grid.raw(t.live.line() + "\r")
	if col > 0 {
		t.grid.raw("\x1b[" + strconv.Itoa(min(col, t.cols)) + "C")
	}
	t.grid.raw(string(t.live.pen.AppendTo(nil)))
	t.grid.pen = t.live.pen
	t.live = lineScreen{}
}

// closeGrid returns to lines, if nothing is below the cursor.
func (t *Terminal) closeGrid() {
	t.grid.calm = 0
	t.harvest()
	rows, cur := t.grid.rows(), t.grid.vt.CursorPosition()
	if len(rows) > cur.Y+1 || t.grid.vt.IsAltScreen() {
		return
	}
	for len(rows) < cur.Y+1 {
		rows = append(rows, "")
	}
	for _, row := range rows[:cur.Y] {
		t.push(row)
	}
	p := t.grid.pen
	t.grid, t.live = nil, lineScreen{}
	t.live.init()
	for sc := (text.Scanner{S: rows[cur.Y]}); ; {
		cluster, _, _ := sc.Next()
		if cluster == "" {
			break
		}
		t.live.setPen(sc.Pen)
		t.live.write([]byte(cluster))
	}
	t.live.setPen(p)
	t.live.col = cur.X
}

// harvest moves the rows that scrolled off the grid to the history.
func (t *Terminal) harvest() {
	t.grid.scrolled = 0
	sb := t.grid.vt.Scrollback()
	if sb.Len() == 0 {
		return
	}
	for _, line := range sb.Lines() {
		t.push(tidy(line.Render()))
	}
	sb.Clear()
}

// tidy rewrites a row of the emulator with the styles that rows may have, without spaces at its end.
func tidy(row string) string {
	return strings.TrimRight(text.Cut(row, 0, text.MaxCells), " ")
}

// rows returns the rows of the screen down to the last that is not blank.
func (g *grid) rows() []string {
	rows := strings.Split(g.vt.Render(), "\n")
	for i, row := range rows {
		rows[i] = tidy(strings.TrimSuffix(row, "\r"))
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

func (g *grid) raw(s string)   { _, _ = g.vt.WriteString(s) }
func (g *grid) write(b []byte) { _, _ = g.vt.Write(b) }

func (g *grid) control(c byte) {
	switch c {
	case '\n', '\v', '\f':
		g.scrolled++
		g.calm++
		g.raw("\r\n")
	case '\r', '\b', '\t':
		g.buf = append(g.buf[:0], c)
		g.write(g.buf)
	}
}

func (g *grid) sgr(body []byte) {
	g.pen.Apply(string(body))
	g.emit(body, 'm', 0xffff)
}

// csi passes a sequence on, its numbers bounded: useful ones are at most the size of the grid, and the emulator has no bound on
// repetitions.
func (g *grid) csi(body []byte, final byte) {
	limit := max(g.cols, terminalRows) + 1
	switch final {
	case 'h', 'l':
		limit = 9999
		g.modes = true
	case 'r', 's':
		g.modes = true
	}
	if final == 'I' || final == 'Z' {
		limit = g.cols/8 + 1
	}
	g.emit(body, final, limit)
}

func (g *grid) emit(body []byte, final byte, limit int) {
	g.buf = append(g.buf[:0], '\x1b', '[')
	for i := 0; i < len(body); {
		if body[i] < '0' || body[i] > '9' {
			g.buf = append(g.buf, body[i])
			i++
			continue
		}
		n := 0
		for ; i < len(body) && body[i] >= '0' && body[i] <= '9'; i++ {
			n = min(n*10+int(body[i]-'0'), limit)
		}
		g.buf = append(g.buf, strconv.Itoa(n)...)
	}
	g.buf = append(g.buf, final)
	g.write(g.buf)
}

func (g *grid) esc(inter, final byte) {
	g.modes = g.modes || inter != 0 || final != 'M'
	g.buf = append(g.buf[:0], '\x1b')
	if inter != 0 {
		g.buf = append(g.buf, inter)
	}
	g.buf = append(g.buf, final)
	g.write(g.buf)
}

// heavyLimit is how many sequences that touch the whole grid one playing may hold; each costs up to 0.1 ms.
const heavyLimit = 400

// heavyTail returns where to begin with b so that not more than heavyLimit such sequences follow.
func heavyTail(b []byte) int {
	var ring [heavyLimit]int
	count := 0
	for i := 0; i < len(b); i++ {
		if b[i] != 0x1b || i+1 == len(b) {
			continue
		}
		at := i
		i++
		final := b[i]
		if final == '[' {
			for i++; i < len(b) && b[i] < 0x40; i++ {
			}
			if i == len(b) {
				break
			}
			final = b[i]
			if !heavy(b[at+2:i], final) {
				continue
			}
		} else if final != 'c' && final != 'M' {
			continue
		}
		ring[count%heavyLimit] = at
		count++
	}
	if count <= heavyLimit {
		return 0
	}
	return ring[count%heavyLimit]
}

// heavy reports whether a sequence may touch the whole grid. Of the modes only the alternate screens do.
func heavy(body []byte, final byte) bool {
	if final == 'h' || final == 'l' {
		return bytes.Contains(body, []byte("47")) || bytes.Contains(body, []byte("1049"))
	}
	return bytes.IndexByte([]byte("@JLMPSTXb"), final) >= 0
}

// quiet reports whether a sequence changes nothing that is shown: queries, modes of keys, mouse and cursor, window
// operations. Those reach neither lines nor grid.
func quiet(body []byte, final byte) bool {
	private := len(body) > 0 && body[0] >= '<'
	switch final {
	case 'c', 'n', 't', 'u', 'q', 'p', 'y', 'x':
		return final != 'u' || private
	case 'h', 'l':
		if !private {
			return false
		}
		for mode := range strings.SplitSeq(string(body[1:]), ";") {
			switch mode {
			case "6", "7", "47", "69", "1047", "1048", "1049":
				return false
			}
		}
		return true
	}
	return private && final != 'J' && final != 'K'
}

// sgr sets the style of what is written next.
func (s *lineScreen) sgr(params string) {
	if s.styles == nil {
		s.init()
	}
	p := s.pen
	p.Apply(params)
	s.setPen(p)
}

// csi plays the sequences that stay within the line, and returns false for others.
func (s *lineScreen) csi(body []byte, final byte) bool {
	if len(body) > 4 {
		return false
	}
	n := text.LeadingNumber(string(body))
	switch {
	case n < 0:
		return false
	case final == 'K' && n == 0:
		s.erase(s.col, maxLineCells)
	case final == 'K' && n == 1:
		s.erase(0, s.col+1)
	case final == 'K' && n == 2:
		s.erase(0, maxLineCells)
	case final == 'J' && n == 0:
		s.erase(s.col, maxLineCells) // nothing lies below the line being written
	case final == 'C':
		s.col = min(s.col+max(n, 1), maxLineCells)
	case final == 'D':
		s.col = max(s.col-max(n, 1), 0)
	case final == 'G':
		s.col = min(max(n, 1)-1, maxLineCells)
	default:
		return false
	}
	return true
}
