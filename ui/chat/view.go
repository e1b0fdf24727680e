// Package chat shows a conversation: it turns the items of a thread into rows
// and keeps the reader's place in them.
//
// Only what is visible is rendered. The layout cuts an item into segments (a
// message into its blocks, everything else is one); a segment's rows are made when
// it first comes into sight and kept for as long as what they were made of stays
// the same. What moves in the rows knows them by the interface rows alone: the
// window is what of them is in sight, the selection the item that keys act upon,
// drag the text that the mouse has selected, finding the matches of a search. The
// place of each is an item, a segment and a row or a character in it, never a row
// number of the whole, so nothing has to be measured that is not seen and nothing
// moves when something above it changes.
//
// A View belongs to the screen's goroutine.
package chat

import (
	"slices"
	"time"

	"parley/acpclient/thread"
	"parley/ui/theme"
)

// View is the transcript of one thread.
type View struct {
	layout    *layout
	window    window
	selection selection
	drag      drag
	finding   finding
	searched  searched

	rows    []string
	places  []place // where each of rows is from
	dirty   bool    // rows are not what they should be
	wasBusy bool    // the session was, when rows were made
	frames  int     // drawn so far, for tests that count work
}

// New returns a view of t that follows its end. cwd shortens paths.
func New(t *thread.Thread, cwd string, th *theme.Theme) *View {
	l := newLayout(t, cwd, th)
	return &View{layout: l, window: window{track: track{l}, position: position{follow: true}}, selection: selection{item: -1}, dirty: true}
}

// SetAgent sets what says what the agent is called.
func (v *View) SetAgent(name func() string) { v.layout.agent = name }

// Afresh returns a view that stands where v stands, and shows the same of t, but
// has drawn nothing yet: what it draws is what v has to show, however it came to
// it. t is v's own thread, or one that was made of the same events. It serves
// tests; v and the result may be used side by side.
func (v *View) Afresh(t *thread.Thread) *View {
	f := *v
	f.layout = v.layout.afresh(t)
	f.window.track = track{f.layout}
	f.searched, f.rows, f.places, f.dirty = searched{}, nil, nil, true
	return &f
}

// SetSize says how much room there is, in cells. What was seen stays in sight.
func (v *View) SetSize(width, height int) {
	if width == v.layout.width && height == v.window.height {
		return
	}
	if v.matchSeen() {
		defer v.bringMatch()
	}
	v.dirty, v.window.height = true, height
	if width != v.layout.width {
		v.window.relayout(func() { v.layout.setWidth(width) })
	}
}

// SetTheme changes the look. Of what was seen the rows are made again when they
// come into sight again; nothing is read or compared again.
func (v *View) SetTheme(th *theme.Theme) {
	v.layout.setTheme(th)
	v.dirty = true
}

// Density returns how much is shown.
func (v *View) Density() Density { return v.layout.density }

// SetDensity changes it, for every item: what was opened or closed by itself
// no longer is.
func (v *View) SetDensity(d Density) {
	v.layout.density, v.layout.choices = d, nil
	v.dirty = true
}

// Changed says that the thread has changed items. The cost does not depend on
// how many there are.
func (v *View) Changed(items []int) { v.dirty = v.dirty || len(items) > 0 }

// Tick moves spinners and clocks; it makes the view draw again only when
// something live is on it.
func (v *View) Tick(now time.Time) {
	v.layout.tick(now)
	items := v.layout.items()
	v.dirty = v.dirty || slices.ContainsFunc(v.places, func(p place) bool { return p.item < len(items) && v.layout.live(items[p.item]) })
}

// Rows returns the visible rows, at most the height. The slice is valid until
// the next call of a method.
func (v *View) Rows() []string {
	if busy := v.layout.busy(); v.dirty || busy != v.wasBusy {
		v.dirty, v.wasBusy = false, busy
		v.settle()
		v.draw()
		v.layout.evict(v.window.top, v.window.height)
	}
	return v.rows
}

// settle brings the window and the selection to what there is to show.
func (v *View) settle() {
	w := &v.window
	if !w.ready() {
		return
	}
	if !w.follow {
		w.settle()
		if v.selection.on {
			v.selection.settle(w)
			return
		}
		w.follow = w.room() < w.height
	}
	w.settle()
}

// draw fills rows with what is in sight.
func (v *View) draw() {
	v.frames++
	v.rows, v.places = v.rows[:0], v.places[:0]
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
		v.selection.paint(p.item, own, th) // before anything else: it looks for the user's bar
		v.finding.paint(w.track, p, rows, th)
		v.drag.paint(w.track, p, rows, th)
	}
}

// Uncoloured returns the code in sight that was drawn without colours, and was not
// returned before. Each is to be given to Coloured, after Run.
func (v *View) Uncoloured() (out []*Colouring) {
	for _, p := range v.places {
		out = append(out, v.layout.asked(p)...)
	}
	return out
}

// Coloured takes the colours of code, which is drawn again where it is in sight.
// It has as many rows as before.
func (v *View) Coloured(c *Colouring) { v.dirty = v.layout.coloured(c) || v.dirty }

// Copyable returns what can be copied of an item.
func (v *View) Copyable(it *thread.Item) Copyable { return v.layout.pen(it).copyable() }

// Find begins a search for text. Case counts only where it has a capital.
func (v *View) Find(text string) *Search {
	return &Search{layout: v.layout, texts: &v.searched, query: newQuery(text), total: len(v.layout.thread.Items)}
}
