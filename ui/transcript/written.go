package transcript

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient/thread"
	"parley/internal/glyphs"
	"parley/internal/text"
	"parley/ui/theme"
)

// Written writes a conversation into the terminal's own scrollback. Items that no
// longer change are returned once, in order; the others are drawn as the live part.
//
// It belongs to the screen's goroutine.
type Written struct {
	track
	layout *layout
	at     place // the first segment that was not returned
	notes  []note
	of     int   // the generation of the text that was returned in part
	late   []int // items that changed after they were returned
	tails  map[int][]string
}

// note is the state of an item when it was returned.
type note struct {
	version, text, generation int
	segs                      int
	state                     thread.ToolState
	trust                     thread.Trust
}

// maxTails bounds the messages whose last rows are remembered, to find the rows that
// are added later.
const maxTails = 16

// NewWritten returns a Written of t that has returned no rows yet.
func NewWritten(t *thread.Thread, cwd string, th *theme.Theme) *Written {
	l := newLayout(t, cwd, th)
	l.short = true
	return &Written{track: track{l}, layout: l, tails: map[int][]string{}}
}

// Look sets how rows are drawn from now on. A row is narrower than the width.
func (w *Written) Look(width int, th *theme.Theme, d Density) {
	l := w.layout
	if width = max(1, width-1); width != l.width {
		l.setWidth(width)
	}
	if th != l.th {
		l.setTheme(th)
	}
	l.density = d
}

// Begun reports whether anything was returned or skipped.
func (w *Written) Begun() bool { return w.at != place{} }

// Tick moves spinners and clocks.
func (w *Written) Tick(now time.Time) { w.layout.tick(now) }

// Changed must be called when the thread has changed items.
func (w *Written) Changed(items []int) {
	for _, i := range items {
		if i < w.at.item {
			w.late = append(w.late, i)
		}
	}
}

// final reports whether an item is expected not to change again.
func (w *Written) final(i int) bool {
	it := w.items()[i]
	switch it.Kind {
	case thread.UserMessage, thread.AgentMessage, thread.ThoughtMessage:
		return i+1 < len(w.items()) || !w.layout.busy()
	}
	return !w.layout.live(it) && w.complete(i)
}

// complete reports whether the group of an item has all its calls and none is live.
func (w *Written) complete(i int) bool {
	l := w.layout
	if !l.groups(w.items()[i]) {
		return true
	}
	g, _ := l.groupOf(i)
	rest := w.items()[g.end:]
	return !slices.ContainsFunc(w.items()[g.first:g.end], l.live) && (!l.busy() || slices.ContainsFunc(rest, func(it *thread.Item) bool { return !silent(it) }))
}

// closedSegments returns how many segments of an item no longer change.
func (w *Written) closedSegments(i int, all bool) int {
	e := w.layout.entry(i)
	switch {
	case all:
		return len(e.segs)
	case e.stream != nil:
		return min(len(e.segs), e.stream.Len())
	}
	return 0
}

// Take returns the next rows, hardly more than most; more reports whether others are
// ready. Rows have no trailing spaces.
func (w *Written) Take(most int) (rows []string, more bool) { return w.nextRows(most, false) }

// Rest returns all remaining rows, including those that could still change.
func (w *Written) Rest() []string {
	rows, _ := w.nextRows(1<<30, true)
	return rows
}

func (w *Written) nextRows(most int, rest bool) (rows []string, more bool) {
	for _, i := range w.late {
		rows = append(rows, w.lateRows(i)...)
	}
	w.late = w.late[:0]
	for w.at.item < len(w.items()) {
		i := w.at.item
		whole, generation := rest || w.final(i), w.items()[i].Generation
		if w.at.seg > 0 && generation != w.of {
			rows, w.at.seg = append(rows, w.changedNote()...), 0
		}
		w.of = generation
		for n := w.closedSegments(i, whole); w.at.seg < n; w.at.seg++ {
			if len(rows) >= most {
				return rows, true
			}
			rows = append(rows, w.marked(i, w.at.seg, short(w.rowsOf(i, w.at.seg)))...)
			if k := w.at.seg - 1; k >= 0 {
				w.layout.entries[i].segs[k] = nil // it is not needed again
			}
		}
		if !whole {
			break
		}
		for g, _ := w.layout.groupOf(i); w.at.item < g.end; {
			w.skipItem(w.at.item)
		}
	}
	return rows, false
}

// marked adds to the rows of a prompt the marks (OSC 133) by which a terminal jumps
// from prompt to prompt, if it takes any.
func (w *Written) marked(i, k int, rows []string) []string {
	first, last := 0, len(rows)-1
	if k == 0 {
		first = w.gap(i)
	}
	if w.items()[i].Kind != thread.UserMessage || !w.layout.th.Links || last < first {
		return rows
	}
	if k == 0 {
		rows[first] = ansi.FinalTermPrompt("redraw=0") + rows[first] // kitty would erase it when resized
	}
	if k == w.segments(i)-1 {
		rows[last] += ansi.FinalTermCmdExecuted()
	}
	return rows
}

