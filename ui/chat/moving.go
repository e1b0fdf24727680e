package chat

import (
	"slices"

	"parley/acpclient/thread"
)

// Following tells whether the view shows the end and goes along with it.
func (v *View) Following() bool { return v.window.follow }

// Below returns how many items came after the reader had left the end.
func (v *View) Below() (n int) {
	if v.window.follow {
		return 0
	}
	items := v.layout.thread.Items
	for _, it := range items[min(v.window.leftAt, len(items)):] {
		if !silent(it) {
			n++
		}
	}
	return n
}

// End returns to the end and follows it. While there is a selection the end is
// only shown.
func (v *View) End() {
	v.dirty = true
	if !v.selection.on {
		v.window.follow = true
	} else if v.window.ready() {
		v.window.bottom()
		v.selection.away = true
	}
}

// Home shows the beginning.
func (v *View) Home() {
	if len(v.window.items()) == 0 {
		return
	}
	v.window.leave()
	v.window.top, v.dirty, v.selection.away = place{}, true, true
}

// Page scrolls by pages, less two rows, down or (n < 0) up.
func (v *View) Page(n int) { v.Scroll(n * max(1, v.window.height-2)) }

// Ahead makes the page ready that is one further up (dir < 0) or down, while nobody
// waits for it. What is shown stays.
func (v *View) Ahead(dir int) {
	w := &v.window
	if v.Rows(); w.ready() && !w.follow {
		w.move(w.top, dir*w.height+max(0, dir)*w.height)
	}
}

// Scroll moves by n rows, up when n < 0. Scrolling down to the end follows it,
// unless there is a selection; that may be scrolled out of sight.
func (v *View) Scroll(n int) {
	v.Rows()
	if v.window.follow && n >= 0 || len(v.window.items()) == 0 {
		return
	}
	end := v.window.scroll(n)
	v.window.follow = end && !v.selection.on
	v.dirty, v.selection.away = true, true
}

// Tall counts the rows that there are at this width, as far as most.
func (v *View) Tall(width, most int) int {
	v.SetSize(width, v.window.height)
	return v.window.count(most)
}

// Select turns the selection on or off. It begins at the item that was selected
// before, where that is in sight, else at the last one that is. The view no
// longer follows the end while something is selected. Turning it off scrolls
// nothing; where the end is in sight, it is followed again.
func (v *View) Select(on bool) {
	if on == v.selection.on {
		return
	}
	v.Rows()
	v.dirty = true
	if !on {
		v.selection.on, v.selection.away, v.window.follow = false, false, v.window.atEnd()
		return
	}
	v.window.leave()
	v.selection.begin(&v.window)
}

// Selected returns the selected item; nil where there is none.
func (v *View) Selected() *thread.Item {
	v.Rows()
	if i := v.selection.item; v.selection.on && i >= 0 {
		return v.layout.thread.Items[i]
	}
	return nil
}

// SelectItem selects an item by its index, and turns the selection on. An item
// without rows cannot be selected.
func (v *View) SelectItem(index int) {
	if !v.window.ready() || index < 0 || index >= len(v.window.items()) || !v.window.hasRows(index) {
		return
	}
	v.Select(true)
	v.selection.choose(index)
	v.dirty = true
}

// Step moves the selection, if there is one.
func (v *View) Step(by Step) {
	if v.Selected() != nil && len(v.window.items()) > 0 {
		v.selection.step(&v.window, by)
		v.dirty = true
	}
}

// ItemAt returns the item that a visible row belongs to, the topmost row being
// 0. Rows between items belong to none.
func (v *View) ItemAt(row int) (index int, ok bool) {
	v.Rows()
	if row < 0 || row >= len(v.places) {
		return 0, false
	}
	i := v.window.owner(v.places[row])
	return max(0, i), i >= 0
}

// FirstInSight is the index of the first item that can be seen; 0 where there is
// none.
func (v *View) FirstInSight() int {
	v.Rows()
	return append(v.window.seen(), 0)[0]
}

// Toggle opens the selected item, or closes it. It returns false where it looks
// the same open and closed.
func (v *View) Toggle() bool {
	it := v.Selected()
	return it != nil && v.toggle(it.Index)
}

// toggle opens or closes an item.
func (v *View) toggle(i int) bool {
	w := &v.window
	hidden := w.start(i).before(w.top)
	if !v.layout.toggle(i) {
		return false
	}
	if hidden {
		w.top = w.start(i)
	}
	if v.selection.on {
		v.selection.choose(i)
	}
	v.dirty = true
	return true
}

