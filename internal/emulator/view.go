// Package emulator draws the output of commands as a terminal would show it.
package emulator

import (
	"bytes"

	"parley/internal/text"
)

const (
	terminalRows     = 24      // of the grid, for programs that address one
	terminalHistory  = 2000    // lines kept above the grid
	terminalKeepByte = 4 << 20 // bytes of lines kept
	burstBytes       = 256 << 10
	gridBurstBytes   = 64 << 10
)

// Terminal shows the output of a command: colours kept, progress bars and cursor movements played out, nothing let
// through to the real terminal. Output that only goes down the page is kept as lines, which is fast and small; a program
// that moves the cursor gets an emulated grid.
//
// Writing copies the bytes; they are played when rows are asked for. Of a burst between two calls only the last
// 256 KiB are played (64 KiB on a grid); the lines before are counted. The history holds 2000 lines and 4 MiB. A bare
// newline also returns the carriage, since pipes bring no other. Queries to the terminal are never answered.
type Terminal struct {
	cols    int
	pending []byte
	tok     tokenizer
	live    lineScreen
	grid    *grid // nil while lines are enough
	lines   []string
	bytes   int  // in lines
	gone    int  // lines no longer kept
	tripped bool // code other than the emulator has panicked; for tests
}

// New returns an empty terminal. cols is the width of the grid, for programs that use one; lines are wrapped at
// the width they are drawn in.
func New(cols int) *Terminal { return &Terminal{cols: min(max(cols, 10), 500)} }

// Write appends output. It never fails and may be called with any piece of it.
func (t *Terminal) Write(p []byte) (int, error) {
	n := len(p)
	if len(t.pending)+len(p) > 2*burstBytes {
		t.shed(&p)
	}
	t.pending = append(t.pending, p...)
	return n, nil
}

// shed makes room for p: what is more than a burst is dropped, the oldest first.
func (t *Terminal) shed(p *[]byte) {
	if len(*p) < burstBytes {
		t.pending = t.trim(t.pending, burstBytes)
		return
	}
	t.skip(t.pending)
	t.pending = t.pending[:0]
	*p = t.trim(*p, burstBytes)
}

var newline = []byte{'\n'}

// trim returns the last n bytes of b or a little less, from the start of a line where there is one near, so that no
// sequence is halved. What it drops is counted.
func (t *Terminal) trim(b []byte, n int) []byte {
	over := len(b) - n
	if over <= 0 {
		return b
	}
	if i := bytes.IndexByte(b[over:min(over+4096, len(b))], newline[0]); i >= 0 {
		over += i + 1
	}
	t.skip(b[:over])
	return b[over:]
}

// skip counts the lines of output that is not played.
func (t *Terminal) skip(b []byte) {
	n := bytes.Count(b, newline)
	if n == 0 {
		return
	}
	t.tok = tokenizer{}
	t.control('\n') // the line being written ends in what is skipped
	t.gone += n - 1
}

// play runs what is pending.
func (t *Terminal) play() {
	if len(t.pending) == 0 {
		return
	}
	limit := burstBytes
	if t.grid != nil {
		limit = gridBurstBytes
	}
	b := t.trim(t.pending, limit)
	if n := heavyTail(b); n > 0 {
		t.skip(b[:n])
		b = b[n:]
	}
	b = t.skipLost(b)
	t.pending = t.pending[:0]
	if cap(t.pending) > burstBytes {
		t.pending = nil
	}
	t.feed(b)
}

// skipLost takes the lines off the front of b that would not be kept, where nothing
// in them can change what comes after.
func (t *Terminal) skipLost(b []byte) []byte {
	at := len(b)
	for range terminalHistory + terminalRows {
		if at = bytes.LastIndexByte(b[:at], newline[0]); at < 0 {
			return b
		}
	}
	if t.grid != nil || t.tok.state != stGround || t.tok.held > 0 {
		return b
	}
	for _, c := range introducers {
		if bytes.IndexByte(b[:at], c) >= 0 {
			return b
		}
	}
	t.gone += len(t.lines) + bytes.Count(b[:at+1], newline)
	t.lines, t.bytes, t.live.cells, t.live.col = nil, 0, t.live.cells[:0], 0
	return b[at+1:]
}

