package paint

import (
	"time"

	"parley/internal/tty"

	"github.com/charmbracelet/x/ansi"
)

// settled is how long a terminal must have had a size before live rows are changed.
// Multiplexers and some terminals change their grid at once and report it up to a quarter of
// a second later. Until then, where the live rows are follows from the size that they were
// painted at, if they are left alone.
const settled = 300 * time.Millisecond

// frame returns what brings the terminal to the newest view. It fails if the size of the
// terminal cannot be read now.
func (s *Screen) frame() (b []byte, ok bool) {
	s.mu.Lock()
	cols, rows := s.size.cols, s.size.rows
	s.mu.Unlock()
	if !s.view.AltScreen || !s.modes.alt && len(s.live) > 0 {
		if cols, rows, ok = s.sizeNow(); !ok {
			return nil, false
		}
	}
	if !s.asked { // by now Bubble Tea reads the answers
		if s.asked = true; s.terminal.Answers {
			b = append(b, tty.AskModes...)
		}
	}
	return s.paint(b, cols, rows), true
}

// sizeNow returns the present size of the terminal.
func (s *Screen) sizeNow() (cols, rows int, ok bool) {
	if s.measure == nil {
		return 0, 0, false
	}
	cols, rows, err := s.measure()
	return cols, rows, err == nil && cols > 1 && rows > 1
}

// unsettled returns how long to wait until the position of the live rows is known.
func (s *Screen) unsettled() time.Duration {
	if s.modes.alt || len(s.live) == 0 {
		return 0
	}
	cols, rows, ok := s.sizeNow()
	now, size := time.Now(), extent{cols, rows}
	if !ok || size == s.paintedSize && size == s.lastSize {
		return 0
	}
	if size != s.lastSize {
		s.lastSize, s.lastSizeAt = size, now
	}
	return settled - now.Sub(s.lastSizeAt)
}

// resetMargins undoes the scroll region that a program may have left; it moves the cursor.
func (s *Screen) resetMargins() {
	if s.modes.alt {
		s.write([]byte(ansi.SetTopBottomMargins(0, 0)))
	}
}

// leave erases the live rows and resets what was set.
func (s *Screen) leave() {
	b := s.plain(nil)
	if !s.modes.alt {
		cols, _, ok := s.sizeNow()
		if !ok {
			cols = s.paintedSize.cols
		}
		b = s.erase(b, cols)
	}
	s.write(s.reset(b))
	s.live, s.x, s.y, s.paintedSize = nil, 0, 0, extent{}
}

// last returns what is left to print when the Screen has ended.
func (s *Screen) last() (b []byte) {
	cols, _, ok := s.sizeNow()
	if !ok {
		return nil
	}
	for _, r := range s.fold(s.printed, cols) {
		s.x, s.y = 0, 0
		b = s.mark(s.plain(s.span(b, s.cells(&r), 0, len(s.cells(&r)))), 0, &r)
		b = append(b, "\r\n"...)
	}
	return b
}

// erase erases the live rows, on a terminal that has cols columns now. It erases from the
// second column on, after the first row: from the first column of the first row of its
// screen, tmux would move what it erases into the scrollback.
func (p *painter) erase(b []byte, cols int) []byte {
	if len(p.live) == 0 {
		return b
	}
	b = append(p.plain(b), '\r')
	if up := p.above(cols); up > 0 {
		b = append(b, ansi.CursorUp(up)...)
	}
	p.live, p.x, p.y = nil, 0, 0
	return append(b, ansi.EraseEntireLine+ansi.CUF1+ansi.EraseScreenBelow+"\r"...)
}

// above counts the rows between the first live row and the cursor, on a terminal that has
// cols columns now. One that reflows has made several rows of each long one, and the cursor
// has stayed with its text.
func (p *painter) above(cols int) int {
	n := p.y
	if !p.terminal.Reflows || cols >= p.paintedSize.cols || cols <= 0 {
		return n
	}
	for i := range p.live[:min(p.y, len(p.live))] {
		n += max(0, len(p.cells(&p.live[i]))-1) / cols
	}
	return n + max(0, p.x)/cols
}
