package transport

import (
	"bytes"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// errInstead is what the queues of a connection say that a WebSocket has taken over.
var errInstead = errors.New("transport: taken over")

// sendQueue holds copies of what waits to be posted, in order. One goroutine takes.
type sendQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	waiting []Message
	bytes   int
	limit   int
	busy    bool  // what was taken last is still being posted
	err     error // nothing more is put in
	dropped bool  // nor taken out
}

func newSendQueue(limit int) *sendQueue {
	q := &sendQueue{limit: limit}
	q.changed.L = &q.mu
	return q
}

// put blocks while more than the limit would wait, unless nothing else does.
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

// take waits for a message; asking for the next says that the one before is done with. false when the queue is closed
// and empty, or dropped.
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

// close refuses what is put from now on with err.
func (q *sendQueue) close(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || err == ErrClosed {
		q.err = err
	}
	q.changed.Broadcast()
}

// drop forgets what waits.
func (q *sendQueue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting, q.bytes, q.dropped = nil, 0, true
	q.changed.Broadcast()
}

// divert hands everything that waits to f, until nothing does, and closes the queue with err in the same moment. It is
// for the goroutine that takes.
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

// flush waits until nothing waits and nothing is being posted, at most for d.
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

// inbox holds what waits for Recv. Any goroutine may push; one takes. The taker swaps two buffers, so that it locks
// once for all that has come meanwhile and nothing is allocated for a message.
type inbox struct {
	limit  int
	closed atomic.Bool

	mu      sync.Mutex
	changed sync.Cond
	fresh   batch
	err     error // behind everything that was pushed

	reading batch // the taker's
	next    int
}

// batch is messages behind one another.
type batch struct {
	buf  []byte
	ends []mark
}

// mark is where a message ends in the buffer, or why there is none.
type mark struct {
	end int
	err error
}

// markSize is about what a mark takes, so that a flood of empty messages is bounded as well.
const markSize = 24

func (b *batch) size() int { return len(b.buf) + markSize*len(b.ends) }

func newInbox(limit int) *inbox {
	b := &inbox{limit: limit}
	b.changed.L = &b.mu
	return b
}

// push copies a message in, or err in the place of one. It blocks while there is more than the limit; false when
// nothing is taken any more.
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

// finish lets take return err behind everything that was pushed.
func (b *inbox) finish(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
	}
	b.changed.Broadcast()
}

// close lets take return ErrClosed at once.
func (b *inbox) close() {
	b.closed.Store(true)
	b.finish(ErrClosed)
}

// take waits for the next message; it is valid until the next call.
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

// large tells whether a burst or a huge message has left behind more room than is worth keeping.
func (b *batch) large() bool { return cap(b.buf) > keepBuffer || cap(b.ends)*markSize > keepBuffer }
