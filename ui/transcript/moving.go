package transcript

import (
	"slices"

	"parley/acpclient/thread"
)

// Following reports whether the end stays in sight as rows are added.
func (v *View) Following() bool { return v.window.follow }

// NewItems returns how many items were added since the reader left the end.
func (v *View) NewItems() (n int) {
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

// End shows the end, and follows it unless there is a selection.
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
	v.window.unfollow()
	v.window.top, v.dirty, v.selection.away = place{}, true, true
}

// Page scrolls by pages, less two rows, down or (n < 0) up.
func (v *View) Page(n int) { v.Scroll(n * max(1, v.window.height-2)) }

// PreparePage makes the rows of the next page up (dir < 0) or down, so that they are ready
// when it is turned to.
func (v *View) PreparePage(dir int) {
	w := &v.window
	if v.Rows(); w.ready() && !w.follow {
		w.move(w.top, dir*w.height+max(0, dir)*w.height)
	}
}

// Scroll moves by n rows, up if n < 0. Scrolling down to the end follows it, unless
// there is a selection. The selection may be scrolled out of sight.
func (v *View) Scroll(n int) {
	v.Rows()
	if v.window.follow && n >= 0 || len(v.window.items()) == 0 {
		return
	}
	end := v.window.scroll(n)
	v.window.follow = end && !v.selection.on
	v.dirty, v.selection.away = true, true
}

// CountRows returns the number of all rows at this width, at most most.
func (v *View) CountRows(width, most int) int {
	v.SetSize(width, v.window.height)
	return v.window.count(most)
}

// Select turns the selection on or off. It begins at the item that was selected
// before if that is in sight, else at the last one that is. The end is not followed
// while something is selected. Turning it off does not scroll; if the end is in
// sight, it is followed again.
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
	v.window.unfollow()
	v.selection.begin(&v.window)
}

// Selected returns the selected item; nil if there is none.
func (v *View) Selected() *thread.Item {
	v.Rows()
	if i := v.selection.item; v.selection.on && i >= 0 {
		return v.layout.thread.Items[i]
	}
	return nil
}

// SelectItem turns the selection on at an item, unless that has no rows. A group
// that it is folded into is opened.
func (v *View) SelectItem(index int) {
	if !v.window.ready() || index < 0 || index >= len(v.window.items()) {
		return
	}
	if !v.window.hasRows(index) && !v.layout.openGroup(index) {
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

// ItemAt returns the index of the item that visible row row belongs to, counted from
// the top. Rows between items belong to none.
func (v *View) ItemAt(row int) (index int, ok bool) {
	v.Rows()
	if row < 0 || row >= len(v.places) {
		return 0, false
	}
	i := v.window.owner(v.places[row])
	return max(0, i), i >= 0
}

// EndInSight reports whether the last item with rows is in sight.
func (v *View) EndInSight() bool {
	for row := len(v.Rows()) - 1; row >= 0; row-- {
		if i, ok := v.ItemAt(row); ok {
			return !slices.ContainsFunc(v.layout.thread.Items[i+1:], func(it *thread.Item) bool { return it.Kind != thread.TurnEnd && v.window.hasRows(it.Index) })
		}
	}
	return false
}

// FirstInSight returns the index of the first item in sight; 0 if there is none.
func (v *View) FirstInSight() int {
	v.Rows()
	return append(v.window.seen(), 0)[0]
}

// Toggle opens or closes the selected item. It returns false if that looks the same
// either way.
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

// HeadAt returns the item whose first row is visible row row; nil if there is none.
func (v *View) HeadAt(row int) *thread.Item {
	v.Rows()
	if row < 0 || row >= len(v.places) || v.places[row] != v.window.start(v.places[row].item) {
		return nil
	}
	return v.window.items()[v.places[row].item]
}

// Empty reports whether there is nothing to show.
func (v *View) Empty() bool { return len(v.layout.thread.Items) == 0 }

// ToggleAt opens or closes the item whose first row is visible row row. It returns
// false if there is none or a click does nothing to it: messages of the agent are
// closed with keys only.
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
	w.unfollow()
	ok := v.toggle(i)
	if !followed {
		v.followEnd()
		return ok
	}
	// The end is still followed, unless that would push the clicked row out of sight.
	w.follow = true
	if w.bottom(); w.start(i).before(w.top) {
		w.follow, w.top = false, top
	}
	return ok
}

// followEnd follows the end if it is in sight.
func (v *View) followEnd() {
	if w := &v.window; !w.follow && !v.selection.on && w.ready() {
		w.follow = w.atEnd()
	}
}

// DragFrom starts to select text at a cell of the visible rows.
func (v *View) DragFrom(row, cell int) {
	at, ok := v.pointAt(row, cell)
	v.drag = drag{on: ok, anchor: at, head: at}
	v.dirty = true
}

// DragTo selects text up to and including a cell of the visible rows. The end is no
// longer followed, so that the text stays under the pointer.
func (v *View) DragTo(row, cell int) {
	if at, ok := v.pointAt(row, cell); ok && v.drag.on {
		v.window.unfollow()
		v.drag.head, v.dirty = at, true
	}
}

// pointAt returns the character in a cell of the visible rows. Rows above and below
// them count as the first and the last one.
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
	return pointAt(v.window.rows, v.places[row], cell)
}

// ClearDrag drops the selected text, and follows the end if it is in sight.
func (v *View) ClearDrag() {
	if !v.drag.on {
		return
	}
	v.drag, v.dirty = drag{}, true
	v.followEnd()
}

// DraggedText returns the text selected with the mouse, without indents, bars and
// wrapping. A message that is selected as a whole is returned as it was written.
func (v *View) DraggedText() string {
	if !v.window.ready() {
		return ""
	}
	return v.drag.text(v.window.track)
}

// Mark highlights the matches of a text; none for "".
func (v *View) Mark(text string) {
	v.finding, v.layout.peek, v.dirty = newFinding(text), 0, true
}

// Show selects the item of a match and scrolls to the match. If need be the item is
// open for as long as a match in it is shown. Show returns false if the match is in a
// part of the item that has no rows; the item is selected anyway.
func (v *View) Show(h Hit) bool {
	l, t := v.layout, v.window.rows
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

// matchSeen reports whether the current match is in sight.
func (v *View) matchSeen() bool {
	if v.finding.query.text == "" || !v.window.ready() {
		return false
	}
	v.Rows()
	p, ok := v.finding.place(v.window.rows)
	return ok && slices.Contains(v.places, p)
}

// bringMatch scrolls to the current match.
func (v *View) bringMatch() {
	w := &v.window
	if p, ok := v.finding.place(w.rows); ok && w.ready() {
		w.reposition()
		v.selection.reposition(w)
		w.bring(p)
		v.selection.away, v.dirty = true, true
	}
}

// Place is the reader's position and selection.
type Place struct {
	position
	selection
}

// Place returns where the reader is.
func (v *View) Place() Place { return Place{v.window.position, v.selection} }

// ReturnTo goes back to a place.
func (v *View) ReturnTo(p Place) {
	v.window.position, v.selection, v.dirty = p.position, p.selection, true
}
