package transcript

import "iter"

// window is the part of the rows that is in sight.
type window struct {
	track
	position
	height int
}

// position is where the reader is.
type position struct {
	top    place // the first row in sight
	follow bool  // the end stays in sight as rows are added
	leftAt int   // the number of items when the reader left the end
}

// ready reports whether there is anything to show and room to show it.
func (w *window) ready() bool { return len(w.items()) > 0 && w.height > 0 }

// leave stops following the end.
func (w *window) unfollow() {
	if w.follow {
		w.follow, w.leftAt = false, len(w.items())
	}
}

// reposition moves the window to a place that exists, after rows have changed.
func (w *window) reposition() {
	if w.follow {
		w.bottom()
	} else {
		w.top = w.valid(w.top)
	}
}

// bottom shows the end.
func (w *window) bottom() { w.top = w.move(w.last(), -w.height) }

// relayout calls change, which may give segments more or fewer rows. The reader
// stays at the same share of the one at the top.
func (w *window) relayout(change func()) {
	if w.follow || len(w.items()) == 0 {
		change()
		return
	}
	w.top = w.valid(w.top)
	before := w.size(w.top)
	if change(); before > 0 && len(w.items()) > 0 {
		w.top.row = w.top.row * w.size(w.top) / before
	}
}

// fill scrolls up if there is room left below the end.
func (w *window) fill() {
	if w.room() < w.height {
		w.bottom()
	}
}

// room returns the number of rows from the top to the end, at most one more than
// the height. Rows further away are not made for that.
func (w *window) room() int { return w.upTo(place{item: len(w.items())}) }

// upTo returns the number of rows from the top to p, at most one more than the
// height.
func (w *window) upTo(p place) int { return w.between(w.top, p, w.height+1) }

// atEnd reports whether the end is in sight.
func (w *window) atEnd() bool { return !w.ready() || w.room() <= w.height }

// scroll moves by n rows, up if n < 0. It reports whether that reached the end.
func (w *window) scroll(n int) (end bool) {
	w.unfollow()
	w.top = w.move(w.top, n)
	return n > 0 && w.room() <= w.height
}

// tall reports whether an item is higher than the window.
func (w *window) tall(i int) bool { return w.between(w.start(i), w.end(i), w.height+1) > w.height }

// shows reports whether all of an item is in sight, or nothing but it.
func (w *window) shows(i int) bool {
	start, below := w.start(i), w.upTo(w.end(i))
	if w.tall(i) {
		return !w.top.before(start) && below >= w.height
	}
	return !start.before(w.top) && below <= w.height
}

// reveal scrolls as little as it takes to show all of an item, or if it is higher
// than the window, nothing but it.
func (w *window) reveal(i int) {
	start, below := w.start(i), w.upTo(w.end(i))
	high := w.tall(i)
	switch {
	case high && w.top.before(start), !high && start.before(w.top):
		w.top = start
	case high && below < w.height, !high && below > w.height:
		w.top = w.move(w.end(i), -w.height)
	}
}

// bring scrolls as little as it takes to show a row with some others around it.
func (w *window) bring(p place) {
	around := w.height / 4
	switch {
	case p.before(w.move(w.top, around)):
		w.top = w.move(p, -around)
	case w.upTo(place{p.item, p.seg, p.row + 1}) > w.height-around:
		w.top = w.move(p, around-w.height+1)
	}
	w.fill()
}

// visible yields the rows in sight, segment by segment, with the place of the
// first one.
func (w *window) visible() iter.Seq2[place, []string] {
	return func(yield func(place, []string) bool) {
		left := w.height
		for p, ok := w.top, w.ready(); ok && left > 0; p, ok = w.next(p) {
			rows := w.segment(p.item, p.seg)
			rows = rows[min(p.row, len(rows)):]
			rows = rows[:min(left, len(rows))]
			if !yield(p, rows) {
				return
			}
			left -= len(rows)
		}
	}
}

// seen returns the items that are at least partly in sight, from the top.
func (w *window) seen() (items []int) {
	for p, rows := range w.visible() {
		if n := len(items); len(rows) > 0 && (n == 0 || items[n-1] != p.item) && w.owner(place{p.item, p.seg, p.row + len(rows) - 1}) >= 0 {
			items = append(items, p.item)
		}
	}
	return items
}

// lastSeen returns the last item whose end is in sight, or else the last one that
// is partly in sight; -1 if there is none.
func (w *window) lastSeen() int {
	seen := w.seen()
	for n := len(seen) - 1; n >= 0; n-- {
		if w.upTo(w.end(seen[n])) <= w.height {
			return seen[n]
		}
	}
	if len(seen) == 0 {
		return -1
	}
	return seen[len(seen)-1]
}
