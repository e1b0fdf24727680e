package gateway

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// batchSize is how many bytes are taken from a mailbox before they are written.
	batchSize = 256 << 10
	// pieceSize is how many bytes are written before the client's deadline starts again.
	pieceSize = 64 << 10
)

// comment is an empty event: it shows that the stream is alive, and pushes the headers
// through proxies.
var comment = []byte(":\n\n")

// stream sends the messages of a connection, or of one of its sessions, as they arrive,
// until the client leaves or the connection ends.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header["Accept"], "text/event-stream") {
		s.refuse(w, r, http.StatusNotAcceptable, "a stream needs Accept: text/event-stream")
		return
	}
	c := s.named(w, r)
	if c == nil {
		return
	}
	from := s.mailboxOf(w, r, c)
	if from == nil {
		return
	}
	if !from.attach() {
		s.refuse(w, r, http.StatusConflict, "the stream has a receiver already")
		return
	}
	if !s.resumed(w, r, c, from) {
		from.detach()
		return
	}
	c.attach()
	c.log.Debug("stream begins", "session", r.Header.Get(sessionHeader) != "")
	unread := false
	defer func() {
		from.detach()
		c.detach(unread)
		c.log.Debug("stream ends", "session", r.Header.Get(sessionHeader) != "")
	}()

	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	h.Set(connectionHeader, c.id)
	if id := r.Header.Get(sessionHeader); id != "" {
		h.Set(sessionHeader, id)
	}
	e := &events{w: w, rc: http.NewResponseController(w), stall: s.limits.Stall + s.limits.KeepAlive}
	defer c.whenCut(e.interrupt)()
	unread = e.send(r, c, from, s.limits.KeepAlive) != nil && time.Since(e.renewed) >= e.stall
}

// accepts reports whether an Accept header names a type itself; "*/*" does not count.
func accepts(values []string, kind string) bool {
	for _, v := range values {
		for part := range strings.SplitSeq(v, ",") {
			name, _, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(name), kind) {
				return true
			}
		}
	}
	return false
}

// mailboxOf returns the stream that a request asks for, or refuses the request.
func (s *Server) mailboxOf(w http.ResponseWriter, r *http.Request, c *connection) *mailbox {
	given := r.Header[sessionHeader]
	if len(given) == 0 {
		return c.main
	}
	if len(given) > 1 || !headerSafe(given[0]) {
		s.refuse(w, r, http.StatusBadRequest, "invalid "+sessionHeader)
		return nil
	}
	m := c.session(given[0], s.StrictSessions)
	switch {
	case m != nil:
	case c.hasEnded():
		s.refuse(w, r, http.StatusNotFound, "unknown "+connectionHeader)
	case s.StrictSessions:
		s.refuse(w, r, http.StatusNotFound, "unknown "+sessionHeader)
	default:
		s.refuse(w, r, http.StatusTooManyRequests, "the connection has reached its limit of sessions")
	}
	return m
}

// events writes one stream.
type events struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	stall   time.Duration
	renewed time.Time // start of the current deadline

	mu      sync.Mutex
	writing bool
	closed  bool // nothing more may be written
}

// lastWrite is how long a write under way may take when a stream has to end.
const lastWrite = time.Second

// interrupt bounds a write that is under way and prevents later ones. A stream that is not
// stuck so ends properly, with the final bytes of HTTP.
func (e *events) interrupt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	if e.writing {
		e.rc.SetWriteDeadline(time.Now().Add(lastWrite))
	}
}

var errInterrupted = errors.New("interrupted")

// beginWrite starts a write. It moves the deadline only now and then, because moving it is
// not free.
func (e *events) beginWrite() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errInterrupted
	}
	e.writing = true
	if now := time.Now(); now.Sub(e.renewed) > e.stall/4 {
		e.renewed = now
		e.rc.SetWriteDeadline(now.Add(e.stall))
	}
	return nil
}

func (e *events) endWrite() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writing = false
}

// send writes a stream until it ends. The error is that of writing.
func (e *events) send(r *http.Request, c *connection, from *mailbox, pause time.Duration) error {
	if err := e.writeComment(); err != nil {
		return err
	}
	alive := time.NewTimer(pause)
	defer alive.Stop()
	var batch [][]byte
	for {
		select {
		case <-c.cut:
			return nil
		default:
		}
		var last bool
		batch, last = from.peek(batch[:0], batchSize)
		if len(batch) > 0 {
			if err := e.writeAll(batch, from.written()+1); err != nil {
				return err // unwritten messages wait for the next receiver
			}
			from.ack(len(batch))
			c.touch()
			clear(batch)
			alive.Reset(pause)
			continue
		}
		if last {
			return nil
		}
		select {
		case <-from.more:
		case <-c.cut:
		case <-r.Context().Done():
			return nil
		case <-alive.C:
			if err := e.writeComment(); err != nil {
				return err
			}
			alive.Reset(pause)
		}
	}
}

// writeBuffers are buffers that events are assembled in; an idle stream holds none.
var writeBuffers = sync.Pool{New: func() any { b := make([]byte, 0, pieceSize); return &b }}

// eventRoom is the most bytes of an event besides its message.
const eventRoom = len("id: 18446744073709551615\ndata: \n\n")

// writeAll writes messages as events, numbered from first, and flushes.
func (e *events) writeAll(batch [][]byte, first uint64) error {
	pooled := writeBuffers.Get().(*[]byte)
	defer writeBuffers.Put(pooled)
	piece := (*pooled)[:0]
	for i, msg := range batch {
		if len(piece)+len(msg)+eventRoom > pieceSize {
			if err := e.write(piece); err != nil {
				return err
			}
			piece = piece[:0]
		}
		piece = append(piece, "id: "...)
		piece = strconv.AppendUint(piece, first+uint64(i), 10)
		piece = append(piece, "\ndata: "...)
		if len(piece)+len(msg)+2 > pieceSize {
			if err := e.write(piece); err != nil {
				return err
			}
			if err := e.write(msg); err != nil {
				return err
			}
			piece = piece[:0]
		} else {
			piece = append(piece, msg...)
		}
		piece = append(piece, "\n\n"...)
	}
	if err := e.write(piece); err != nil {
		return err
	}
	return e.flush()
}

// write writes p in pieces, each with its own deadline.
func (e *events) write(p []byte) error {
	for len(p) > 0 {
		if err := e.beginWrite(); err != nil {
			return err
		}
		n, err := e.w.Write(p[:min(len(p), pieceSize)])
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// flush sends the written data.
func (e *events) flush() error {
	defer e.endWrite()
	return e.rc.Flush()
}

func (e *events) writeComment() error {
	if err := e.write(comment); err != nil {
		return err
	}
	return e.flush()
}
