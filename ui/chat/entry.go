package chat

import (
	"bytes"
	"strings"

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

	plain *pieces // of a prompt or a thought that is shown in pieces

	head   []string // of a closed message: the rows of the first block that has any, once that is closed
	headAt int      // which one it is
}

// segment is one run of rows; nil rows are not rendered.
type segment struct {
	rows []string
	done bool     // holds until the item changes
	text *textMap // of rows; nil: not looked at
	hits *found   // in rows; nil: not looked for
	body bodyOf   // which rows are below the first one; zero: any
}

// bodyOf is what the rows of a call below its first one depend on: that one alone
// has a clock.
type bodyOf struct {
	version int // of the item, plus one
	live    bool
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
			was := 0
			if e.stream != nil {
				was = e.stream.Len()
			}
			v.kept += e.feed()
			switch n := e.count(); {
			case v.closed(i):
				v.resize(e, 1)
			case len(e.segs) > 0 && len(e.segs) <= was: // the last one was closed already: it stays as it is
				e.room(n)
			default:
				v.resize(e, n)
			}
		}
		return e
	}
	if v.pieced(i) {
		if fresh {
			v.cutPieces(e)
		}
		e.undraw(0) // it may have a clock
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
	e.room(n)
}

// room makes room for n segments.
func (e *entry) room(n int) {
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
	it := e.item
	s.done, v.drawing = true, i
	if parted == e.parted && v.ticked(e, s) {
		return s.rows
	}
	v.kept -= weight(s.rows)
	var rows []string
	switch {
	case it.Blank():
	case v.pieced(i):
		var live bool
		if rows, live = v.piece(e, k); k == 0 {
			e.live = live
		}
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
	s.rows, s.text, s.hits, s.body = rows, nil, nil, bodyOf{}
	if it.Kind == thread.ToolCall || it.Kind == thread.ShellCommand {
		s.body = bodyOf{it.Version + 1, e.live}
	}
	v.kept += weight(rows)
	return rows
}

// ticked draws the first row of a call again, where nothing else of it can have
// changed.
func (v *View) ticked(e *entry, s *segment) bool {
	it, at := e.item, 0
	if e.parted {
		at = 1
	}
	if !e.live || s.body != (bodyOf{it.Version + 1, true}) || at >= len(s.rows) {
		return false
	}
	var head string
	switch {
	case it.Kind == thread.ToolCall && v.ticks(it):
		head = v.toolHead(it, true)
	case it.Kind == thread.ShellCommand && it.Shell.Live():
		head = v.shellHead(it.Shell)
	default:
		return false
	}
	v.kept += len(head) - len(s.rows[at])
	s.rows[at], s.text, s.hits = head, nil, nil
	return true
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
	rows := make([]string, 0, len(rendered)+1)
	if k > 0 && !b.Continued {
		rows = append(rows, "")
	}
	was := before(e, k)
	for _, r := range rendered {
		if n := len(rows); n < len(was) && strings.HasPrefix(was[n], indent) && was[n][len(indent):] == r {
			rows = append(rows, was[n])
			continue
		}
		rows = append(rows, indent+r)
	}
	return rows
}

// before are the rows of a block as they were drawn last: of one that grows most
// stay as they are.
func before(e *entry, k int) []string {
	if k >= len(e.segs) || e.segs[k] == nil {
		return nil
	}
	rows := e.segs[k].rows
	if k == 0 && e.parted && len(rows) > 0 {
		rows = rows[1:]
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
	return it.Blank() || it.Kind == thread.TurnEnd && it.End.Err == nil && !it.End.Empty && (it.End.StopReason == "end_turn" || it.End.StopReason == "")
}
