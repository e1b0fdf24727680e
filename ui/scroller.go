package ui

import (
	"slices"

	"parley/ui/widget"
)

// scroller shows a part of rows that may be more than there is room for.
type scroller struct {
	offset int // rows scrolled away
	page   int // rows on the screen, as drawn last
}

// window is what of the rows is on the screen, and a word about the rest.
func (s *scroller) window(rows []string, height int) (shown []string, more string) {
	s.page = height
	s.offset = max(0, min(s.offset, len(rows)-height))
	if rest := len(rows) - s.offset - height; rest > 0 {
		more = widget.MoreRows(rest)
	}
	return slices.Clip(rows[s.offset:min(len(rows), s.offset+height)]), more
}

// ended tells whether the last of the rows is on the screen.
func (s *scroller) ended(rows []string) bool { return s.offset+s.page >= len(rows) }

// scroll handles the keys that read on and back; false for any other.
func (s *scroller) scroll(key string) bool {
	switch key {
	case "up", "k":
		s.offset--
	case "down", "j":
		s.offset++
	case "pgup":
		s.offset -= max(1, s.page)
	case "pgdown", "space":
		s.offset += max(1, s.page)
	default:
		return false
	}
	return true
}
