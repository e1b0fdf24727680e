package question

import (
	"math"
	"slices"
	"time"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/permissions"
	"parley/ui/layer"
)

// lines is a layout. Another layout has different rows.
type lines struct {
	width int
	sides bool // diffs side by side
}

// sight is how much of a text that has to be read has been on the screen, and which rows
// are now. It is a plain value: drawing uses a copy, and afterFrame returns the next one.
type sight struct {
	of     lines // the layout of the last frame
	offset int   // first row on the screen; keys may set it past the end
	page   int   // number of rows on the screen
	fits   bool  // all rows are on the screen
	atEnd  bool  // keep the end on the screen if the room shrinks

	rows  int   // number of rows from the first that have been on the screen, without a gap
	whole int   // number of rows to read
	ended bool  // the end has been on the screen
	read  bool  // all rows have been on the screen
	heads []int // indexes of the rows above the hunks
}

// Shown is what a frame shows of a text that has to be read. The caller of Rows passes it
// to Saw after the frame.
type Shown struct {
	key     uint64 // of the question or the elicitation
	drawn   bool
	of      lines
	offset  int
	page    int
	body    int // number of rows
	whole   int // how many of them have to be read
	heads   []int
	covered bool                        // something hides the rows
	form    struct{ width, height int } // the size of a form; zero: it was not drawn
}

// withLayout returns s for a layout. A new layout starts again at the top unless all was read, so
// that no unread row is above the screen.
func (s sight) withLayout(of lines) sight {
	if s.of != of && s.of != (lines{}) && !s.read {
		s = s.unseen()
	}
	return s
}

// unseen returns s at the top with nothing read.
func (s sight) unseen() sight {
	s.offset, s.rows, s.whole, s.ended, s.atEnd = 0, 0, 0, false, false
	return s
}

// firstRow returns the first row on a screen of page rows, of body rows of which whole have to
// be read.
func (s sight) firstRow(body, whole, page int) int {
	offset := s.offset
	if s.atEnd {
		offset = max(offset, min(whole, body)-page)
	}
	return max(0, min(offset, body-page))
}

// afterFrame returns s after a frame.
func (s sight) afterFrame(on Shown) sight {
	s = s.withLayout(on.of)
	s.of, s.offset, s.page, s.fits, s.heads, s.atEnd = on.of, on.offset, on.page, on.body <= on.page, on.heads, false
	if on.covered {
		return s
	}
	s.whole = on.whole
	if s.offset <= s.rows {
		s.rows = max(s.rows, s.offset+s.page)
	}
	if s.offset+s.page >= s.whole {
		s.atEnd, s.ended = !s.ended, true
	}
	s.read = s.read || s.rows >= s.whole
	return s
}

// same reports whether s and o draw the same rows.
func (s sight) same(o sight) bool {
	return s.of == o.of && s.offset == o.offset && s.page == o.page && s.ended == o.ended && s.read == o.read && s.atEnd == o.atEnd && s.rows == o.rows && s.whole == o.whole
}

// unread returns the number of unread rows.
func (s sight) unread() int { return s.whole - s.rows }

// offers reports whether an option can be chosen unread: only to allow once, and only after
// the end has been on the screen.
func (s sight) offers(o permissions.Option) bool {
	return !s.read && s.ended && o.Kind == permissions.AllowOnce
}

// unreadChoice is an option that was chosen unread and works if it is chosen again.
type unreadChoice struct {
	option string
	at     time.Time
}

// confirmed reports whether the option was chosen for the second time. Holding the key down
// counts once.
func (i *unreadChoice) confirmed(option string, now time.Time) bool {
	repeated := i.option == option && now.Sub(i.at) >= layer.Quiet
	i.option, i.at = option, now
	return repeated
}

// window returns the rows on a screen of page rows and says how many follow. All rows have
// to be read.
func (on *Shown) window(s sight, rows []string, page int) (shown []string, more string) {
	on.page, on.body, on.whole = page, len(rows), len(rows)
	on.offset = s.withLayout(on.of).firstRow(on.body, on.whole, page)
	if rest := on.body - on.offset - page; rest > 0 {
		more = text.MoreRows(rest)
	}
	return slices.Clip(rows[on.offset:min(on.body, on.offset+page)]), more
}

// scroll handles a key that scrolls; false for any other key.
func (s *sight) scroll(want intent.Intent) bool {
	switch want {
	case intent.ScrollUp:
		s.offset--
	case intent.ScrollDown:
		s.offset++
	case intent.PageUp:
		s.offset -= max(1, s.page)
	case intent.PageDown:
		s.offset += max(1, s.page)
	case intent.Last:
		s.offset = math.MaxInt / 2
	default:
		return false
	}
	return true
}
