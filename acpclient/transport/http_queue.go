package transport

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errReplaced is what the queues return once a WebSocket has taken over.
var errReplaced = errors.New("transport: replaced by a WebSocket")

// sendQueue holds copies of the messages that wait to be posted, in order. One goroutine
// calls take.
type sendQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting []Message
	bytes   int
	limit   int
	busy    bool  // the last message taken is still being posted
	err     error // put returns it
	dropped bool  // take returns nothing
}

func newSendQueue(limit int) *sendQueue {
	q := &sendQueue{limit: limit}
	q.changed.L = &q.mu
	return q
}

// put blocks while the queue is full; a message larger than the limit is accepted by an
// empty queue.
func (q *sendQueue) put(m Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.err == nil && q.bytes > 0 && q.bytes+len(m.Data) > q.limit {
		q.changed.Wait()
	}
	if q.err != nil {
		return q.err
	}
	m.Data = bytes.Clone(m.Data)
	q.waiting = append(q.waiting, m)
	q.bytes += len(m.Data)
	q.changed.Broadcast()
	return nil
}

// take waits for a message. Calling it means that the last one is done. It reports false if
// the queue is closed and empty, or dropped.
func (q *sendQueue) take() (Message, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	q.changed.Broadcast()
	for len(q.waiting) == 0 && q.err == nil && !q.dropped {
		q.changed.Wait()
	}
	if q.dropped || len(q.waiting) == 0 {
		return Message{}, false
	}
	m := q.waiting[0]
	q.waiting[0] = Message{}
	if q.waiting = q.waiting[1:]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	q.bytes -= len(m.Data)
	q.busy = true
	q.changed.Broadcast()
	return m, true
}

// close makes put return err from now on.
func (q *sendQueue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || err == ErrClosed {
		q.err = err
	}
	q.changed.Broadcast()
}

// drop discards the queue.
func (q *sendQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting, q.bytes, q.dropped = nil, 0, true
	q.changed.Broadcast()
}

// divert passes all queued messages to f until the queue is empty, and closes it with err
// at that moment. Only the goroutine that calls take may call it.
func (q *sendQueue) divert(f func(Message), err error) {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 && q.err == nil {
			q.err = err
			q.changed.Broadcast()
		}
		q.mu.Unlock()
		m, ok := q.take()
		if !ok {
			return
		}
		f(m)
	}
}

// flush waits at most d until the queue is empty and nothing is being posted.
func (q *sendQueue) flush(d time.Duration) {
	timeUp := false
	timer := time.AfterFunc(d, func() {
		q.mu.Lock()
		timeUp = true
		q.changed.Broadcast()
		q.mu.Unlock()
	})
	defer timer.Stop()
	q.mu.Lock()
	defer q.mu.Unlock()
	for (len(q.waiting) > 0 || q.busy) && !q.dropped && !timeUp {
		q.changed.Wait()
	}
}

// inbox holds the messages that wait for Recv. Any goroutine may push; one takes. It swaps
// two buffers, so that a lock is needed once for all messages that have arrived and no
// message is allocated.
type inbox struct {
	limit  int
	closed atomic.Bool

	mu      sync.Mutex
	changed sync.Cond
	fresh   batch
	err     error // returned after everything that was pushed

	reading batch // used only by the goroutine that takes
	next    int
}

// batch is a sequence of messages in one buffer.
type batch struct {
	buf  []byte
	ends []mark
}

// mark is where a message ends in the buffer, or the error in its place.
type mark struct {
	end int
	err error
}

// markSize is about the size of a mark, so that a flood of empty messages is bounded too.
const markSize = 24

func (b *batch) size() int { return len(b.buf) + markSize*len(b.ends) }

func newInbox(limit int) *inbox {
	b := &inbox{limit: limit}
	b.changed.L = &b.mu
	return b
}

// push adds a copy of a message, or err in its place. It blocks while the limit is exceeded
// and reports false once the inbox is closed.
func (b *inbox) push(data []byte, err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.fresh.ends) > 0 && b.fresh.size()+len(data) > b.limit && b.err == nil {
		b.changed.Wait()
	}
	if b.err != nil {
		return false
	}
	b.fresh.buf = append(b.fresh.buf, data...)
	b.fresh.ends = append(b.fresh.ends, mark{len(b.fresh.buf), err})
	if len(b.fresh.ends) == 1 {
		b.changed.Broadcast()
	}
	return true
}

// finish makes take return err after everything that was pushed.
func (b *inbox) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	b.changed.Broadcast()
}

// close makes take return ErrClosed at once.
func (b *inbox) close() {
	b.closed.Store(true)
	b.finish(ErrClosed)
}

// take waits for the next message, which is valid until the next call.
func (b *inbox) take() ([]byte, error) {
	for {
		if b.closed.Load() {
			return nil, ErrClosed
		}
		if b.next < len(b.reading.ends) {
			start := 0
			if b.next > 0 {
				start = b.reading.ends[b.next-1].end
			}
			m := b.reading.ends[b.next]
			b.next++
			if m.err != nil {
				return nil, m.err
			}
			return b.reading.buf[start:m.end:m.end], nil
		}
		if err := b.refill(); err != nil {
			return nil, err
		}
	}
}

func (b *inbox) refill() error {
	b.next = 0
	b.reading.buf, b.reading.ends = b.reading.buf[:0], b.reading.ends[:0]
	if b.reading.large() {
		b.reading = batch{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.fresh.ends) == 0 && b.err == nil {
		b.changed.Wait()
	}
	if len(b.fresh.ends) == 0 {
		return b.err
	}
	b.reading, b.fresh = b.fresh, b.reading
	b.changed.Broadcast()
	return nil
}

// large reports whether a burst or a huge message has grown the buffers beyond what is
// worth keeping.
func (b *batch) large() bool { return cap(b.buf) > keepBuffer || cap(b.ends)*markSize > keepBuffer }
