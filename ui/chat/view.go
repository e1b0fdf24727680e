// Package chat shows a conversation: it turns the items of a thread into rows
// and keeps the reader's place in them.
//
// Only what is visible is rendered. An item is cut into segments (a message
// into its blocks, everything else is one), a segment's rows are made when it
// first comes into sight and kept for as long as its item, the width and the
// density stay the same. The place of the reader is an item, a segment and a
// row in it, never a row number of the whole, so nothing has to be measured that
// is not seen and nothing moves when something above it changes.
//
// A View belongs to the screen's goroutine.
package chat

import (
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/ui/chat/markdown"
	"parley/ui/theme"
	"parley/ui/widget"
)

// Density says how much of tool calls and thoughts is shown.
type Density int

// The densities, in the order in which one cycles through them.
const (
	Normal Density = iota
	Everything
	Quiet
)

func (d Density) String() string { return [...]string{"normal", "everything", "quiet"}[d] }

// maxProse is how wide running text gets, in cells.
const maxProse = 100

// maxKept bounds, in bytes, the rows that are kept, and what else an entry has
// of a message: some 200 screens. What is out of sight goes.
const maxKept = 2 << 20

// place is a row: the row-th of a segment of an item.
type place struct{ item, seg, row int }

// View is the transcript of one thread.
type View struct {
	// Agent says what the agent is called; nil: "the agent".
	Agent func() string

	thread  *thread.Thread
	cwd     string
	th      *theme.Theme
	width   int
	height  int
	density Density

	entries  map[int]*entry
	kept     int // bytes that entries take, about, since some were last dropped
	renderer *markdown.Renderer
	// wideRenderer draws blocks that are not wrapped.
	wideRenderer *markdown.Renderer
	terminals    map[*thread.Terminal]*terminal
	diffs        map[*event.Diff]*widget.Computed

	commands map[*thread.Tool]command // of calls with a long input

	patches    map[*event.Changes]*patched
	patchLines int // in patches

	coloured map[*widget.Computed]*coloured
	wanted   []*Colouring        // drawn without colours
	listings []*markdown.Listing // code that was looked at, of the block that is being rendered
	drawing  int                 // the item that is being rendered

	choices map[int]bool // items opened (true) and closed one by one
	peek    int          // the item that a search has opened, plus one; 0: none

	follow   bool
	top      place // the first row shown
	bottom   int   // the last item shown
	leftAt   int   // items there were when the reader left the end
	now      time.Time
	spin     int
	rows     []string
	owners   []int   // the item of each of rows, -1 for what stands between two
	places   []place // where each of rows is from
	dirty    bool
	wasBusy  bool // the session was, when rows were made
	frame    int  // counts layouts
	rendered int  // segments rendered so far, for tests that count work

	selection selection
	drag      drag
	search    finding
	searched  searched
	measured  bool // its rows are not for the screen (see wide)
	short     bool // rows end with their text (see Written)
}

// terminal is the emulator of a command's output and how much it was fed.
type terminal struct {
	screen *widget.Terminal
	fed    int64
}

// New returns a view of t that follows its end. cwd shortens paths.
func New(t *thread.Thread, cwd string, th *theme.Theme) *View {
	v := &View{thread: t, cwd: cwd, th: th, follow: true, now: time.Now(), selection: selection{item: -1}}
	v.reset()
	return v
}

// reset forgets everything rendered.
func (v *View) reset() {
	v.entries, v.kept = map[int]*entry{}, 0
	v.renderer = nil
	v.dirty = true
}

// SetSize says how much room there is, in cells. What was seen stays in sight.
func (v *View) SetSize(width, height int) {
	if (width != v.width || height != v.height) && v.matchSeen() {
		defer v.bringMatch()
	}
	if height != v.height {
		v.height, v.dirty = height, true
	}
	if width == v.width {
		return
	}
	before := v.measure()
	v.width = width
	v.terminals = nil // their grids are as wide as the view
	v.reset()
	if after := v.measure(); before > 0 {
		v.top.row = v.top.row * after / before
	}
}

// measure returns how many rows the segment has in which the reader is; 0 where
// that does not matter.
func (v *View) measure() int {
	if v.follow || v.width <= 0 || len(v.thread.Items) == 0 {
		return 0
	}
	v.clamp()
	return len(v.segment(v.top.item, v.top.seg))
}

