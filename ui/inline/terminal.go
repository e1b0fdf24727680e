// Package inline shows a program in the terminal's normal screen, among what
// stood there before: what is finished is written once and becomes part of the
// scrollback, and below it a few live rows are drawn again in place.
//
// A Terminal is between Bubble Tea and the file of the terminal. Bubble Tea gets one empty
// row, so it writes only modes, titles and the switch to the alternate screen and back, and
// never leaves the row of the cursor. For each such write the live rows are erased and drawn
// again after it. While the alternate screen is on or the terminal is lent to a program,
// everything passes unchanged and nothing is drawn.
//
// The terminal's line wrapping is off: each row is one line.
package inline

import (
	"bytes"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
)

// File is a terminal as the screen library wants it.
type File interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// Frame is the live part.
type Frame struct {
	Rows []string // styled; what is too wide for the terminal is cut
	X, Y int      // of the cursor, in cells and rows
	Bare bool     // there is no cursor
}

// Terminal is safe for use by several goroutines. Print and Show never wait for
// the terminal.
type Terminal struct {
	File
	measure func() (cols, rows int, err error)
	reflows bool
	reduce  func(io.Writer) io.Writer // takes away colours that the terminal lacks

	told    sync.Mutex // guards what is to be shown
	on      bool
	waiting []string // rows to print with the next frame
	printed []string // rows to print with the current frame
	frame   Frame
	timer   *time.Timer
	drawnAt time.Time

	out    sync.Mutex // guards the order of what is written, and what follows
	alt    bool       // the alternate screen is on
	away   bool       // the library has let go of the terminal
	live   []row      // on the screen; none: the cursor is where they begin
	x, y   int        // of the cursor, from the first of them
	hidden bool       // it does not show
	size   extent     // the terminal's when they were drawn
	seen   extent     // the one that it was found to have last
	at     time.Time  // when that was found first
	held   []byte     // what the library has written meanwhile
}

// extent is a size.
type extent struct{ cols, rows int }

const (
	gap = 8 * time.Millisecond // the shortest time between two frames
	// settled is how long a terminal must have had a size before anything is drawn at
	// it. Multiplexers and some terminals change their grid at once and tell of it up
	// to a quarter of a second later; meanwhile nobody knows where the live part is. As
	// long as it is not touched the last size alone says where it went.
	settled = 300 * time.Millisecond
)

// New returns a Terminal that lets everything pass. environ is that of the
// process: it tells whether the terminal rewraps long lines when it gets narrower.
func New(out File, environ []string) *Terminal {
	t := &Terminal{File: out, reflows: Reflows(environ)}
	t.measure = func() (int, int, error) { return term.GetSize(out.Fd()) }
	t.timer = time.AfterFunc(time.Hour, t.draw)
	t.timer.Stop()
	return t
}

// Reflow sets whether the terminal rewraps long lines when it gets narrower.
func (t *Terminal) Reflow(yes bool) {
	t.out.Lock()
	defer t.out.Unlock()
	t.reflows = yes
}

// Reduce sets what is put around the writer of every row, to take away colours.
func (t *Terminal) Reduce(f func(io.Writer) io.Writer) {
	t.out.Lock()
	defer t.out.Unlock()
	t.reduce, t.live = f, forget(t.live)
}

// Print writes rows above the live part, into the scrollback, with the next frame that is
// shown: never above one that may still show them.
func (t *Terminal) Print(rows ...string) {
	t.told.Lock()
	defer t.told.Unlock()
	t.waiting = append(t.waiting, rows...)
}

// Show sets the live part, and begins with one where there was none.
func (t *Terminal) Show(f Frame) {
	t.told.Lock()
	defer t.told.Unlock()
	t.on, t.frame = true, f
	t.printed, t.waiting = append(t.printed, t.waiting...), nil
	t.soon()
}

// Hide says that there is no live part: the library is about to take the whole
// screen. The live rows are erased with its next write.
func (t *Terminal) Hide() {
	t.told.Lock()
	defer t.told.Unlock()
	t.on = false
}

