package gateway

import (
	"sync"
	"sync/atomic"
)

// overhead is the cost of a waiting message besides its bytes, so that many tiny messages
// count too.
const overhead = 64

// mailbox is one stream to the client: messages wait in it, in order, until a receiver has
// taken them. One goroutine receives at a time, and one puts.
type mailbox struct {
	limit    int64         // most bytes that may wait here
	total    int64         // most bytes that may wait in all mailboxes of the connection
	buffered *atomic.Int64 // bytes waiting in all of them
	account  *account      // of the connection; may be nil
	more     chan struct{} // holds one token when the receiver should look again

	mu       sync.Mutex
	waiting  [][]byte
	head     int // waiting[:head] has been taken
	size     int64
	attached bool
	finished bool

	retention retention
	last      uint64   // number of the last message written, starting at 1
	sent      [][]byte // the last messages written; those before old are forgotten
	old       int
	sentSize  int64

	room chan struct{} // closed when there may be more room, or the receiver is gone; nil while nobody waits
}

func newMailbox(limit, total int64, buffered *atomic.Int64, account *account) *mailbox {
	return &mailbox{limit: limit, total: total, buffered: buffered, account: account, more: make(chan struct{}, 1)}
}

func (m *mailbox) wake() {
	select {
	case m.more <- struct{}{}:
	default:
	}
}

// put adds a message, which belongs to the mailbox from then on. If there is no room, it
// waits until stop while a receiver is attached; a receiver with nothing else to read
// accepts a message of any size. It reports false if the message does not fit and there is
// no receiver. After finish it does nothing.
func (m *mailbox) put(msg []byte, stop <-chan struct{}) bool {
	cost := int64(len(msg)) + overhead
	for {
		m.mu.Lock()
		if m.finished {
			m.mu.Unlock()
			return true
		}
		direct := m.attached && m.head == len(m.waiting)
		if direct || m.size+cost <= m.limit && m.buffered.Load()+cost <= m.total && m.account.fits(m.buffered.Load(), cost) {
			m.count(cost)
			m.waiting = append(m.waiting, msg)
			m.mu.Unlock()
			m.wake()
			return true
		}
		if !m.attached {
			m.mu.Unlock()
			return false
		}
		if m.room == nil {
			m.room = make(chan struct{})
		}
		room := m.room
		m.mu.Unlock()
		select {
		case <-room:
		case <-stop:
			return true // the connection is over
		}
	}
}

// count adds n to the waiting bytes; n may be negative. m.mu is held.
func (m *mailbox) count(n int64) {
	m.size += n
	m.buffered.Add(n)
	m.account.add(n)
}

// wakePutter wakes a put that waits for room. m.mu is held.
func (m *mailbox) wakePutter() {
	if m.room != nil {
		close(m.room)
		m.room = nil
	}
}

// peek appends the next messages to into: at least one if any wait, and no more than size
// bytes. They stay until ack. last reports that no more will follow.
func (m *mailbox) peek(into [][]byte, size int) (batch [][]byte, last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := m.head; i < len(m.waiting); i++ {
		if size -= len(m.waiting[i]); size < 0 && i > m.head {
			break
		}
		into = append(into, m.waiting[i])
	}
	return into, m.finished
}

// ack drops the first n messages, because they were written.
func (m *mailbox) ack(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropLocked(n)
}

// dropLocked is ack with m.mu held.
func (m *mailbox) dropLocked(n int) {
	var freed int64
	for i := range n {
		freed += int64(len(m.waiting[m.head+i])) + overhead
		m.recordWritten(m.waiting[m.head+i])
		m.waiting[m.head+i] = nil
	}
	m.head += n
	m.count(-freed)
	m.wakePutter()
	switch {
	case m.head == len(m.waiting):
		m.waiting, m.head = m.waiting[:0], 0
		if cap(m.waiting) > 256 {
			m.waiting = nil
		}
	case m.head > 64 && m.head > len(m.waiting)/2:
		n := copy(m.waiting, m.waiting[m.head:])
		clear(m.waiting[n:])
		m.waiting, m.head = m.waiting[:n], 0
	}
}

// attach makes the caller the receiver. It reports false if there is one already.
func (m *mailbox) attach() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.attached {
		return false
	}
	m.attached = true
	return true
}

func (m *mailbox) detach() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attached = false
	m.wakePutter()
}

// finish marks the end of the messages.
func (m *mailbox) finish() {
	m.mu.Lock()
	m.finished = true
	m.wakePutter()
	m.mu.Unlock()
	m.wake()
}

// unused reports whether the mailbox may be dropped without losing a message.
func (m *mailbox) unused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.attached && m.head == len(m.waiting)
}