// ToggleAt opens or closes the item whose first row is at a visible row; false
// where there is none, or nothing that a click there is for. Messages of the
// agent are closed with keys only.
func (v *View) ToggleAt(row int) bool {
	w := &v.window
	v.Rows()
	if row < 0 || row >= len(v.places) || v.places[row].seg != 0 || v.places[row] != w.start(v.places[row].item) {
		return false
	}
	i := v.places[row].item
	if !v.layout.pen(w.items()[i]).clickable() {
		return false
	}
	followed, top := w.follow, w.top
	w.leave()
	ok := v.toggle(i)
	if !followed {
		v.followEnd()
		return ok
	}
	// The end is followed on, unless that would push the line out of sight.
	w.follow = true
	if w.bottom(); w.start(i).before(w.top) {
		w.follow, w.top = false, top
	}
	return ok
}

// followEnd follows the end where that can be seen.
func (v *View) followEnd() {
	if w := &v.window; !w.follow && !v.selection.on && w.ready() {
		w.follow = w.atEnd()
	}
}

// DragFrom begins to select text at a cell of the visible rows.
func (v *View) DragFrom(row, cell int) {
	at, ok := v.pointAt(row, cell)
	v.drag = drag{on: ok, anchor: at, head: at}
	v.dirty = true
}

// DragTo selects up to a cell of the visible rows, that one included. The end is
// no longer followed: what is selected stays under the pointer.
func (v *View) DragTo(row, cell int) {
	if at, ok := v.pointAt(row, cell); ok && v.drag.on {
		v.window.leave()
		v.drag.head, v.dirty = at, true
	}
}

// pointAt is the character in a cell of the visible rows; rows above and below
// are the first and the last one.
func (v *View) pointAt(row, cell int) (point, bool) {
	v.Rows()
	last := len(v.places) - 1
	switch {
	case last < 0:
		return point{}, false
	case row < 0:
		row, cell = 0, 0
	case row > last:
		row, cell = last, unwrapped
	}
	return pointAt(v.window.track, v.places[row], cell)
}

// Undrag selects no text any more; where the end is in sight it is followed.
func (v *View) Undrag() {
	if !v.drag.on {
		return
	}
	v.drag, v.dirty = drag{}, true
	v.followEnd()
}

// DraggedText is the text that is selected: without indents, bars and what was
// wrapped; a message of which all is selected as it was written.
func (v *View) DraggedText() string {
	if !v.window.ready() {
		return ""
	}
	return v.drag.text(v.window.track)
}

// Mark marks what matches a text in all rows, "" nothing.
func (v *View) Mark(text string) {
	v.finding, v.layout.peek, v.dirty = newFinding(text), 0, true
}

// Show selects the item of a match and scrolls to it. What is closed is opened
// for as long as a match in it is shown. It returns false where the match is in
// what is not shown of the item: then the item is selected all the same.
func (v *View) Show(h Hit) bool {
	l, t := v.layout, v.window.track
	if !v.window.ready() || h.item >= len(t.items()) {
		return false
	}
	if cutShort(t.items()[h.item], h) {
		l.peek = h.item + 1
	} else if l.peek != h.item+1 {
		l.peek = 0
	}
	at, ok := v.finding.locate(t, h)
	if !ok && l.peek == 0 {
		l.peek = h.item + 1
		if at, ok = v.finding.locate(t, h); !ok {
			l.peek = 0 // it would show nothing
		}
	}
	v.finding.now.n, v.dirty = -1, true
	v.SelectItem(h.item)
	v.selection.choose(h.item)
	if ok {
		v.finding.now = at
		v.bringMatch()
	}
	return ok
}

// matchSeen tells whether the match that was gone to is in sight.
func (v *View) matchSeen() bool {
	if v.finding.query.text == "" || !v.window.ready() {
		return false
	}
	v.Rows()
	p, ok := v.finding.place(v.window.track)
	return ok && slices.Contains(v.places, p)
}

// bringMatch has it in sight.
func (v *View) bringMatch() {
	w := &v.window
	if p, ok := v.finding.place(w.track); ok && w.ready() {
		w.settle()
		v.selection.settle(w)
		w.bring(p)
		v.selection.away, v.dirty = true, true
	}
}

// Place is where the reader is, and what is selected.
type Place struct {
	position
	selection
}

// Here is where the reader is.
func (v *View) Here() Place { return Place{v.window.position, v.selection} }

// Back goes where the reader has been.
func (v *View) Back(p Place) { v.window.position, v.selection, v.dirty = p.position, p.selection, true }
