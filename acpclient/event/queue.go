package event

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// maxTerminalRun bounds the bytes of one terminal that wait in a Queue without
// anything else between them; the oldest go first. Everything else is kept.
const maxTerminalRun = 1 << 20

// maxUntaken bounds, in bytes of the messages they were made of, the events that
// wait in a Queue: enough for a long turn while an editor or a login has the terminal.
const maxUntaken = 256 << 20

// keptRun bounds the memory that a Queue keeps for the next run.
const keptRun = 4 << 20

// Queue is a Sink that holds events until somebody takes them. Neighbouring
// text of one message, neighbouring output of one terminal and neighbouring
// changes of one tool call become one event, so that what waits is bounded by
// content and not by its pieces.
type Queue struct {
	mu     sync.Mutex
	events []Event
	last   run  // follows the events
	steps  bool // each change of a call that says something is an event
	ready  chan struct{}

	untaken atomic.Int64 // of what maxUntaken bounds
}

// run is the text or the output that still grows.
type run struct {
	kind runKind
	data []byte // what it says; its memory stays with the queue
	text TextArrived
	out  TerminalOutput
	// tool stands before the output. One that says nothing but that the call goes
	// on joins it there: those of v1 come with each piece.
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

// NewStepQueue returns an empty queue for who tells each step of a tool call: of
// its changes only those that say nothing are joined.
func NewStepQueue() *Queue {
	q := NewQueue()
	q.steps = true
	return q
}

// Ready yields a value when something waits. A value may come without anything
// waiting.
func (q *Queue) Ready() <-chan struct{} { return q.ready }

// Hold implements Bounded.
func (q *Queue) Hold(n int) bool { return q.untaken.Add(int64(n)) <= maxUntaken }

// Post adds an event. It never blocks.
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

// giant is the length from which on a text is an event by itself, and not copied.
const giant = 256 << 10

// text takes a piece of a message. With mu, as the other two.
func (q *Queue) text(e TextArrived) {
	if len(e.Text) > giant {
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
		q.untaken.Add(-int64(cut))
		r.data = r.data[:copy(r.data, r.data[cut:])]
		r.out.Cut = true
	}
}

func (q *Queue) tool(e ToolChanged) {
	r, bare := &q.last, e.bare()
	switch goesOn := r.tool.goesOn(&e); {
	case goesOn && (bare || !q.steps && r.kind == noRun && r.tool.takes(&e)):
		r.tool.join(&e)
	case !e.joins() || q.steps && !bare:
		q.add(e)
	default:
		q.seal()
		r.tool.start(&e)
	}
}

// add appends an event. With mu.
func (q *Queue) add(e Event) {
	q.seal()
	q.events = append(q.events, e)
}

// seal makes events of what was gathered. With mu.
func (q *Queue) seal() {
	r := &q.last
	if r.tool.exists {
		q.events = append(q.events, r.tool.end())
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
	if r.data = r.data[:0]; cap(r.data) > keptRun {
		r.data = nil
	}
}

// Take returns everything that waits, in order, and leaves the queue empty.
func (q *Queue) Take() []Event {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.seal()
	out := q.events
	q.events = nil
	q.untaken.Store(0)
	return out
}
