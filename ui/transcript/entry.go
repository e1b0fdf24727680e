package transcript

import (
	"bytes"

	"parley/acpclient/thread"
	"parley/ui/transcript/markdown"
)

// entry holds the rows of one item, and what they are made of.
type entry struct {
	item   *thread.Item
	key    key        // what the entry is up to date with
	segs   []*segment // nil: not rendered, or dropped
	parted bool       // its first row is blank

	stream     *markdown.Stream // messages: cut into blocks
	fed        int              // bytes of the item's text that stream has
	lines      int              // newlines among them
	generation int              // of the text that it has
	plain      *pieces          // of a prompt or a thought that is shown in pieces
}

// key identifies what the rows of an item depend on.
type key struct {
	extent
	version int
	looks   int // of the layout
	shared  int // see layout.shared
	live    bool
	grows   bool // it is a message to which more may come
	earlier bool // it belongs to an earlier session, which a fork or a new start continues, and is dim
	ticks   int  // of the clock, if live
}

// segment is a run of rows of an item: a block of a message, a piece of a long
// text, or all of it.
type segment struct {
	rows       []string
	done       bool         // holds until the item changes
	made       key          // what the rows were made of
	text       *textMap     // of rows; nil: not made yet
	uncoloured []*Colouring // code in it that was drawn without colours and not yet returned by Uncoloured
}

// undraw makes the segment's rows outdated.
func (s *segment) undraw() {
	if s != nil {
		s.done = false
	}
}

// refresh brings the entry up to date. It returns about how many bytes that added.
func (e *entry) refresh(now key) (kept int) {
	was := e.key
	e.key = now
	if was.extent != now.extent || was.looks != now.looks || was.earlier != now.earlier {
		e.segs = nil
	}
	switch {
	case e.item.Kind == thread.AgentMessage:
		if e.stream == nil || e.generation != e.item.Generation {
			*e = entry{item: e.item, key: now, generation: e.item.Generation, stream: &markdown.Stream{}}
		}
		closed := e.stream.Len()
		kept = e.feed()
		switch n := e.count(); {
		case now.closed():
			e.resize(1)
		case len(e.segs) > 0 && len(e.segs) <= closed: // the last one was closed and does not change
			e.room(n)
		default:
			e.resize(n)
		}
	case pieced(e.item, now.extent):
		if was.version != now.version || e.segs == nil {
			e.cutPieces()
		}
		e.segs[0].undraw() // it may have a clock
	default:
		e.resize(1)
	}
	return kept
}

// resize makes room for n segments; the one that was last may change.
func (e *entry) resize(n int) {
	if k := len(e.segs); k > 0 {
		e.segs[k-1].undraw()
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

// feed appends the new part of a message to its stream. It returns how many bytes
// of it the stream keeps at most.
func (e *entry) feed() int {
	fresh := e.item.Text[e.fed:]
	e.stream.Append(fresh)
	e.fed, e.lines = len(e.item.Text), e.lines+bytes.Count(fresh, newline)
	return min(len(fresh), markdown.KeptText)
}

// block returns block k of a message; the zero Block if there is none.
func (e *entry) block(k int) markdown.Block {
	if k < e.stream.Len() {
		return e.stream.Block(k, e.item.Text)
	}
	return e.stream.Tail()
}

// count returns the number of blocks, the open one included.
func (e *entry) count() int {
	n := e.stream.Len()
	if e.stream.Tail().Kind != 0 {
		n++
	}
	return max(1, n)
}

// before returns the rows of block k as they were drawn last. Most rows of a block
// that grows stay the same.
func (e *entry) before(k int) []string {
	if k >= len(e.segs) || e.segs[k] == nil {
		return nil
	}
	rows := e.segs[k].rows
	if k == 0 && e.parted && len(rows) > 0 {
		rows = rows[1:]
	}
	return rows
}

// linesAfter returns how many lines of a message follow block k.
func (e *entry) linesAfter(k int) int {
	if k+1 >= e.count() {
		return 0
	}
	n := e.lines
	if k = min(k, e.stream.Len()-1); k >= 0 {
		_, end := e.stream.Span(k)
		n -= bytes.Count(e.item.Text[:end], newline)
	}
	if !bytes.HasSuffix(e.item.Text, newline) {
		n++
	}
	return n
}

// entryWeight is the size of an entry without its rows and its text, in bytes.
const entryWeight = 256

// weight returns about how many bytes of memory rows take.
func weight(rows []string) int {
	const each = 24 // in the slice
	n := each * len(rows)
	for _, r := range rows {
		n += len(r) + len(r)/8 // the allocator rounds up
	}
	return n
}
