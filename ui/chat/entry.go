package chat

import (
	"bytes"

	"parley/acpclient/thread"
	"parley/ui/chat/markdown"
)

// entry is what is known of the look of one item at the current width.
type entry struct {
	item    *thread.Item
	version int
	live    bool       // shows a clock or a spinner: holds for one layout
	frame   int        // the layout for which that was made
	busy    bool       // the session was, when it was rendered
	segs    []*segment // nil: not rendered, or dropped

	stream *markdown.Stream // messages: cut into blocks
	fed    int              // bytes of the item's text that stream has
	lines  int              // newlines among them
	text   int              // the Generation of the text that it has
	parted bool             // a blank row stands before it

	head   []string // of a closed message: the rows of the first block that has any, once that is closed
	headAt int      // which one it is
}

// segment is one run of rows; nil rows are not rendered.
type segment struct {
	rows []string
	done bool     // holds until the item changes
	text *textMap // of rows; nil: not looked at
	hits *found   // in rows; nil: not looked for
}

// entry returns the up to date entry of an item. Segments may still be without
// rows.
func (v *View) entry(i int) *entry {
	it := v.thread.Items[i]
	e := v.entries[i]
	if e == nil {
		e = &entry{item: it, version: -1}
		v.entries[i] = e
		v.kept += entryWeight
	}
	busy := v.busy() && (it.Kind == thread.ToolCall || it.Kind == thread.ThoughtMessage)
	if e.version == it.Version && (!e.live || e.frame == v.frame) && e.busy == busy {
		return e
	}
	fresh := e.version != it.Version
	e.version, e.busy, e.frame = it.Version, busy, v.frame
	if it.Kind == thread.AgentMessage {
		if fresh {
			if e.text != it.Generation {
				*e = entry{item: it, version: e.version, busy: e.busy, text: it.Generation}
			}
			v.kept += e.feed()
			n := e.count()
			if v.closed(i) {
				n = 1
			}
			v.resize(e, n)
		}
		return e
	}
	v.resize(e, 1)
	return e
}

// resize makes room for n segments; the last one before is open again.
func (v *View) resize(e *entry, n int) {
	if k := len(e.segs); k > 0 {
		e.undraw(k - 1)
	}
	if fresh := n - len(e.segs); fresh > 0 {
		e.segs = append(e.segs, make([]*segment, fresh)...)
	}
	e.segs = e.segs[:n]
}

var newline = []byte("\n")

// feed hands the new part of a message to its stream. A message that nobody
// looks at costs nothing but its bytes. It returns how many of them the stream
// keeps at most.
func (e *entry) feed() int {
	if e.stream == nil {
		e.stream = &markdown.Stream{}
	}
	fresh := e.item.Text[e.fed:]
	e.stream.Append(fresh)
	e.fed, e.lines = len(e.item.Text), e.lines+bytes.Count(fresh, newline)
	return min(len(fresh), markdown.KeptText)
}

// undraw has a segment drawn again when it is seen again.
func (e *entry) undraw(k int) {
	if k < len(e.segs) && e.segs[k] != nil {
		e.segs[k].done = false
	}
}

// block returns the k-th block of a message; the zero Block if there is none.
func (e *entry) block(k int) markdown.Block {
	if k < e.stream.Len() {
		return e.stream.Block(k, e.item.Text)
	}
	return e.stream.Tail()
}

// count is the number of blocks, the open one included.
func (e *entry) count() int {
	n := e.stream.Len()
	if e.stream.Tail().Kind != 0 {
		n++
	}
	return max(1, n)
}

// segments returns how many segments an item has, at least one.
func (v *View) segments(i int) int { return len(v.entry(i).segs) }

// segment returns the rows of a segment, rendering them if need be.
func (v *View) segment(i, k int) []string {
	e := v.entry(i)
	s := e.segs[k]
	if s == nil {
		s = &segment{}
		e.segs[k] = s
	}
	parted := k == 0 && v.parted(i) // what stands before may have become blank, or begun to speak
	if s.done && parted == (e.parted && k == 0) {
		return s.rows
	}
	v.rendered++
	v.kept -= weight(s.rows)
	it := e.item
	s.done, v.drawing = true, i
	var rows []string
	switch {
	case it.Blank():
	case it.Kind != thread.AgentMessage:
		rows, e.live = v.item(it)
	case v.closed(i):
		rows = v.closedMessage(e)
	default:
		rows = v.block(e, k)
	}
	if k == 0 {
		e.parted = parted
	}
	if parted && len(rows) > 0 {
		rows = append([]string{""}, rows...)
	}
	s.rows, s.text, s.hits = rows, nil, nil
	v.kept += weight(rows)
	return rows
}

// entryWeight is what an entry takes besides its rows and its text, in bytes.
const entryWeight = 256

// weight is about how many bytes of memory rows take.
func weight(rows []string) int {
	const each = 24 // of the slice, and what the allocator rounds up
	n := each * len(rows)
	for _, r := range rows {
		n += len(r)
	}
	return n
}

// block renders the k-th block of a message.
func (v *View) block(e *entry, k int) []string {
	if v.renderer == nil {
		v.renderer = markdown.NewRenderer(max(1, min(v.width-len(indent), maxProse)), v.th)
	}
	b := e.block(k)
	rendered := v.message(b, k)
	if len(rendered) == 0 {
		return nil
	}
	var rows []string
	if k > 0 && !b.Continued {
		rows = append(rows, "")
	}
	for _, r := range rendered {
		rows = append(rows, indent+r)
	}
	return rows
}

// indent stands left of everything but the user's own words.
const indent = "  "

// parted tells whether a blank row stands before an item. Tool calls and what
// belongs to them stand together.
func (v *View) parted(i int) bool {
	for p := i - 1; p >= 0; p-- {
		before := v.thread.Items[p]
		if silent(before) {
			continue
		}
		return !(close(v.thread.Items[i].Kind) && close(before.Kind))
	}
	return false
}

func close(k thread.Kind) bool {
	switch k {
	case thread.ToolCall, thread.Decision, thread.Notice, thread.Attachment, thread.ThoughtMessage:
		return true
	}
	return false
}

// silent tells whether an item has no rows of its own.
func silent(it *thread.Item) bool {
	return it.Blank() || it.Kind == thread.TurnEnd && it.End.Err == nil && (it.End.StopReason == "end_turn" || it.End.StopReason == "")
}
