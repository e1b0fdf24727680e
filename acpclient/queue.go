package acpclient

import (
	"sync"
	"sync/atomic"
)

// maxTerminalRun bounds the bytes of one terminal that wait in a Queue without
// anything else between them; the oldest go first. Everything else is kept.
const maxTerminalRun = 1 << 20

// maxUntaken bounds, in bytes of the messages they were made of, the events that
// wait in a Queue: enough for a long turn behind an editor or a login.
const maxUntaken = 256 << 20

// Queue is a Sink that holds events until somebody takes them. Neighbouring
// text of one message, and neighbouring output of one terminal, become one
// event, so that what waits is bounded by content and not by its pieces.
type Queue struct {
	mu     sync.Mutex
	events []Event
	run    []byte // text or output that belongs to the last event
	wire   Span   // of what run is made of
	cut    bool
	ready  chan struct{}

	untaken atomic.Int64 // of what maxUntaken bounds
}

// NewQueue returns an empty queue.
func NewQueue() *Queue { return &Queue{ready: make(chan struct{}, 1)} }

// Ready yields a value when something waits. A value may come without anything
// waiting any more.
func (q *Queue) Ready() <-chan struct{} { return q.ready }

// Hold implements Bounded.
func (q *Queue) Hold(n int) bool { return q.untaken.Add(int64(n)) <= maxUntaken }

// Post adds an event. It never blocks.
func (q *Queue) Post(e Event) {
	q.mu.Lock()
	if !q.merge(e) {
		q.seal()
		q.events = append(q.events, e)
		switch e := e.(type) {
		case TextArrived:
			q.run, q.wire = append(q.run[:0:0], e.Text...), e.Wire
		case TerminalOutput:
			q.run, q.wire, q.cut = append(q.run[:0:0], e.Data...), e.Wire, e.Cut
		}
	}
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// merge adds e to the last event where the two continue each other.
func (q *Queue) merge(e Event) bool {
	if len(q.events) == 0 {
		return false
	}
	switch e := e.(type) {
	case TextArrived:
		last, ok := q.events[len(q.events)-1].(TextArrived)
		if !ok || last.Session != e.Session || last.Role != e.Role || last.MessageID != e.MessageID {
			return false
		}
		q.run = append(q.run, e.Text...)
		q.wire = q.wire.Join(e.Wire)
		if !e.At.IsZero() {
			last.Until = e.At
			q.events[len(q.events)-1] = last
		}
		return true
	case TerminalOutput:
		last, ok := q.events[len(q.events)-1].(TerminalOutput)
		if !ok || last.Session != e.Session || last.ID != e.ID {
			return false
		}
		q.run = append(q.run, e.Data...)
		q.wire = q.wire.Join(e.Wire)
		if cut := len(q.run) - maxTerminalRun; cut > maxTerminalRun {
			q.untaken.Add(-int64(cut))
			q.run = append(q.run[:0], q.run[len(q.run)-maxTerminalRun:]...)
			q.cut = true
		}
		q.cut = q.cut || e.Cut
		return true
	}
	return false
}

// seal puts what was gathered into the last event.
func (q *Queue) seal() {
	if len(q.events) == 0 {
		return
	}
	i := len(q.events) - 1
	switch e := q.events[i].(type) {
	case TextArrived:
		e.Text, e.Wire = string(q.run), q.wire
		q.events[i] = e
	case TerminalOutput:
		e.Data, e.Wire, e.Cut = q.run, q.wire, q.cut
		q.events[i] = e
	}
	q.run, q.wire, q.cut = nil, Span{}, false
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