// Density returns how much is shown.
func (v *View) Density() Density { return v.density }

// SetDensity changes it, for every item: what was opened or closed by itself
// no longer is.
func (v *View) SetDensity(d Density) {
	v.density = d
	v.choices = nil
	v.reset()
}

// Changed says that the thread has changed items. The cost does not depend on
// how many there are.
func (v *View) Changed(items []int) {
	if len(items) == 0 {
		return
	}
	v.dirty = true
	// What is certain to be looked at is cut into blocks as it comes, not all of it
	// with the next frame.
	if n := len(v.thread.Items) - 1; v.follow && n >= 0 && v.entries[n] != nil && v.entries[n].stream != nil {
		v.entry(n)
	}
}

// Tick moves spinners and clocks; it makes the view draw again only when
// something live is on it.
func (v *View) Tick(now time.Time) {
	v.now = now
	v.spin++
	if v.live() {
		v.dirty = true
	}
}

// busy tells whether the session does something. What can be live is live only
// then.
func (v *View) busy() bool { return v.thread.State != thread.Idle && v.thread.State != thread.Ended }

// live tells whether a visible item has a clock.
func (v *View) live() bool {
	for i := v.top.item; i <= v.bottom; i++ {
		if e := v.entries[i]; e != nil && e.live {
			return true
		}
	}
	return false
}

// Rows returns the visible rows, at most the height. The slice is valid until
// the next call of a method.
func (v *View) Rows() []string {
	if busy := v.busy(); v.dirty || busy != v.wasBusy {
		v.dirty, v.wasBusy = false, busy
		v.layout()
		v.evict()
	}
	return v.rows
}

// Following tells whether the view shows the end and goes along with it.
func (v *View) Following() bool { return v.follow }

// AtEnd tells whether the end is in sight, followed or not.
func (v *View) AtEnd() bool {
	v.Rows()
	return !v.ready() || v.room(v.top) <= v.height
}

// Below returns how many items came after the reader had left the end.
func (v *View) Below() int {
	if v.follow {
		return 0
	}
	n := 0
	for _, it := range v.thread.Items[min(v.leftAt, len(v.thread.Items)):] {
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
		v.follow = true
	} else if v.ready() {
		v.top, v.selection.away = v.move(v.last(), -v.height), true
	}
}

// Home shows the beginning.
func (v *View) Home() {
	if len(v.thread.Items) == 0 {
		return
	}
	v.leave()
	v.top, v.dirty, v.selection.away = place{}, true, true
}

// Page scrolls by pages, less two rows, down or (n < 0) up.
func (v *View) Page(n int) { v.Scroll(n * max(1, v.height-2)) }

// Ahead makes the page ready that is one further up (dir < 0) or down, while nobody
// waits for it. What is shown stays.
func (v *View) Ahead(dir int) {
	if v.Rows(); v.ready() && !v.follow {
		v.move(v.top, dir*v.height+max(0, dir)*v.height)
	}
}

// Scroll moves by n rows, up when n < 0. Scrolling down to the end follows it,
// unless there is a selection; that may be scrolled out of sight.
func (v *View) Scroll(n int) {
	v.Rows()
	if v.follow && n >= 0 || len(v.thread.Items) == 0 || v.width <= 0 {
		return
	}
	v.leave()
	v.top = v.move(v.top, n)
	v.dirty, v.selection.away = true, true
	if n > 0 && !v.selection.on && v.room(v.top) <= v.height {
		v.follow = true
	}
}

// ready tells whether there is anything to show and a place to show it.
func (v *View) ready() bool { return len(v.thread.Items) > 0 && v.width > 0 && v.height > 0 }

func (v *View) leave() {
	if v.follow {
		v.follow, v.leftAt = false, len(v.thread.Items)
	}
}

// room counts the rows from p to the end, as far as the height.
func (v *View) room(p place) int {
	n := -p.row
	for n <= v.height {
		n += len(v.segment(p.item, p.seg))
		next, ok := v.next(p)
		if !ok {
			return n
		}
		p = next
	}
	return n
}

