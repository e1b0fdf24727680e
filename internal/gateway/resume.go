package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
)

// keeping bounds what is kept of the messages that were written to streams: they
// may be lost on their way when a stream breaks.
type keeping struct {
	one, all int64         // bytes of one stream, and of all streams of the connection
	kept     *atomic.Int64 // bytes of all of them; nil where nothing is kept
}

// keptPart is the part of the bytes that may wait that may be kept as well.
const keptPart = 8

var (
	errForgotten = errors.New("the events after that one are no longer kept")
	errNoEvent   = errors.New("no such event")
)

// wrote numbers a message that was written, and keeps it; the mailbox is locked.
func (m *mailbox) wrote(msg []byte) {
	m.last++
	if m.keep.kept == nil {
		return
	}
	m.sent = append(m.sent, msg)
	m.keepMore(int64(len(msg)) + overhead)
	for m.old < len(m.sent) && (m.sentSize > m.keep.one || m.keep.kept.Load() > m.keep.all || !m.account.fits(m.keep.kept.Load(), 0)) {
		m.keepMore(-int64(len(m.sent[m.old])) - overhead)
		m.sent[m.old] = nil
		m.old++
	}
	if m.old > 64 && m.old > len(m.sent)/2 {
		n := copy(m.sent, m.sent[m.old:])
		clear(m.sent[n:])
		m.sent, m.old = m.sent[:n], 0
	}
}

func (m *mailbox) keepMore(bytes int64) {
	m.sentSize += bytes
	m.keep.kept.Add(bytes)
	m.account.add(bytes)
}

// letGo forgets what is kept.
func (m *mailbox) letGo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keep.kept != nil {
		m.keepMore(-m.sentSize)
		m.sent, m.old = nil, 0
	}
}

// written is the number of the last message that was written; the next one has
// the next number.
func (m *mailbox) written() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// resume goes on behind the message of that number, because the receiver, which
// has to be attached, has got that one and none after it. It may have got more
// than is known to be written.
func (m *mailbox) resume(after uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if after >= m.last {
		n := after - m.last
		if n > uint64(len(m.waiting)-m.head) {
			return errNoEvent
		}
		m.take(int(n))
		return nil
	}
	if m.last-after > uint64(len(m.sent)-m.old) {
		return errForgotten
	}
	from := len(m.sent) - int(m.last-after)
	again := append([][]byte(nil), m.sent[from:]...)
	clear(m.sent[from:])
	m.sent, m.last = m.sent[:from], after
	for _, msg := range again {
		cost := int64(len(msg)) + overhead
		m.keepMore(-cost)
		m.holds(cost)
	}
	m.waiting, m.head = append(again, m.waiting[m.head:]...), 0
	return nil
}

// resumed lets a stream go on where its client says that it was, or refuses it.
// Nobody is led to believe that nothing is missing: where what comes next is not
// kept, the connection ends.
func (s *Server) resumed(w http.ResponseWriter, r *http.Request, c *connection, m *mailbox) bool {
	given := r.Header.Get("Last-Event-Id")
	if given == "" {
		return true
	}
	after, err := strconv.ParseUint(given, 10, 64)
	if err == nil {
		err = m.resume(after)
	}
	switch err {
	case nil:
		return true
	case errForgotten:
		c.end(ending{code: overLimit, reason: "the client missed more than is kept"})
		s.refuse(w, r, http.StatusGone, err.Error())
	default:
		s.refuse(w, r, http.StatusBadRequest, errNoEvent.Error())
	}
	return false
}
