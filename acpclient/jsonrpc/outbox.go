package jsonrpc

import (
	"errors"
	"sync"
	"time"

	"parley/acpclient/transport"
)

var (
	errFull = errors.New("the peer does not read: too much is waiting to be written")
	errShut = errors.New("outbox is closed")
)

// outbox holds the messages that wait to be written, in order. Adding never blocks.
type outbox struct {
	mu     sync.Mutex
	wake   sync.Cond
	queue  []delayed
	bytes  int
	limit  int
	busy   bool // a message is being written
	closed bool
}

// delayed is a message that is not written before a channel is closed, unless that is nil, or some time has passed.
// Later messages wait for it.
type delayed struct {
	transport.Message
	until <-chan struct{}
	most  time.Duration
}

func newOutbox(limit int) *outbox {
	o := &outbox{limit: limit}
	o.wake.L = &o.mu
	return o
}

func (o *outbox) add(m delayed) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errShut
	}
	if o.bytes > 0 && o.bytes+len(m.Data) > o.limit {
		return errFull
	}
	o.bytes += len(m.Data)
	o.queue = append(o.queue, m)
	o.wake.Broadcast() // flush may wait, too
	return nil
}

// next waits for a message; false means that the outbox is closed. Calling it again says
// that the last message was written.
func (o *outbox) next() (delayed, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.busy = false
	o.wake.Broadcast()
	for len(o.queue) == 0 && !o.closed {
		o.wake.Wait()
	}
	if o.closed {
		return delayed{}, false
	}
	m := o.queue[0]
	o.queue[0] = delayed{}
	if o.queue = o.queue[1:]; len(o.queue) == 0 {
		o.queue = nil
	}
	o.bytes -= len(m.Data)
	o.busy = true
	return m, true
}

func (o *outbox) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes
}

// flush waits until everything is written, at most for d.
func (o *outbox) flush(d time.Duration) {
	timeUp := false
	timer := time.AfterFunc(d, func() {
		o.mu.Lock()
		timeUp = true
		o.wake.Broadcast()
		o.mu.Unlock()
	})
	defer timer.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for (len(o.queue) > 0 || o.busy) && !o.closed && !timeUp {
		o.wake.Wait()
	}
}

func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.wake.Broadcast()
	o.mu.Unlock()
}
