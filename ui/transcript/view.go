// Package transcript shows a conversation: it turns the items of a thread into rows
// and keeps the reader's place in them.
//
// The layout cuts an item into segments: a message into its blocks, a long text
// that was opened into pieces; everything else is one segment. It makes the rows of
// a segment when they first come into sight, and keeps them as long as what they
// were made of stays the same.
//
// Four types work on these rows, which they know only by the interface rows: the
// window is the part in sight, the selection the item that keys act upon, a drag
// the text selected with the mouse, a finding the matches of a search. Their places
// are items, segments and rows or characters in them, never row numbers of the
// whole transcript. So nothing out of sight has to be measured, and nothing moves
// when something above it changes.
//
// A View connects them, and belongs to the screen's goroutine. Written hands the
// same rows to the terminal's own scrollback.
package transcript

import (
	"slices"
	"time"

	"parley/acpclient/thread"
	"parley/ui/theme"
)

// View is the transcript of one thread.
type View struct {
	layout    *layout
	width     int
	window    window
	selection selection
	drag      drag
	finding   finding
	searched  searched

	rows    []string
	places  []place // where each of rows is from
	dirty   bool    // rows must be made again
	wasBusy bool    // layout.busy when rows were made
	frames  int     // drawn so far, for tests that count work
}

// New returns a view of t that follows its end. cwd shortens paths.
func New(t *thread.Thread, cwd string, th *theme.Theme) *View {
	l := newLayout(t, cwd, th)
	return &View{layout: l, window: window{track: track{l}, position: position{follow: true}}, selection: selection{item: -1}, dirty: true}
}

// SetAgent sets the function that names the agent.
func (v *View) SetAgent(name func() string) { v.layout.agent = name }

// CopyFor returns a view of t at the same place as v that has drawn nothing yet. t is
// v's own thread or one made of the same events. Tests use it to compare cached rows
// with new ones.
func (v *View) CopyFor(t *thread.Thread) *View {
	f := *v
	f.layout = v.layout.afresh(t)
	f.window.track = track{f.layout}
	f.searched, f.rows, f.places, f.dirty = searched{}, nil, nil, true
	return &f
}

// Frame returns a copy of the view to draw one frame with. What drawing moves is moved
// in the copy only, until CommitFrame.
func (v *View) Frame() *View {
	f := *v
	return &f
}

// CommitFrame adopts what drawing a frame has moved, now that it is on the screen.
func (v *View) CommitFrame(f *View) { *v = *f }

// Size returns the size, in cells.
func (v *View) Size() (width, height int) { return v.width, v.window.height }

// SetSize sets the size, in cells. The rows that were in sight stay in sight.
func (v *View) SetSize(width, height int) {
	v.layout.setWidth(v.width) // a frame that was not shown may have left another one
	if width == v.width && height == v.window.height {
		return
	}
	if v.matchSeen() {
		defer v.bringMatch()
	}
	v.dirty, v.window.height = true, height
	if width != v.width {
		v.width = width
		v.window.relayout(func() { v.layout.setWidth(width) })
	}
}

// SetTheme changes the colours. Rows are made again when they come into sight.
func (v *View) SetTheme(th *theme.Theme) {
	v.layout.setTheme(th)
	v.dirty = true
}

// Density returns how much is shown.
func (v *View) Density() Density { return v.layout.density }

// SetDensity changes how much is shown of every item, also of those that were opened
// or closed one by one.
func (v *View) SetDensity(d Density) {
	v.layout.density, v.layout.choices, v.layout.unfold = d, nil, nil
	v.dirty = true
}

// Changed must be called when the thread has changed items. The cost does not depend
// on how many there are.
func (v *View) Changed(items []int) { v.dirty = v.dirty || len(items) > 0 }

// Tick moves spinners and clocks; it makes the view draw again only when
// something live is on it.
func (v *View) Tick(now time.Time) {
	v.layout.tick(now)
	items := v.layout.items()
	v.dirty = v.dirty || slices.ContainsFunc(v.places, func(p place) bool { return p.item < len(items) && v.layout.entry(p.item).key.live })
}

// Rows returns the visible rows, at most the height. The slice is valid until
// the next call of a method.
func (v *View) Rows() []string {
	if busy := v.layout.busy(); v.dirty || busy != v.wasBusy {
		v.dirty, v.wasBusy = false, busy
		v.reposition()
		v.draw()
		v.layout.evict(v.window.top, v.window.height)
	}
	return v.rows
}

// reposition moves the window and the selection to valid places.
func (v *View) reposition() {
	w := &v.window
	if !w.ready() {
		return
	}
	if !w.follow {
		w.reposition()
		if v.selection.on {
			v.selection.reposition(w)
			return
		}
		w.follow = w.room() < w.height
	}
	w.reposition()
}

// draw makes the rows in sight.
func (v *View) draw() {
	v.frames++
	v.rows, v.places = make([]string, 0, v.window.height), make([]place, 0, v.window.height) // another frame may share the old ones
	w, th := &v.window, v.layout.th
	for p, rows := range w.visible() {
		from := len(v.rows)
		v.rows = append(v.rows, rows...)
		for n := range rows {
			v.places = append(v.places, place{p.item, p.seg, p.row + n})
		}
		rows = v.rows[from:]
		own := rows
		if len(rows) > 0 && w.owner(p) < 0 {
			own = rows[1:]
		}
		v.selection.paint(p.item, own, th) // first: it looks for the bar of a prompt
		v.finding.paint(w.rows, p, rows, th)
		v.drag.paint(w.rows, p, rows, th)
	}
}

// Uncoloured returns the code in sight that was drawn without colours and was not
// returned before. Call Run on each, then pass it to Coloured.
func (v *View) Uncoloured() (out []*Colouring) {
	for n, p := range v.places {
		if n == 0 || p.row == 0 { // once for each segment
			out = append(out, v.layout.takeUncoloured(p)...)
		}
	}
	return out
}

// Coloured redraws code with its colours. The number of rows stays the same.
func (v *View) Coloured(c *Colouring) { v.dirty = v.layout.coloured(c) || v.dirty }

// Copyable returns what can be copied of an item, or of all calls that its line
// names.
func (v *View) Copyable(it *thread.Item) Copyable {
	p := v.layout.pen(it)
	if len(p.group) == 0 {
		return p.copyable()
	}
	var all texts
	for _, call := range p.group {
		all = append(all, v.layout.pen(call).source()...)
	}
	return Copyable{All: all.join}
}

// Calls returns the items that the line of an item names: it alone, unless it is
// that of a group.
func (v *View) Calls(it *thread.Item) []*thread.Item {
	if calls := v.layout.members(it.Index); len(calls) > 0 {
		return calls
	}
	return []*thread.Item{it}
}

// Find begins a search for text. Case matters only if it has a capital.
func (v *View) Find(text string) *Search {
	return &Search{layout: v.layout, texts: &v.searched, query: newQuery(text), total: len(v.layout.thread.Items)}
}
