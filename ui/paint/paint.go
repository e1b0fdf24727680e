// Package paint shows frames on a terminal. It has two modes: a frame fills the alternate
// screen, or it is a few live rows on the normal screen, with finished rows printed above
// them, where they become part of the scrollback.
//
// A Screen owns the terminal: one goroutine writes frames, modes, titles and everything
// else. Show passes the newest frame and never blocks; a slow terminal gets the newest
// frame, not a queue of older ones. Nothing is scheduled while nothing changes. Bubble Tea
// runs the event loop and reads the keys; its own output is dropped.
//
// The terminal's line wrapping is off: each row is one line.
package paint

import (
	"io"
	"os"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

const (
	// period is the shortest time between two frames that are not urgent.
	period = 16 * time.Millisecond
	// closing is how long Close waits for a terminal that does not read what is written.
	closing = time.Second
)

// Screen is a terminal that frames are shown on. Its methods are safe for use by several
// goroutines.
type Screen struct {
	out     io.Writer
	measure func() (cols, rows int, err error) // nil if the size is not known
	env     environment

	mu      sync.Mutex // guards next, said, size and resized
	next    order
	said    []string // rows printed since the last frame, to be written with the next one
	size    extent   // the last one reported by Bubble Tea
	resized bool     // since the last view

	wake  chan struct{}
	ended chan struct{}

	painter // owned by the goroutine of run
}

// order collects what was asked for since the painter last looked.
type order struct {
	view    *tea.View
	urgent  bool
	fresh   bool     // what is on the screen is not known
	printed []string // rows to write above the view
	raw     []byte
	calls   []func() // run between frames
}

// extent is a size.
type extent struct{ cols, rows int }

// painter holds the state of the terminal.
type painter struct {
	view    tea.View // the newest frame
	shown   bool     // there has been one
	asked   bool     // the terminal was asked for its modes
	due     bool     // the newest frame is not painted yet
	printed []string // rows to write above it
	painted time.Time
	away    bool // the terminal is lent
	closed  bool

	profile  colorprofile.Profile
	clusters bool // the rows were measured by clusters
	synced   bool // the terminal has mode 2026
	reflows  bool // it rewraps long lines when it gets narrower
	modes    modes
	live     []row // on the screen; in the normal screen: below what was printed
	x, y     int   // of the cursor, from the first live row; x is -1 if not certain
	hidden   bool  // the cursor is hidden
	pen      uv.Style
	link     uv.Link

	drawn  extent    // the terminal's size when the live rows were painted
	seen   extent    // the size found last
	seenAt time.Time // when it was found first
}

// Open returns a Screen on a terminal; a nil out means standard output. environ is the
// environment of the process. guard runs the painting goroutine and recovers from its panics.
func Open(out io.Writer, environ []string, guard func(func())) *Screen {
	if out == nil {
		out = os.Stdout
	}
	s := newScreen(out, environ)
	if f, ok := out.(term.File); ok {
		s.measure = func() (int, int, error) { return term.GetSize(f.Fd()) }
	}
	go guard(s.run)
	return s
}

func newScreen(out io.Writer, environ []string) *Screen {
	env := environment(environ)
	return &Screen{out: out, env: env, wake: make(chan struct{}, 1), ended: make(chan struct{}),
		painter: painter{reflows: env.reflows(), profile: colorprofile.TrueColor}}
}

// HasScrollback reports whether rows can be printed above a view.
func (s *Screen) HasScrollback() bool { return s.measure != nil }

// Show shows a view, on the alternate screen or below the printed rows. An urgent one, such
// as the echo of a key, does not wait for the end of the period.
func (s *Screen) Show(v tea.View, urgent bool) {
	s.order(func(o *order) {
		o.view, o.urgent, o.fresh = &v, o.urgent || urgent, o.fresh || s.resized && v.AltScreen
		s.resized = false
		o.printed, s.said = append(o.printed, s.said...), nil
	})
}

// Print writes rows above the next view that is shown, never above one that may still show
// them. Rows printed while a view fills the screen are written after it.
func (s *Screen) Print(rows ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, rows...)
}

// Raw writes a sequence, which must neither move the cursor nor change the screen.
func (s *Screen) Raw(seq string) { s.order(func(o *order) { o.raw = append(o.raw, seq...) }) }

// Redraw paints everything again.
func (s *Screen) Redraw() { s.order(func(o *order) { o.fresh, o.urgent = true, true }) }

// Reflow sets whether the terminal rewraps long lines when it gets narrower.
func (s *Screen) Reflow(yes bool) { s.call(func() { s.reflows = yes }) }

// order changes the order and wakes the painter.
func (s *Screen) order(change func(*order)) {
	s.mu.Lock()
	change(&s.next)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// call runs f between two frames, without waiting for it.
func (s *Screen) call(f func()) { s.order(func(o *order) { o.calls = append(o.calls, f) }) }

// wait runs f between two frames and reports whether it ran within the limit; 0 means no
// limit.
func (s *Screen) wait(f func(), limit time.Duration) bool {
	done := make(chan struct{})
	s.call(func() { f(); close(done) })
	var over <-chan time.Time
	if limit > 0 {
		over = time.After(limit)
	}
	select {
	case <-done:
		return true
	case <-s.ended:
	case <-over:
	}
	return false
}

// Release restores the terminal to how it was found, until Restore.
func (s *Screen) Release() { s.wait(s.leave, 0) }

// Restore sets the modes again and paints the newest view.
func (s *Screen) Restore() {
	s.wait(func() { s.away, s.due, s.painted = false, s.shown, time.Time{} }, 0)
}

// Close restores the terminal and ends the Screen. Rows not printed yet and the given rows
// stay on the normal screen, with the cursor below them.
func (s *Screen) Close(rows ...string) {
	end := func() {
		s.leave()
		s.mu.Lock()
		s.printed = append(append(s.printed, s.said...), rows...)
		s.mu.Unlock()
		s.write(s.last())
		s.closed = true
	}
	if s.wait(end, closing) {
		return
	}
	select {
	case <-s.ended: // by a panic
		end()
	default:
	}
}

// run paints until Close.
func (s *Screen) run() {
	defer close(s.ended)
	var later <-chan time.Time
	for !s.closed {
		select {
		case <-s.wake:
		case <-later:
			later = nil
		}
		if rest := s.step(); rest > 0 && later == nil {
			later = time.After(rest)
		}
	}
}

// step carries out the order. If a frame must wait, it returns how long.
func (s *Screen) step() (rest time.Duration) {
	s.mu.Lock()
	o := s.next
	s.next = order{}
	s.mu.Unlock()
	s.write(o.raw)
	for _, f := range o.calls {
		f()
	}
	if s.closed {
		return 0
	}
	s.printed = append(s.printed, o.printed...)
	if o.view != nil {
		s.view, s.shown, s.due = *o.view, true, true
	}
	if o.fresh {
		s.forget()
		s.due = s.shown
	}
	if !s.due || s.away {
		return 0
	}
	if rest := period - time.Since(s.painted); rest > 0 && !o.urgent {
		return rest
	}
	if rest := s.unsettled(); rest > 0 {
		return rest
	}
	if s.due = false; !o.urgent { // a key does not delay streamed text
		s.painted = time.Now()
	}
	s.write(s.frame())
	return 0
}

// write writes to the terminal. Errors are ignored: a terminal that is gone also ends the
// input.
func (s *Screen) write(b []byte) {
	if len(b) > 0 {
		_, _ = s.out.Write(b)
	}
}
