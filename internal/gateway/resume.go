package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
)

// retention bounds the messages retained after they were written to streams: they may be
// lost if a stream breaks.
type retention struct {
	perStream, perConnection int64         // bytes of one stream, and of all streams of the connection
	used                     *atomic.Int64 // bytes of all of them; nil if nothing is retained
}

// retainedPart is the part of the buffer (one in retainedPart) that may be retained in
// addition.
const retainedPart = 8

var (
	errExpired = errors.New("the messages after that event are no longer retained")
	errNoEvent = errors.New("there is no event with that id")
)

// recordWritten numbers a message that was written and retains it. m.mu is held.
func (m *mailbox) recordWritten(msg []byte) {
	m.last++
	if m.retention.used == nil {
		return
	}
	m.sent = append(m.sent, msg)
	m.countWritten(int64(len(msg)) + overhead)
	for m.old < len(m.sent) && (m.sentSize > m.retention.perStream || m.retention.used.Load() > m.retention.perConnection || !m.account.fits(m.retention.used.Load(), 0)) {
		m.countWritten(-int64(len(m.sent[m.old])) - overhead)
		m.sent[m.old] = nil
		m.old++
	}
	if m.old > 64 && m.old > len(m.sent)/2 {
		n := copy(m.sent, m.sent[m.old:])
		clear(m.sent[n:])
		m.sent, m.old = m.sent[:n], 0
	}
}

func (m *mailbox) countWritten(bytes int64) {
	m.sentSize += bytes
	m.retention.used.Add(bytes)
	m.account.add(bytes)
}

// dropWritten forgets the retained messages.
func (m *mailbox) dropWritten() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.retention.used != nil {
		m.countWritten(-m.sentSize)
		m.sent, m.old = nil, 0
	}
}

// written returns the number of the last message written; the next one has the next number.
func (m *mailbox) written() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// resume continues after the message with that number: the receiver, which must be
// attached, has received that one and none after it. It may have received more than is
// known to be written.
func (m *mailbox) resume(after uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if after >= m.last {
		n := after - m.last
		if n > uint64(len(m.waiting)-m.head) {
			return errNoEvent
		}
		m.dropLocked(int(n))
		return nil
	}
	if m.last-after > uint64(len(m.sent)-m.old) {
		return errExpired
	}
	from := len(m.sent) - int(m.last-after)
	again := append([][]byte(nil), m.sent[from:]...)
	clear(m.sent[from:])
	m.sent, m.last = m.sent[:from], after
	for _, msg := range again {
		cost := int64(len(msg)) + overhead
		m.countWritten(-cost)
		m.count(cost)
	}
	m.waiting, m.head = append(again, m.waiting[m.head:]...), 0
	return nil
}

// resumed lets a stream continue where its client says that it stopped, or refuses it. If
// the next message is no longer retained the connection ends, so that no client believes
// that nothing is missing.
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
	case errExpired:
		c.end(ending{code: overLimit, reason: "the client has missed messages that are no longer retained"})
		s.refuse(w, r, http.StatusGone, err.Error())
	default:
		s.refuse(w, r, http.StatusBadRequest, errNoEvent.Error())
	}
	return false
}
