package transcript

import (
	"slices"
	"strings"

	"parley/acpclient/thread"
	"parley/ui/theme"
)

// selection is the item that keys act upon. It is an item and not a row, so it
// stays the same whatever is added or changes size. The window follows it.
type selection struct {
	on   bool
	item int  // -1: none
	away bool // the reader has scrolled: it may be out of sight until it moves
}

// bar marks the rows of the selected item. It differs from the bar of a prompt, so
// that it can be told apart without colour.
const bar = "┃"

// begin turns the selection on: at the item that was selected before if that is in
// sight, else at the last one that is.
func (s *selection) begin(w *window) {
	s.on, s.away = true, false
	if !slices.Contains(w.seen(), s.item) {
		s.item = w.lastSeen()
	}
}

// reposition selects an item that exists, after rows have changed, and scrolls to it.
func (s *selection) reposition(w *window) {
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

// choose selects an item, unless it is -1, and has reposition scroll to it.
func (s *selection) choose(item int) {
	if item >= 0 {
		s.item = item
	}
	s.away = false
}

// Step is a movement of the selection.
type Step int

// The steps. Next and Previous scroll through an item that is higher than the page
// before they leave it. Half pages scroll, and move the selection only as far as it
// takes to stay in sight; at the end and at the beginning they select the last item
// or the first.
const (
	Next Step = iota
	Previous
	NextPrompt     // the selection stays if there is none
	PreviousPrompt // the selection stays if there is none
	First          // also shows the beginning
	Last           // also shows the end
	HalfPageDown
	HalfPageUp
	ToTop // scrolls the selected item to the top of the page if enough follows it
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
		(dir > 0 && w.upTo(w.end(i)) > w.height || dir < 0 && w.start(i).before(w.top)) {
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
	s.reposition(w)
	switch {
	case w.top != before:
		s.choose(s.nearest(w, dir > 0))
	case dir < 0:
		s.step(w, First)
	default:
		s.step(w, Last)
	}
}

// nearest returns the selected item if the window shows it, else the first item
// that it shows, from the top or from the bottom.
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

// paint puts the bar into the first cell of an item's rows, which is blank or the
// bar of a prompt.
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
