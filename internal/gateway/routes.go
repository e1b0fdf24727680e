package gateway

import (
	"sync"
	"time"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// maxOpen is the most unanswered requests of each side.
const maxOpen = 10_000

// routes maps the messages of an HTTP connection to streams. Its zero value is for a
// connection without session streams.
type routes struct {
	mu             sync.Mutex
	sessions       map[string]*mailbox
	clientRequests map[string]string // session of each unanswered request of the client; "" is the connection
	agentRequests  map[string]string // the same for requests of the agent
	initializeID   string            // id of the initialize request
	answer         chan []byte       // receives its answer, once
	closed         bool

	receivers int         // streams that are being read
	unread    bool        // a stream was not read for too long, and the client has given no sign of life since
	idle      *time.Timer // runs while there are no receivers, or unread is set; nil before the client knows the connection
}

// open sets up the routes of a connection initialized by the request with this id.
func (r *routes) open(initialize []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions, r.clientRequests, r.agentRequests = map[string]*mailbox{}, map[string]string{}, map[string]string{}
	r.initializeID, r.answer = envelope.Key(initialize), make(chan []byte, 1)
}

// finish ends all streams.
func (r *routes) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.idle != nil {
		r.idle.Stop()
	}
	for _, m := range r.sessions {
		m.finish()
	}
}

// session returns the stream of a session. If strict is false it makes a missing one. It
// returns nil if there is no stream and none may be made.
func (c *connection) session(id string, strict bool) *mailbox {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sessions[id]
	if m != nil || strict || r.closed {
		return m
	}
	limits := c.server.limits
	if len(r.sessions) >= limits.Sessions && !r.forget(c.server.StrictSessions) {
		return nil
	}
	m = newMailbox(limits.SessionBuffer, limits.ConnectionBuffer, &c.buffered, c.account)
	m.retention = c.retention()
	r.sessions[id] = m
	return m
}

// retention returns the limits for the streams of an HTTP connection.
func (c *connection) retention() retention {
	limits := c.server.limits
	return retention{limits.SessionBuffer / retainedPart, limits.ConnectionBuffer / retainedPart, &c.retained}
}

// forget drops a session whose stream holds nothing. In strict mode it drops none.
func (r *routes) forget(strict bool) bool {
	if strict {
		return false
	}
	for id, m := range r.sessions {
		if m.unused() {
			m.dropWritten()
			delete(r.sessions, id)
			return true
		}
	}
	return false
}

// route returns the stream for a message of the agent. It returns nil for the answer to
// initialize, which is handed over instead. The agent is not trusted to keep any order.
func (c *connection) route(msg []byte) *mailbox {
	session := ""
	if jsonscan.KindOf(msg) == jsonscan.Array {
		session = c.sessionOfBatch(msg)
	} else if e, ok := envelope.Open(msg); ok {
		if e.IsAnswer() && c.initialized(&e, msg) {
			return nil
		}
		session = c.sessionOf(&e)
	}
	if session != "" {
		if m := c.session(session, false); m != nil {
			return m
		}
		c.log.Debug("a session uses the stream of the connection: the limit of sessions is reached")
	}
	return c.main
}

// initialized hands over the answer to initialize.
func (c *connection) initialized(e *envelope.Envelope, msg []byte) bool {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.initializeID == "" || envelope.Key(e.ID) != r.initializeID {
		return false
	}
	r.initializeID = ""
	r.answer <- msg
	return true
}

// sessionOfBatch returns the session that all entries of a batch belong to, "" if they
// differ.
func (c *connection) sessionOfBatch(msg []byte) string {
	session, n := "", 0
	for it := jsonscan.ItemsOf(msg); it.Next(); n++ {
		e, ok := envelope.Open(it.Value)
		if !ok {
			return ""
		}
		own := c.sessionOf(&e)
		if n > 0 && own != session {
			session = ""
			continue // the remaining entries may be answers too
		}
		session = own
	}
	return session
}

// sessionOf returns the session whose stream a message of the agent belongs to; "" is the
// connection's stream.
func (c *connection) sessionOf(e *envelope.Envelope) string {
	r := &c.routes
	if e.IsAnswer() {
		if id := envelope.Text(envelope.Member(e.Result, "sessionId")); headerSafe(id) {
			c.session(id, false) // known from here on
		}
		key := envelope.Key(e.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		session := r.clientRequests[key]
		delete(r.clientRequests, key)
		return session
	}
	if e.HasMethod("$/cancel_request") {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.agentRequests[envelope.Key(envelope.Member(e.Params, "requestId"))]
	}
	session := envelope.Session(e.Params)
	if !headerSafe(session) {
		session = ""
	}
	if key := envelope.Key(e.ID); key != "" && len(key) <= maxID {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.agentRequests) < maxOpen { // otherwise its answer is not checked, which is harmless
			r.agentRequests[key] = session
		}
	}
	return session
}

// attach counts a stream that is read: the connection is not idle.
func (c *connection) attach() {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receivers++
	r.unread = false
	c.resetIdle()
}

// detach is the end of such a stream. A stream left unread says more than others that are
// open, because a proxy in between may accept their comments forever.
func (c *connection) detach(unread bool) {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receivers--
	r.unread = r.unread || unread
	c.resetIdle()
}

// resetIdle restarts the idle timer. r.mu is held.
func (c *connection) resetIdle() {
	r := &c.routes
	switch {
	case r.closed:
	case r.receivers > 0 && !r.unread:
		if r.idle != nil {
			r.idle.Stop()
		}
	case r.idle == nil:
		r.idle = time.AfterFunc(c.server.limits.Idle, c.expire)
	default:
		r.idle.Reset(c.server.limits.Idle)
	}
}

func (c *connection) expire() {
	c.routes.mu.Lock()
	unread, idle := c.routes.unread, c.routes.receivers == 0
	c.routes.mu.Unlock()
	switch {
	case unread:
		c.end(ending{reason: "the client does not read"})
	case idle:
		c.end(ending{reason: "idle: no stream is read"})
	}
}

// touch records a sign of life of the client.
func (c *connection) touch() {
	c.routes.mu.Lock()
	defer c.routes.mu.Unlock()
	c.routes.unread = false
	c.resetIdle()
}
