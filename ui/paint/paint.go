// Package paint shows frames on a terminal. It has two modes: a frame fills the alternate
// screen, or it is a few live rows on the normal screen, with finished rows printed above
// them, where they become part of the scrollback.
//
// A Screen owns the terminal: one goroutine writes frames, modes, titles and everything
// else. Show passes the newest frame and never blocks; a slow terminal gets the newest
// frame, not a queue of older ones. Nothing is scheduled while nothing changes. Bubble Tea
// runs the event loop and reads the keys; its own output is dropped. After a panic of that
// goroutine, Close restores the terminal on its own.
//
// The terminal's line wrapping is off: each row is one line.
package paint

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"parley/internal/tty"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

const (
	// period is the shortest time between two frames that are not urgent.
	period = 16 * time.Millisecond
	// patience is how long Release and Close wait for a terminal that reads nothing.
	patience = time.Second
	// piece is how much is written at once, in bytes, so that a slow terminal is seen to read.
	piece = 4096
)

// Screen is a terminal that frames are shown on. Its methods are safe for use by several
// goroutines.
type Screen struct {
	out     io.Writer
	measure func() (cols, rows int, err error) // nil if the size is not known
	// restoreConsole undoes what Open changed in the console of Windows.
	restoreConsole func()
	guard          func(func()) // recovers from panics

	mu      sync.Mutex // guards next, said, size and resized
	next    request
	said    []string // rows printed since the last frame, to be written with the next one
	size    extent   // the last one reported by Bubble Tea
	resized bool     // since the last view

	wake  chan struct{}
	ended chan struct{}
	read  atomic.Int64 // how many pieces the terminal has read

	painter         // owned by the goroutine of run; by Close after a panic there
	written painter // how it was after the last write
}

// request collects what was asked for since the painter last looked.
type request struct {
	view    *tea.View
	urgent  bool
	fresh   bool     // what is on the screen is not known
	printed []string // rows to write above the view
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
	away    bool // the terminal is released
	absent  bool // no terminal is attached
	closed  bool

	terminal tty.Profile
	clusters bool // the rows were measured by clusters
	modes    modes
	live     []row // on the screen; in the normal screen: below what was printed
	x, y     int   // of the cursor, from the first live row; x is -1 if not certain
	pen      uv.Style
	link     uv.Link

	cols        int       // of the newest frame
	paintedSize extent    // of the terminal when the live rows were painted
	lastSize    extent    // the size found last
	lastSizeAt  time.Time // when it was found first
}

// Open returns a Screen on a terminal; a nil out means standard output. guard runs the painting goroutine and
// recovers from its panics.
func Open(out io.Writer, terminal tty.Profile, guard func(func())) *Screen {
	if out == nil {
		out = os.Stdout
	}
	s := newScreen(out, terminal)
	s.guard = guard
	if f, ok := out.(term.File); ok && term.IsTerminal(f.Fd()) {
		s.measure = func() (int, int, error) { return term.GetSize(f.Fd()) }
		s.restoreConsole = enableSequences(f.Fd())
	}
	go guard(s.run)
	return s
}

func newScreen(out io.Writer, terminal tty.Profile) *Screen {
	return &Screen{out: out, guard: func(f func()) { f() }, restoreConsole: func() {}, wake: make(chan struct{}, 1), ended: make(chan struct{}),
		painter: painter{terminal: terminal}}
}

// HasScrollback reports whether rows can be printed above a view.
func (s *Screen) HasScrollback() bool { return s.measure != nil }

