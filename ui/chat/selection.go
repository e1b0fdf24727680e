package chat

import (
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/ui/theme"
)

// selection is the item that keys act upon. Like the place of the reader it is
// an item and not a row, so it stays where it is whatever comes or changes size.
// The window goes where it goes.
type selection struct {
	on   bool
	item int  // -1: none
	away bool // the reader has scrolled; until the selection moves it may be out of sight
}

// bar marks the rows of the selected item. It is not the user's own bar, so that
// it reads without colour.
const bar = "┃"

// begin turns the selection on, at the item that was selected before where that is
// in sight, else at the last one that is.
func (s *selection) begin(w *window) {
	s.on, s.away = true, false
	if !slices.Contains(w.seen(), s.item) {
		s.item = w.lastSeen()
	}
}

// settle brings the selection to an item that there is, and the window to it.
func (s *selection) settle(w *window) {
	if s.item < 0 {
		s.item = w.neighbour(len(w.items()), -1)
	} else if !w.hasRows(s.item) { // it was emptied, or is hidden at this density
		i := w.neighbour(s.item, 1)
		if i < 0 {
			i = w.neighbour(s.item, -1)
		}
		s.item = i
	}
	if s.item >= 0 && !s.away {
		w.reveal(s.item)
	}
	w.fill()
}

// choose selects an item, unless it is none, to be brought into sight.
func (s *selection) choose(item int) {
	if item >= 0 {
		s.item = item
	}
	s.away = false
}

// first selects the first item and shows the beginning.
func (s *selection) first(w *window) {
	w.top = place{}
	s.choose(w.neighbour(-1, 1))
}

// last selects the last item and shows the end.
func (s *selection) last(w *window) {
	w.bottom()
	s.choose(w.neighbour(len(w.items()), -1))
}

// step selects the next item in a direction. An item that is higher than the
// window is scrolled through first, by a row.
func (s *selection) step(w *window, dir int) {
	if i := s.item; w.tall(i) && slices.Contains(w.seen(), i) &&
		(dir > 0 && w.upTo(w.behind(i)) > w.height || dir < 0 && w.start(i).before(w.top)) {
		w.top = w.move(w.top, dir)
		s.choose(i)
		return
	}
	s.choose(w.neighbour(s.item, dir))
}

// stepPrompt selects the next prompt of the user in a direction; where there is
// none the selection stays.
func (s *selection) stepPrompt(w *window, dir int) {
	i := w.neighbour(s.item, dir)
	for i >= 0 && w.items()[i].Kind != thread.UserMessage {
		i = w.neighbour(i, dir)
	}
	s.choose(i)
}

// halfPage scrolls by n half pages, up when n < 0, and takes the selection along:
// it goes no further than it must to be in sight. At the end, and at the
// beginning, it goes to the last item or the first.
func (s *selection) halfPage(w *window, n int) {
	before := w.top
	w.top = w.move(w.top, n*max(1, w.height/2))
	s.away = true
	s.settle(w)
	switch {
	case w.top == before && n < 0:
		s.first(w)
	case w.top == before:
		s.last(w)
	default:
		s.choose(s.nearest(w, n > 0))
	}
}

// nearest is the selected item where the window shows it; else the first such item
// from the top, or from the bottom.
func (s *selection) nearest(w *window, fromTop bool) int {
	if w.shows(s.item) {
		return s.item
	}
	seen := w.seen()
	if !fromTop {
		slices.Reverse(seen)
	}
	if n := slices.IndexFunc(seen, w.shows); n >= 0 {
		return seen[n]
	}
	return w.lastSeen()
}

// paint puts the bar of the selection into the first cell of rows of an item,
// which is blank or the bar of the user's words.
func (s *selection) paint(item int, rows []string, th *theme.Theme) {
	if !s.on || item != s.item {
		return
	}
	sign := th.Accent.Paint(bar)
	for n, row := range rows {
		for _, cell := range []string{" ", th.UserBar.Paint(userBar)} {
			if rest, ok := strings.CutPrefix(row, cell); ok || row == "" {
				rows[n] = sign + rest
				break
			}
		}
	}
}
