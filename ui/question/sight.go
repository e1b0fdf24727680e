package question

import (
	"math"
	"slices"
	"time"

	"parley/permissions"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget/text"
)

// lines says how rows were laid out. Laid out otherwise they are other rows.
type lines struct {
	width int
	sides bool // diffs side by side
}

// sight is how much of something that has to be read has been on the screen, and which
// rows are. It is a plain value: drawing reads a copy of it, and see applies what a frame
// has shown.
type sight struct {
	of     lines // of the frame drawn last
	offset int   // rows scrolled away; a key may ask for more than there are
	page   int   // rows on the screen
	fits   bool  // all of them are
	atEnd  bool  // the end is to stay on the screen when there is less room for it

	rows  int   // from the beginning, without a gap, that have been on the screen
	whole int   // that there are to read
	ended bool  // the end has been shown, though not all that comes before
	read  bool  // all of it has been on the screen
	heads []int // rows above the hunks
}

// Shown is what a frame shows of something that has to be read. Whoever draws hands it
// back after the frame.
type Shown struct {
	key     uint64 // of what it is about
	drawn   bool
	of      lines
	offset  int
	page    int
	body    int // rows that there are
	whole   int // of them that have to be read
	heads   []int
	covered bool                        // nothing of it can be read
	form    struct{ width, height int } // the room of a form; none: it was not drawn
}

// as is what has been seen once the rows are laid out like that. Rows that were not read
// must not slip away above.
func (s sight) as(of lines) sight {
	if s.of != of && s.of != (lines{}) && !s.read {
		s = s.unseen()
	}
	return s
}

// unseen is the beginning, of which nothing was read.
func (s sight) unseen() sight {
	s.offset, s.rows, s.whole, s.ended, s.atEnd = 0, 0, 0, false, false
	return s
}

// from is the first row on a screen of so many, where there are body rows, of which whole
// have to be read.
func (s sight) from(body, whole, page int) int {
	offset := s.offset
	if s.atEnd {
		offset = max(offset, min(whole, body)-page)
	}
	return max(0, min(offset, body-page))
}

// see is what has been seen after a frame.
func (s sight) see(on Shown) sight {
	s = s.as(on.of)
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

// same tells whether two of them draw the same.
func (s sight) same(o sight) bool {
	return s.of == o.of && s.offset == o.offset && s.page == o.page && s.ended == o.ended && s.read == o.read && s.atEnd == o.atEnd && s.rows == o.rows && s.whole == o.whole
}

// unread is how many rows were not read.
func (s sight) unread() int { return s.whole - s.rows }

// offers tells whether an option can be chosen although not all was read: to allow it
// once, after the end was shown.
func (s sight) offers(o permissions.Option) bool {
	return !s.read && s.ended && o.Kind == permissions.AllowOnce
}

// insisted is an option that was chosen unread, and is to be chosen again.
type insisted struct {
	option string
	at     time.Time
}

// again tells whether the option was chosen for the second time. A key that is held down
// chooses it once.
func (i *insisted) again(option string, now time.Time) bool {
	sure := i.option == option && now.Sub(i.at) >= layer.Quiet
	i.option, i.at = option, now
	return sure
}

// window is what a frame shows of rows that all have to be read, and a word about the
// rest.
func (on *Shown) window(s sight, rows []string, page int) (shown []string, more string) {
	on.page, on.body, on.whole = page, len(rows), len(rows)
	on.offset = s.as(on.of).from(on.body, on.whole, page)
	if rest := on.body - on.offset - page; rest > 0 {
		more = text.MoreRows(rest)
	}
	return slices.Clip(rows[on.offset:min(on.body, on.offset+page)]), more
}

// scroll moves the rows on the screen; false for any other key.
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