// introducers are the bytes that a sequence can begin with.
var introducers = []byte{0x1b, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f}

// feed plays b. If the emulator panics, its grid is dropped and the output continues below.
func (t *Terminal) feed(b []byte) {
	defer func() {
		if recover() != nil {
			t.tripped = t.grid == nil
			t.grid, t.tok, t.live = nil, tokenizer{}, lineScreen{}
		}
	}()
	t.tok.feed(b, t)
	if t.grid != nil {
		t.harvest()
	}
}

// push adds a finished line to the history. Old lines are dropped in batches, so the history runs a quarter over.
func (t *Terminal) push(line string) {
	t.lines = append(t.lines, line)
	t.bytes += len(line)
	if len(t.lines) <= terminalHistory*5/4 && t.bytes <= terminalKeepByte {
		return
	}
	drop := 0
	for len(t.lines)-drop > terminalHistory || t.bytes > terminalKeepByte {
		t.bytes -= len(t.lines[drop])
		drop++
	}
	t.gone += drop
	t.lines = append(t.lines[:0], t.lines[drop:]...)
}

// text, control, csi and esc play what the tokenizer finds.
func (t *Terminal) text(b []byte) {
	if t.grid != nil {
		t.grid.write(b)
		return
	}
	for {
		b = t.live.write(b)
		if len(b) == 0 {
			return
		}
		t.newLine()
	}
}

func (t *Terminal) newLine() {
	t.push(t.live.line())
	t.live.clear()
}

func (t *Terminal) control(c byte) {
	if t.grid != nil {
		t.grid.control(c)
		switch {
		case t.grid.calm > calmLines && !t.grid.modes:
			t.closeGrid()
		case t.grid.scrolled > harvestEvery:
			t.harvest()
		}
		return
	}
	switch c {
	case '\n', '\v', '\f':
		t.newLine()
	case '\r':
		t.live.col = 0
	case '\b':
		t.live.backspace()
	case '\t':
		t.live.tab()
	}
}

func (t *Terminal) csi(body []byte, final byte) {
	if final == 'm' {
		if !text.SgrParams(body) {
			return
		}
		if t.grid == nil {
			t.live.sgr(string(body))
		} else {
			t.grid.sgr(body)
		}
		return
	}
	if t.grid == nil && t.live.csi(body, final) {
		return
	}
	if quiet(body, final) {
		return
	}
	if t.grid == nil {
		t.openGrid()
	}
	t.grid.calm = 0
	t.grid.csi(body, final)
}

func (t *Terminal) esc(inter, final byte) {
	if t.grid != nil {
		t.grid.esc(inter, final)
		return
	}
	switch {
	case inter == 0 && (final == 'M' || final == '8' || final == 'c' || final == 'D'), inter == '(' && final == '0':
		t.openGrid()
		t.grid.esc(inter, final)
	}
}

// Len returns how many lines of output there are, those no longer kept included.
func (t *Terminal) Len() int {
	t.play()
	n := t.gone + len(t.lines)
	if t.grid != nil {
		return n + len(t.grid.rows())
	}
	if t.live.line() != "" {
		n++
	}
	return n
}

// Rows returns the last n rows of output (0: all that is kept), lines wrapped to width, blank rows at the end dropped.
func (t *Terminal) Rows(width, last int) []string {
	t.play()
	var tail []string
	if t.grid != nil {
		tail = t.grid.rows()
	} else if line := t.live.line(); line != "" {
		tail = []string{line}
	}
	var blocks [][]string
	count := 0
	// From the end, so that the cost is that of what is shown.
	for i := len(t.lines) + len(tail) - 1; i >= 0 && (last <= 0 || count < last); i-- {
		line := ""
		if i >= len(t.lines) {
			line = tail[i-len(t.lines)]
		} else {
			line = t.lines[i]
		}
		if count == 0 && line == "" {
			continue
		}
		rows, _ := text.HardWrap(line, width, 0)
		count += len(rows)
		blocks = append(blocks, rows)
	}
	out := make([]string, 0, count)
	for i := len(blocks) - 1; i >= 0; i-- {
		out = append(out, blocks[i]...)
	}
	if last > 0 && len(out) > last {
		out = out[len(out)-last:]
	}
	return out
}
