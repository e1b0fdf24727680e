package gateway

import (
	"sync"
	"sync/atomic"
)

// overhead is what a waiting message costs besides its bytes, so that a great
// many tiny ones count as well.
const overhead = 64

// mailbox is one stream to the client: messages wait in it, in order, until a
// receiver has taken them. One goroutine receives at a time, and one puts.
type mailbox struct {
	limit    int64         // most bytes that may wait here
	total    int64         // most bytes that may wait in all mailboxes of the connection
	buffered *atomic.Int64 // bytes that wait in all of them
	account  *account      // of the connection; may be nil
	more     chan struct{} // holds one token when a receiver should look again

	mu       sync.Mutex
	waiting  [][]byte
	head     int // waiting[:head] is taken
	size     int64
	attached bool
	finished bool

	keep     keeping
	last     uint64   // number of the last message that was written, from 1
	sent     [][]byte // the last ones that were written; those before old are forgotten
	old      int
	sentSize int64

	room chan struct{} // closed when there may be more room, or no receiver any more; nil while nobody waits
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

// put adds a message, which belongs to the mailbox from here on. Where there is no
// room it waits while a receiver is at work, until stop; a receiver that waits
// for nothing else takes a message of any size. It reports whether the message
// was added: if not, nobody takes what waits. After finish it does nothing.
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
			m.holds(cost)
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
			return true // the connection is over, with what was not sent
		}
	}
}

// holds counts n more bytes that wait, or -n less; the mailbox is locked.
func (m *mailbox) holds(n int64) {
	m.size += n
	m.buffered.Add(n)
	m.account.add(n)
}

// changed wakes who waits for room; the mailbox is locked.
func (m *mailbox) changed() {
	if m.room != nil {
		close(m.room)
		m.room = nil
	}
}

// peek appends the next messages to into, at least one and no more than size
// bytes if any wait; they stay until they are acknowledged. last says that no
// more will come.
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

// ack drops the first n messages: they were written.
func (m *mailbox) ack(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take(n)
}

// take does so; the mailbox is locked.
func (m *mailbox) take(n int) {
	var freed int64
	for i := range n {
		freed += int64(len(m.waiting[m.head+i])) + overhead
		m.wrote(m.waiting[m.head+i])
		m.waiting[m.head+i] = nil
	}
	m.head += n
	m.holds(-freed)
	m.changed()
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

// attach makes the caller the receiver; false if there is one.
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
	m.changed()
}

// finish says that nothing more comes.
func (m *mailbox) finish() {
	m.mu.Lock()
	m.finished = true
	m.changed()
	m.mu.Unlock()
	m.wake()
}

// unused tells whether nothing would be lost without this mailbox.
func (m *mailbox) unused() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.attached && m.head == len(m.waiting)
}
