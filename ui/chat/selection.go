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

// Step is one way in which the selection moves.
type Step int

// The steps. Next and Previous go through an item that is higher than the page by
// rows, until its end is in sight. Half pages scroll, and the selection goes no
// further than it must to be in sight; at the end, and at the beginning, it goes to
// the last item or the first.
const (
	Next Step = iota
	Previous
	NextPrompt // of the user; where there is none the selection stays
	PreviousPrompt
	First // and shows the beginning
	Last  // and shows the end
	HalfPageDown
	HalfPageUp
	ToTop // scrolls, so that what is selected stands at the top where there is enough below it
)

// step moves the selection.
func (s *selection) step(w *window, by Step) {
	switch by {
	case Next:
		s.next(w, 1)
	case Previous:
		s.next(w, -1)
	case NextPrompt:
		s.nextPrompt(w, 1)
	case PreviousPrompt:
		s.nextPrompt(w, -1)
	case First:
		w.top = place{}
		s.choose(w.neighbour(-1, 1))
	case Last:
		w.bottom()
		s.choose(w.neighbour(len(w.items()), -1))
	case HalfPageDown:
		s.halfPage(w, 1)
	case HalfPageUp:
		s.halfPage(w, -1)
	case ToTop:
		w.top = w.start(s.item)
		w.fill()
		s.away = true
	}
}

func (s *selection) next(w *window, dir int) {
	if i := s.item; w.tall(i) && slices.Contains(w.seen(), i) &&
		(dir > 0 && w.upTo(w.behind(i)) > w.height || dir < 0 && w.start(i).before(w.top)) {
		w.top = w.move(w.top, dir)
		s.choose(i)
		return
	}
	s.choose(w.neighbour(s.item, dir))
}

func (s *selection) nextPrompt(w *window, dir int) {
	i := w.neighbour(s.item, dir)
	for i >= 0 && w.items()[i].Kind != thread.UserMessage {
		i = w.neighbour(i, dir)
	}
	s.choose(i)
}

func (s *selection) halfPage(w *window, dir int) {
	before := w.top
	w.top = w.move(w.top, dir*max(1, w.height/2))
	s.away = true
	s.settle(w)
	switch {
	case w.top != before:
		s.choose(s.nearest(w, dir > 0))
	case dir < 0:
		s.step(w, First)
	default:
		s.step(w, Last)
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
