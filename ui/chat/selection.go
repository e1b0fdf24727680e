package chat

import (
	"slices"
	"strings"

	"parley/acpclient/thread"
)

// selection is the item that keys act upon. Like the place of the reader it is
// an item and not a row, so it stays where it is whatever comes or changes size.
type selection struct {
	on   bool
	item int  // -1: none
	away bool // the reader has scrolled; until the selection moves it may be out of sight
}

// bar marks the rows of the selected item. It is not the user's own bar, so that
// it reads without colour.
const bar = "┃"

// Select turns the selection on or off. It begins at the item that was selected
// before, where that is in sight, else at the last one that is. The view no
// longer follows the end while something is selected. Turning it off scrolls
// nothing; where the end is in sight, it is followed again.
func (v *View) Select(on bool) {
	if on == v.selection.on {
		return
	}
	end := v.AtEnd()
	v.selection.on, v.selection.away, v.dirty = on, false, true
	if !on {
		v.follow = end
		return
	}
	v.leave()
	if i := v.selection.item; i < 0 || !slices.Contains(v.owners, i) {
		v.selection.item = v.lastInSight()
	}
}

// Selecting tells whether the selection is on. There may be nothing to select.
func (v *View) Selecting() bool { return v.selection.on }

// Selected returns the selected item; nil where there is none.
func (v *View) Selected() *thread.Item {
	v.Rows()
	if i := v.selection.item; v.selection.on && i >= 0 {
		return v.thread.Items[i]
	}
	return nil
}

// SelectItem selects an item by its index, and turns the selection on. An item
// without rows cannot be selected.
func (v *View) SelectItem(index int) {
	if !v.ready() || index < 0 || index >= len(v.thread.Items) || !v.hasRows(index) {
		return
	}
	v.Select(true)
	v.settleOn(index)
}

// SelectFirst selects the first item and shows the beginning.
func (v *View) SelectFirst() {
	if v.Selected() == nil {
		return
	}
	v.top = place{}
	v.settleOn(v.neighbour(-1, 1))
}

// SelectLast selects the last item and shows the end.
func (v *View) SelectLast() {
	if v.Selected() == nil {
		return
	}
	v.top = v.move(v.last(), -v.height)
	v.settleOn(v.neighbour(len(v.thread.Items), -1))
}

// settleOn selects an item, unless it is none, and brings it into sight.
func (v *View) settleOn(item int) {
	if item >= 0 {
		v.selection.item = item
	}
	v.selection.away, v.dirty = false, true
}

// Move selects the n-th item after the selected one, or before it (n < 0). Each
// step through an item that is higher than the page scrolls it by a row, until
// its end is in sight.
func (v *View) Move(n int) {
	for ; n > 0; n-- {
		v.step(1)
	}
	for ; n < 0; n++ {
		v.step(-1)
	}
}

func (v *View) step(dir int) {
	if v.Selected() == nil {
		return
	}
	i := v.selection.item
	if slices.Contains(v.owners, i) && v.height < v.rowsOf(i) {
		if dir > 0 && v.between(v.top, v.behind(i)) > v.height || dir < 0 && v.start(i).before(v.top) {
			v.top = v.move(v.top, dir)
			v.settleOn(i)
			return
		}
	}
	v.settleOn(v.neighbour(i, dir))
}

// MovePrompt selects the n-th prompt of the user after the selected item, or
// before it (n < 0); where there is none the selection stays.
func (v *View) MovePrompt(n int) {
	if v.Selected() == nil {
		return
	}
	dir := 1
	if n < 0 {
		dir, n = -1, -n
	}
	for i := v.selection.item; n > 0; n-- {
		i = v.neighbour(i, dir)
		for i >= 0 && v.thread.Items[i].Kind != thread.UserMessage {
			i = v.neighbour(i, dir)
		}
		if i < 0 {
			break
		}
		v.settleOn(i)
	}
	v.settleOn(-1)
}

// MoveHalfPage scrolls by n half pages, up when n < 0, and takes the selection
// along: it goes no further than it must to be in sight. At the end, and at the
// beginning, it goes to the last item or the first.
func (v *View) MoveHalfPage(n int) {
	if n == 0 || v.Selected() == nil {
		return
	}
	before := v.top
	v.top = v.move(v.top, n*max(1, v.height/2))
	v.fill()
	v.selection.away, v.dirty = true, true
	v.Rows()
	switch {
	case v.top == before && n < 0:
		v.SelectFirst()
	case v.top == before:
		v.SelectLast()
	default:
		v.settleOn(v.nearest(n > 0))
	}
}

// nearest is the selected item where all of it is in sight, or as much as fits;
// else the first such item from the top, or from the bottom.
func (v *View) nearest(fromTop bool) int {
	if v.inSight(v.selection.item) {
		return v.selection.item
	}
	owners := slices.Clone(v.owners)
	if !fromTop {
		slices.Reverse(owners)
	}
	for n, i := range owners {
		if i >= 0 && (n == 0 || owners[n-1] != i) && v.inSight(i) {
			return i
		}
	}
	return v.lastInSight()
}

