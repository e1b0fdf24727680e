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
	// batchSize is how much is taken from a mailbox before it is written.
	batchSize = 256 << 10
	// pieceSize is how much is written before the client's time to take it starts
	// anew.
	pieceSize = 64 << 10
)

// comment is an event of nothing: it shows that the stream is alive, and pushes
// the headers through proxies.
var comment = []byte(":\n\n")

// stream sends the messages of a connection, or of one of its sessions, as they
// come, until the client goes away or the connection ends.
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
		s.refuse(w, r, http.StatusConflict, "the stream already has a receiver")
		return
	}
	if !s.resumed(w, r, c, from) {
		from.detach()
		return
	}
	c.attach()
	c.log.Debug("stream started", "session", r.Header.Get(sessionHeader) != "")
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

// accepts tells whether an Accept header names a type itself; "*/*" does not.
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

// mailboxOf finds the stream that a request asks for, or refuses it.
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
	renewed time.Time // when the client's time to take something started

	mu      sync.Mutex
	writing bool
	over    bool // nothing more shall be written
}

// lastWrite is how long a write may go on that is under way when a stream has to
// end.
const lastWrite = time.Second

// interrupt bounds a write that is under way, and prevents later ones. So a
// stream that is not stuck ends as it should, with what HTTP puts at the end.
func (e *events) interrupt() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	if e.writing {
		e.rc.SetWriteDeadline(time.Now().Add(lastWrite))
	}
}

var errInterrupted = errors.New("interrupted")

// begin is the start of a write. The deadline is moved now and then only, because
// moving it is not free.
func (e *events) begin() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return errInterrupted
	}
	e.writing = true
	if now := time.Now(); now.Sub(e.renewed) > e.stall/4 {
		e.renewed = now
		e.rc.SetWriteDeadline(now.Add(e.stall))
	}
	return nil
}

func (e *events) rest() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.writing = false
}

// send is the life of a stream. The error is that of writing.
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
				return err // what was not taken waits for the next receiver
			}
			from.ack(len(batch))
			c.stir()
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

// pieces are buffers that events are put together in; a stream at rest has none.
var pieces = sync.Pool{New: func() any { b := make([]byte, 0, pieceSize); return &b }}

// eventRoom is how many bytes an event has at most besides its message.
const eventRoom = len("id: 18446744073709551615\ndata: \n\n")

// writeAll writes messages as events, numbered from first on, and flushes.
func (e *events) writeAll(batch [][]byte, first uint64) error {
	pooled := pieces.Get().(*[]byte)
	defer pieces.Put(pooled)
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

// write writes bytes piece by piece. For each the client has its time.
func (e *events) write(p []byte) error {
	for len(p) > 0 {
		if err := e.begin(); err != nil {
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

// flush sends what was written.
func (e *events) flush() error {
	defer e.rest()
	return e.rc.Flush()
}

func (e *events) writeComment() error {
	if err := e.write(comment); err != nil {
		return err
	}
	return e.flush()
}