// rowsOf returns the rows of a segment with the colours of its code.
func (w *Written) rowsOf(i, k int) []string {
	const soon = 200 // lines: more would keep the screen waiting
	w.segment(i, k)
	for _, c := range w.layout.takeUncoloured(place{item: i, seg: k}) {
		if c.lines <= soon {
			c.Run()
			w.layout.coloured(c)
		}
	}
	return w.segment(i, k)
}

// skipItem moves to the item after i, and notes the state of i.
func (w *Written) skipItem(i int) {
	it := w.items()[i]
	n := note{version: it.Version, text: len(it.Text), generation: it.Generation, segs: w.segments(i)}
	switch it.Kind {
	case thread.ToolCall:
		n.state, n.trust = it.Tool.State(), it.Tool.Trust
	case thread.AgentMessage:
		w.tails[i] = w.segment(i, n.segs-1)
		if len(w.tails) > maxTails {
			w.forget()
		}
	}
	for len(w.notes) <= i {
		w.notes = append(w.notes, note{})
	}
	w.notes[i] = n
	delete(w.layout.entries, i)
	w.at = place{i + 1, 0, 0}
	w.layout.written = max(w.layout.written, i+1)
}

func (w *Written) forget() {
	oldest := -1
	for i := range w.tails {
		if oldest < 0 || i < oldest {
			oldest = i
		}
	}
	delete(w.tails, oldest)
}

// lateRows returns what to write about an item that changed after it was returned:
// how a call ended, or what was added to a message.
func (w *Written) lateRows(i int) []string {
	if i >= len(w.notes) {
		return nil
	}
	it, was := w.items()[i], w.notes[i]
	if it.Version == was.version {
		return nil
	}
	defer delete(w.layout.entries, i)
	switch it.Kind {
	case thread.ToolCall:
		state, trust := it.Tool.State(), it.Tool.Trust
		w.notes[i].version, w.notes[i].state, w.notes[i].trust = it.Version, state, trust
		if state != was.state || trust != was.trust {
			p := w.layout.pen(it)
			p.live, p.group = false, nil // nothing moves in the scrollback
			row, _ := p.toolHead()
			return short([]string{row})
		}
	case thread.AgentMessage:
		at := w.at
		defer func() { w.at = at }()
		rows := w.added(it, was)
		w.skipItem(i)
		return rows
	case thread.Notice:
		w.notes[i].version, w.notes[i].text = it.Version, len(it.Text)
		if len(it.Text) != was.text {
			return short(w.layout.pen(it).notice())
		}
	}
	return nil
}

// added returns the rows that were added to a message.
func (w *Written) added(it *thread.Item, was note) []string {
	i := it.Index
	var rows []string
	if it.Generation != was.generation {
		rows = append(rows, w.changedNote()...)
		for k := range w.segments(i) {
			rows = append(rows, w.rowsOf(i, k)...)
		}
		return short(rows)
	}
	if len(it.Text) == was.text {
		return nil
	}
	for k := max(0, was.segs-1); k < w.segments(i); k++ {
		fresh := w.rowsOf(i, k)
		if k == was.segs-1 {
			before, n := w.tails[i], 0
			for n < len(before) && n < len(fresh) && before[n] == fresh[n] {
				n++
			}
			fresh = fresh[n:]
		}
		rows = append(rows, fresh...)
	}
	return short(rows)
}

// changedNote comes before a message whose text has replaced the one returned.
func (w *Written) changedNote() []string {
	return append([]string{""}, w.layout.indented(w.layout.th.Dim, "· the agent changed what it said:")...)
}

// Skip skips items until hardly more than so many rows are left. It returns how many
// it skipped.
func (w *Written) Skip(rows int) (entries int) {
	i := len(w.items())
	for i > w.at.item && rows > 0 {
		i--
		for k := w.segments(i) - 1; k >= 0 && rows > 0; k-- {
			rows -= len(w.segment(i, k))
		}
	}
	if rows > 0 {
		return 0
	}
	for w.at.item < i {
		if !silent(w.items()[w.at.item]) {
			entries++
		}
		w.skipItem(w.at.item)
	}
	clear(w.tails)
	return entries
}

// Live returns the last rows of what was not returned yet. They are valid until the
// next call.
func (w *Written) Live(height int) []string {
	var rows []string
	for p, ok := w.previous(place{item: len(w.items())}); ok && !p.before(w.at) && len(rows) <= height; p, ok = w.previous(p) {
		rows = slices.Concat(w.segment(p.item, p.seg), rows)
	}
	if len(rows) > height {
		rows = rows[len(rows)-height:]
		if height > 0 {
			rows[0] = indent + w.layout.th.Dim.Paint("⋮")
		}
	}
	return short(rows)
}

// short removes spaces from the ends of rows, painted ones included.
func short(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		s := strings.TrimRight(ansi.Strip(r), " ")
		if n := text.Width(s); n < text.Width(r) {
			r = glyphs.Truncate(r, n, "")
		}
		out[i] = r
	}
	return out
}
