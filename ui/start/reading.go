package start

import (
	"time"

	"parley/ui/layer"
)

// reading is a text that scrolls, and must have been on the screen, all of it, before a key can answer it.
type reading struct {
	offset  int       // first row on the screen
	page    int       // number of rows on the screen
	width   int       // their width
	seen    int       // number of rows from the first that have been on the screen, without a gap
	read    bool      // all rows have been on the screen
	shownAt time.Time // when it was first on the screen
}

// key scrolls.
func (r *reading) key(name string) {
	switch name {
	case "up", "k":
		r.offset = max(0, r.offset-1)
	case "down", "j":
		r.offset++
	case "pgup":
		r.offset = max(0, r.offset-max(1, r.page))
	case "pgdown", "space":
		r.offset += max(1, r.page)
	}
}

// saw notes which rows have been on the screen.
func (r *reading) saw(now time.Time, width, rows, page int) {
	if r.shownAt.IsZero() {
		r.shownAt = now
	}
	r.offset, r.seen = r.sight(width, rows, page)
	r.width, r.page = width, page
	r.read = r.read || r.seen >= rows
}

// sight returns the first row on the screen, and how many rows have been on it, after a
// frame of that size. Another width starts again at the top unless all was read.
func (r *reading) sight(width, rows, page int) (offset, seen int) {
	offset, seen = min(r.offset, max(0, rows-page)), r.seen
	if width != r.width && !r.read {
		offset, seen = 0, 0
	}
	if offset <= seen {
		seen = max(seen, offset+page)
	}
	return offset, seen
}

// answerable reports whether all of it has been on the screen, and for so long that a key can be an answer to it.
func (r *reading) answerable(now time.Time) bool {
	return r.read && now.Sub(r.shownAt) >= layer.Quiet
}