// Tall counts the rows that there are at this width, as far as most.
func (v *View) Tall(width, most int) int {
	v.SetSize(width, v.height)
	n := 0
	if len(v.thread.Items) == 0 || width <= 0 {
		return n
	}
	for p, ok := v.last(), true; ok && n < most; p, ok = v.previous(p) {
		n += len(v.segment(p.item, p.seg))
	}
	return min(n, most)
}

// move returns the place n rows away, or the first.
func (v *View) move(p place, n int) place {
	p.row += n
	for p.row < 0 {
		prev, ok := v.previous(p)
		if !ok {
			return place{}
		}
		prev.row = p.row + len(v.segment(prev.item, prev.seg))
		p = prev
	}
	for p.row >= len(v.segment(p.item, p.seg)) {
		next, ok := v.next(p)
		if !ok {
			p.row = max(0, len(v.segment(p.item, p.seg))-1)
			return p
		}
		next.row = p.row - len(v.segment(p.item, p.seg))
		p = next
	}
	return p
}

// next returns the segment after p's, at its row 0.
func (v *View) next(p place) (place, bool) {
	if p.seg+1 < v.segments(p.item) {
		return place{p.item, p.seg + 1, 0}, true
	}
	if p.item+1 < len(v.thread.Items) {
		return place{p.item + 1, 0, 0}, true
	}
	return place{}, false
}

func (v *View) previous(p place) (place, bool) {
	if p.seg > 0 {
		return place{p.item, p.seg - 1, 0}, true
	}
	if p.item > 0 {
		return place{p.item - 1, max(0, v.segments(p.item-1)-1), 0}, true
	}
	return place{}, false
}

// last returns the place behind the last row.
func (v *View) last() place {
	i := len(v.thread.Items) - 1
	seg := max(0, v.segments(i)-1)
	return place{i, seg, len(v.segment(i, seg))}
}

// layout fills rows from the place of the reader.
func (v *View) layout() {
	v.frame++
	v.rows, v.owners, v.places = v.rows[:0], v.owners[:0], v.places[:0]
	if !v.ready() {
		return
	}
	if !v.follow {
		v.clamp()
		if v.selection.on {
			v.keepInSight()
		} else if v.room(v.top) < v.height {
			v.follow = true
		}
	}
	if v.follow {
		v.top = v.move(v.last(), -v.height)
	}
	p := v.top
	for len(v.rows) < v.height {
		v.bottom = p.item
		rows := v.segment(p.item, p.seg)
		v.show(p, rows[min(p.row, len(rows)):])
		next, ok := v.next(p)
		if !ok {
			break
		}
		p = next
	}
	if len(v.rows) > v.height {
		v.rows, v.owners, v.places = v.rows[:v.height], v.owners[:v.height], v.places[:v.height]
	}
}

// show appends rows of a segment, from p on.
func (v *View) show(p place, rows []string) {
	from := len(v.rows)
	v.rows = append(v.rows, rows...)
	for n := range rows {
		v.owners = append(v.owners, p.item)
		v.places = append(v.places, place{p.item, p.seg, p.row + n})
	}
	own := from
	if len(rows) > 0 && p.seg == 0 && p.row == 0 && v.entries[p.item].parted {
		v.owners[from] = -1
		own++
	}
	if v.selection.on && p.item == v.selection.item {
		v.mark(v.rows[own:]) // before anything else is painted: it looks for the user's bar
	}
	v.paintFound(p, v.rows[from:])
	v.paintDrag(p, v.rows[from:])
}

// clamp makes the place valid again after something was rendered anew.
func (v *View) clamp() {
	v.top.item = min(v.top.item, len(v.thread.Items)-1)
	v.top.seg = min(v.top.seg, max(0, v.segments(v.top.item)-1))
	v.top.row = max(0, min(v.top.row, len(v.segment(v.top.item, v.top.seg))-1))
}

// evict drops the rows of what is far away, when many have been made since it
// last did.
func (v *View) evict() {
	if v.kept <= maxKept {
		return
	}
	v.kept = 0
	for i, e := range v.entries {
		if i < v.top.item || i > v.top.item+v.height {
			delete(v.entries, i)
			continue
		}
		// A message longer than all that may be kept: its rows far from the
		// reader go, its blocks stay.
		for k := range e.segs {
			if i == v.top.item && (k < v.top.seg || k > v.top.seg+v.height) {
				e.segs[k] = nil
			}
		}
	}
}