// inSight tells whether all of an item can be seen, or nothing but it.
func (v *View) inSight(i int) bool {
	start, behind := v.start(i), v.behind(i)
	if v.rowsOf(i) > v.height {
		return !v.top.before(start) && v.between(v.top, behind) >= v.height
	}
	return !start.before(v.top) && v.between(v.top, behind) <= v.height
}

// ItemAt returns the item that a visible row belongs to, the topmost row being
// 0. Rows between items belong to none.
func (v *View) ItemAt(row int) (index int, ok bool) {
	v.Rows()
	if row < 0 || row >= len(v.owners) || v.owners[row] < 0 {
		return 0, false
	}
	return v.owners[row], true
}

// lastInSight is the last item whose end can be seen, or else of which anything
// can; -1 where nothing is shown.
func (v *View) lastInSight() int {
	last := -1
	for n := len(v.owners) - 1; n >= 0; n-- {
		i := v.owners[n]
		if i < 0 || i == last {
			continue
		}
		if v.between(v.top, v.behind(i)) <= v.height {
			return i
		}
		last = max(last, i)
	}
	return last
}

// neighbour is the next item with rows in a direction, -1 where there is none.
func (v *View) neighbour(i, dir int) int {
	for i += dir; i >= 0 && i < len(v.thread.Items); i += dir {
		if v.hasRows(i) {
			return i
		}
	}
	return -1
}

func (v *View) hasRows(i int) bool {
	if v.thread.Items[i].Blank() {
		return false
	}
	for k := range v.segments(i) {
		if len(v.segment(i, k)) > 0 {
			return true
		}
	}
	return false
}

// keepInSight scrolls as little as it takes to have all of the selected item in
// sight, or where it is higher than the page, nothing but it.
func (v *View) keepInSight() {
	s := &v.selection
	if s.item < 0 {
		s.item = v.neighbour(len(v.thread.Items), -1)
	} else if !v.hasRows(s.item) { // it was emptied, or is hidden at this density
		i := v.neighbour(s.item, 1)
		if i < 0 {
			i = v.neighbour(s.item, -1)
		}
		s.item = i
	}
	if s.item >= 0 && !s.away {
		v.reveal(s.item)
	}
	v.fill()
}

func (v *View) reveal(i int) {
	start, behind := v.start(i), v.behind(i)
	high := v.rowsOf(i) > v.height
	switch {
	case high && v.top.before(start), !high && start.before(v.top):
		v.top = start
	case high && v.between(v.top, behind) < v.height, !high && v.between(v.top, behind) > v.height:
		v.top = v.move(behind, -v.height)
	}
}

// fill scrolls up where there is room left below the end.
func (v *View) fill() {
	if v.room(v.top) < v.height {
		v.top = v.move(v.last(), -v.height)
	}
}

// start is the first row of an item, behind the blank one before it.
func (v *View) start(i int) place { return place{i, 0, v.gap(i)} }

// behind is the place behind the last row of an item.
func (v *View) behind(i int) place {
	k := v.segments(i) - 1
	return place{i, k, len(v.segment(i, k))}
}

// gap counts the blank rows before an item that are made with its own.
func (v *View) gap(i int) int {
	if len(v.segment(i, 0)) > 0 && v.entries[i].parted {
		return 1
	}
	return 0
}

// rowsOf counts the rows of an item, as far as one more than the height.
func (v *View) rowsOf(i int) int { return v.between(v.start(i), v.behind(i)) }

// between counts the rows from a place to a later one, as far as one more than
// the height; 0 where it is not later.
func (v *View) between(from, to place) int {
	if !from.before(to) {
		return 0
	}
	n := -from.row
	for p := from; n <= v.height; {
		if p.item == to.item && p.seg == to.seg {
			n += to.row
			break
		}
		n += len(v.segment(p.item, p.seg))
		next, ok := v.next(p)
		if !ok {
			break
		}
		p = next
	}
	return min(n, v.height+1)
}

func (p place) before(q place) bool {
	if p.item != q.item {
		return p.item < q.item
	}
	if p.seg != q.seg {
		return p.seg < q.seg
	}
	return p.row < q.row
}

// mark puts the bar of the selection into the first cell of rows, which is blank
// or the bar of the user's words.
func (v *View) mark(rows []string) {
	sign := v.th.Accent.Paint(bar)
	for n, row := range rows {
		for _, cell := range []string{" ", v.th.UserBar.Paint(userBar)} {
			if rest, ok := strings.CutPrefix(row, cell); ok || row == "" {
				rows[n] = sign + rest
				break
			}
		}
	}
}
