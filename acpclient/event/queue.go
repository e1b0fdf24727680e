package event

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// maxTerminalRun bounds the adjacent output of one terminal that waits in a Queue, in
// bytes. The oldest output is dropped. Everything else is kept.
const maxTerminalRun = 1 << 20

// maxWaitingBytes bounds the events that wait in a Queue, in bytes of their messages: enough
// for a long turn while an editor or a login has the terminal.
const maxWaitingBytes = 256 << 20

// maxIdleRun bounds the memory that a Queue keeps for the next run.
const maxIdleRun = 4 << 20

// Queue is a Sink that holds events until they are taken. Adjacent text of one message,
// adjacent output of one terminal and adjacent changes of one tool call become one
// event, so the size of the queue depends on the content and not on the number of its
// pieces.
type Queue struct {
	mu     sync.Mutex
	events []Event
	last   run  // comes after events
	steps  bool // every change of a tool call that has content is an event
	ready  chan struct{}

	waitingBytes atomic.Int64 // bytes of the waiting messages, bounded by maxWaitingBytes
}

// run is the text or the output that still grows.
type run struct {
	kind runKind
	data []byte // the content; the queue reuses its memory
	text TextArrived
	out  TerminalOutput
	// tool comes before the output. A change that only says that the call is still
	// running is joined to it even after output: v1 sends one with each piece.
	tool toolRun
}

type runKind int

const (
	noRun runKind = iota
	textRun
	outputRun
)

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{ready: make(chan struct{}, 1)} }

// NewStepQueue returns an empty queue for front ends that report every step of a tool
// call: it joins only changes without content.
func NewStepQueue() *Queue {
	q := NewQueue()
	q.steps = true
	return q
}

// Ready returns a channel that yields a value when events wait. A value may also arrive
// when none do.
func (q *Queue) Ready() <-chan struct{} { return q.ready }

// Reserve implements Bounded.
func (q *Queue) Reserve(n int) bool { return q.waitingBytes.Add(int64(n)) <= maxWaitingBytes }

// Post appends an event. It never blocks.
func (q *Queue) Post(e Event) {
	q.mu.Lock()
	switch e := e.(type) {
	case TextArrived:
		q.text(e)
	case TerminalOutput:
		q.output(e)
	case ToolChanged:
		q.tool(e)
	default:
		q.add(e)
	}
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// minSeparateText is the length above which a text becomes an event without being copied.
const minSeparateText = 256 << 10

// text appends a piece of a message. It needs mu, as do output and tool.
func (q *Queue) text(e TextArrived) {
	if len(e.Text) > minSeparateText {
		q.add(e)
		return
	}
	if r := &q.last; r.kind == textRun && r.text.Session == e.Session && r.text.Role == e.Role && r.text.MessageID == e.MessageID {
		r.text.Wire = r.text.Wire.Join(e.Wire)
		if !e.At.IsZero() {
			r.text.Until = e.At
		}
	} else {
		q.seal()
		r.kind, r.text = textRun, e
	}
	q.last.data = append(q.last.data, e.Text...)
}

func (q *Queue) output(e TerminalOutput) {
	r := &q.last
	if r.kind == outputRun && r.out.Session == e.Session && r.out.ID == e.ID {
		r.out.Wire = r.out.Wire.Join(e.Wire)
		r.out.Cut = r.out.Cut || e.Cut
	} else {
		if r.kind != noRun {
			q.seal()
		}
		r.kind, r.out = outputRun, e
	}
	r.data = append(r.data, e.Data...)
	if cut := len(r.data) - maxTerminalRun; cut > maxTerminalRun {
		q.waitingBytes.Add(-int64(cut))
		r.data = r.data[:copy(r.data, r.data[cut:])]
		r.out.Cut = true
	}
}

func (q *Queue) tool(e ToolChanged) {
	r, bare := &q.last, e.isEmpty()
	switch continues := r.tool.continues(&e); {
	case continues && (bare || !q.steps && r.kind == noRun && r.tool.accepts(&e)):
		r.tool.join(&e)
	case !e.joins() || q.steps && !bare:
		q.add(e)
	default:
		q.seal()
		r.tool.start(&e)
	}
}

// add appends an event. It needs mu.
func (q *Queue) add(e Event) {
	q.seal()
	q.events = append(q.events, e)
}

// seal turns the current run into events. It needs mu.
func (q *Queue) seal() {
	r := &q.last
	if r.tool.exists {
		q.events = append(q.events, r.tool.finish())
	}
	switch r.kind {
	case textRun:
		r.text.Text = string(r.data)
		q.events = append(q.events, r.text)
	case outputRun:
		r.out.Data = bytes.Clone(r.data)
		q.events = append(q.events, r.out)
	}
	r.kind = noRun
	if r.data = r.data[:0]; cap(r.data) > maxIdleRun {
		r.data = nil
	}
}

// Drain removes and returns everything that waits, in order.
func (q *Queue) Drain() []Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seal()
	out := q.events
	q.events = nil
	q.waitingBytes.Store(0)
	return out
}