// soon draws within a frame's time.
func (t *Terminal) soon() { t.timer.Reset(max(0, gap-time.Since(t.drawnAt))) }

// draw brings the screen up to date.
func (t *Terminal) draw() {
	t.out.Lock()
	defer t.out.Unlock()
	if !t.still() {
		return
	}
	if b := t.update(t.release(nil)); len(b) > 0 {
		t.File.Write(b) // an error shows with the library's own writes, too
	}
}

// Write takes what the screen library writes.
func (t *Terminal) Write(p []byte) (int, error) {
	t.out.Lock()
	defer t.out.Unlock()
	if !bytes.Contains(p, pasteOff) && !t.still() {
		t.held = append(t.held, p...)
		return len(p), nil
	}
	b := t.clear(t.release(nil))
	before := len(b)
	b = append(b, p...)
	t.watch(p)
	b = t.update(b)
	if before == 0 && len(b) == len(p) {
		return t.File.Write(p)
	}
	if n, err := t.File.Write(b); err != nil {
		return max(0, min(len(p), n-before)), err
	}
	return len(p), nil
}

// release lets go what was held.
func (t *Terminal) release(b []byte) []byte {
	if len(t.held) == 0 {
		return b
	}
	b = append(t.clear(b), t.held...)
	t.watch(t.held)
	t.held = nil
	return b
}

// still tells whether the live part may be touched: whether it is known where it
// is. If not, it draws again later.
func (t *Terminal) still() bool {
	if t.alt || t.away || len(t.live) == 0 {
		return true
	}
	cols, rows, err := t.measure()
	now, size := time.Now(), extent{cols, rows}
	if err != nil || size == t.size && size == t.seen {
		return true
	}
	if size != t.seen {
		t.seen, t.at = size, now
	}
	rest := settled - now.Sub(t.at)
	if rest <= 0 {
		return true
	}
	t.told.Lock()
	t.timer.Reset(rest)
	t.told.Unlock()
	return false
}

// WriteString is Write.
func (t *Terminal) WriteString(s string) (int, error) { return t.Write([]byte(s)) }

// End takes the live part away and writes what still waits, and rows besides: the
// cursor is at the beginning of the line below. The library must have let go of
// the terminal.
func (t *Terminal) End(rows ...string) error {
	t.Hide()
	t.out.Lock()
	defer t.out.Unlock()
	b := t.clear(t.release(nil))
	t.told.Lock()
	rows = slices.Concat(t.printed, t.waiting, rows)
	t.printed, t.waiting = nil, nil
	t.told.Unlock()
	if cols, _, err := t.measure(); err == nil {
		for _, r := range t.fold(rows, cols) {
			b = append(append(b, r.text...), "\r\n"...)
		}
	}
	if len(b) == 0 {
		return nil
	}
	_, err := t.File.Write(b)
	return err
}

// What the library writes when it takes a screen, or the terminal, and when it
// lets go of it.
var (
	altOn, altOff       = []byte(ansi.SetModeAltScreenSaveCursor), []byte(ansi.ResetModeAltScreenSaveCursor)
	cursorOn, cursorOff = []byte(ansi.SetModeTextCursorEnable), []byte(ansi.ResetModeTextCursorEnable)
	pasteOn, pasteOff   = []byte(ansi.SetModeBracketedPaste), []byte(ansi.ResetModeBracketedPaste)
)

// watch notes what a write of the library's does to the terminal.
func (t *Terminal) watch(p []byte) {
	last := func(on, off []byte, was bool) bool {
		a, b := bytes.LastIndex(p, on), bytes.LastIndex(p, off)
		if a < 0 && b < 0 {
			return was
		}
		return a > b
	}
	t.alt = last(altOn, altOff, t.alt)
	t.hidden = !last(cursorOn, cursorOff, !t.hidden)
	t.away = !last(pasteOn, pasteOff, !t.away)
}