// Show shows a view, on the alternate screen or below the printed rows. An urgent one, such
// as the echo of a key, does not wait for the end of the period.
func (s *Screen) Show(v tea.View, urgent bool) {
	s.ask(func(r *request) {
		r.view, r.urgent, r.fresh = &v, r.urgent || urgent, r.fresh || s.resized && v.AltScreen
		s.resized = false
		r.printed, s.said = append(r.printed, s.said...), nil
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
func (s *Screen) Raw(seq string) {
	s.call(func() {
		if !s.absent {
			s.write([]byte(seq))
		}
	})
}

// Redraw paints everything again.
func (s *Screen) Redraw() {
	s.ask(func(r *request) {
		r.fresh, r.urgent = true, true
		r.calls = append(r.calls, s.resetMargins)
	})
}

// SetTerminal sets what is known about the terminal now. Other colours paint everything again.
func (s *Screen) SetTerminal(terminal tty.Profile) {
	s.call(func() {
		if terminal.Depth != s.terminal.Depth {
			s.forget()
			s.due = s.shown
		}
		s.terminal = terminal
	})
}

// ask adds to the request and wakes the painter.
func (s *Screen) ask(change func(*request)) {
	s.mu.Lock()
	change(&s.next)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// call runs f between two frames, without waiting for it.
func (s *Screen) call(f func()) { s.ask(func(r *request) { r.calls = append(r.calls, f) }) }

// wait runs f between two frames and reports whether it has run. It gives up when the
// terminal has read nothing for a while; f runs later then.
func (s *Screen) wait(f func()) bool {
	done := make(chan struct{})
	s.call(func() { f(); close(done) })
	for read := s.read.Load(); ; {
		select {
		case <-done:
			return true
		case <-s.ended: // f may be what ended it
			select {
			case <-done:
				return true
			default:
				return false
			}
		case <-time.After(patience):
			now := s.read.Load()
			if now == read {
				return false
			}
			read = now
		}
	}
}

// Detach resets what was set in the terminal, which leaves. Until Attach nothing is written. While the terminal is
// released, whoever has it stays there.
func (s *Screen) Detach() {
	s.wait(func() {
		if !s.away && !s.absent {
			s.leave()
		}
		s.absent = true
	})
}

// Attach has another terminal show the next view, without waiting for it. It is asked what it can do, as the first one was.
func (s *Screen) Attach(terminal tty.Profile) {
	s.mu.Lock()
	s.next.view, s.next.printed, s.said, s.resized = nil, nil, nil, false // meant for the other terminal
	s.mu.Unlock()
	s.call(func() {
		s.terminal, s.absent, s.asked, s.due, s.painted = terminal, false, false, false, time.Time{}
	})
}

// Release resets what was set in the terminal, until Restore. It reports whether that was
// done: a terminal that reads nothing keeps the screen.
func (s *Screen) Release() bool {
	if s.wait(func() { s.leave(); s.away = true }) {
		return true
	}
	s.Restore()
	return false
}

// Restore sets the modes again and paints the newest view, without waiting for it.
func (s *Screen) Restore() {
	s.call(func() { s.away, s.due, s.painted = false, s.shown, time.Time{} })
}

// Close resets the terminal and ends the Screen. Rows not printed yet and the given rows
// stay on the normal screen, with the cursor below them. A terminal that reads nothing is
// left as it is.
func (s *Screen) Close(rows ...string) {
	defer s.restoreConsole()
	end := func() {
		s.leave()
		s.mu.Lock()
		s.printed = slices.Concat(s.printed, s.next.printed, s.said, rows)
		s.mu.Unlock()
		s.write(s.last())
		s.closed = true
	}
	if s.wait(end) {
		return
	}
	select {
	case <-s.ended: // by a panic
		s.guard(end)
	default:
	}
}

// run paints until Close.
func (s *Screen) run() {
	defer close(s.ended)
	defer func() {
		if !s.closed { // a panic, in the middle of a frame that was not written
			s.painter = s.written
		}
	}()
	later := time.NewTimer(time.Hour)
	for !s.closed {
		select {
		case <-s.wake:
		case <-later.C:
		}
		if rest := s.step(); rest > 0 {
			later.Reset(rest)
		} else {
			later.Stop()
		}
	}
}

// step carries out the request. If a frame must wait, it returns how long.
func (s *Screen) step() (rest time.Duration) {
	s.mu.Lock()
	r := s.next
	s.next = request{}
	s.mu.Unlock()
	if s.absent {
		s.printed = nil // for a terminal that has left
	}
	s.printed = append(s.printed, r.printed...)
	for _, f := range r.calls {
		f()
	}
	if s.closed {
		return 0
	}
	if r.view != nil {
		s.view, s.shown, s.due = *r.view, true, true
	}
	if r.fresh {
		s.forget()
		s.due = s.shown
	}
	if !s.due || s.away || s.absent {
		return 0
	}
	if rest := period - time.Since(s.painted); rest > 0 && !r.urgent {
		return rest
	}
	if rest := s.unsettled(); rest > 0 {
		return rest
	}
	s.written.printed = s.printed
	b, ok := s.frame()
	if !ok {
		return settled
	}
	if s.due = false; !r.urgent { // a key does not delay streamed text
		s.painted = time.Now()
	}
	s.write(b)
	return 0
}

// write writes to the terminal. Errors are ignored, because a terminal that is gone also ends
// the input; but another program may have made the terminal non-blocking.
func (s *Screen) write(b []byte) {
	if len(b) == 0 {
		return
	}
	for len(b) > 0 {
		n, err := s.out.Write(b[:min(len(b), piece)])
		b = b[n:]
		switch {
		case n > 0:
			s.read.Add(1)
		case errors.Is(err, syscall.EAGAIN):
			time.Sleep(period)
		default:
			b = nil
		}
	}
	s.written = s.painter
}
