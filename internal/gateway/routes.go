package gateway

import (
	"sync"
	"time"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// maxOpen is how many requests of each side may be without an answer.
const maxOpen = 10_000

// routes knows, for a connection of HTTP, which stream a message belongs to.
// Its zero value is that of a connection without streams of sessions.
type routes struct {
	mu       sync.Mutex
	sessions map[string]*mailbox
	asked    map[string]string // session ("": the connection) of each request of the client that has no answer yet
	asking   map[string]string // the same for those of the agent
	first    string            // id of the initialize request
	answer   chan []byte       // takes its answer, once
	over     bool

	receivers int         // streams that somebody reads
	unread    bool        // one of them took nothing for too long, and the client has given no sign since
	idle      *time.Timer // runs while there are none, or unread is set; nil before the connection is known to its client
}

// open makes the routes of a connection that this request initializes.
func (r *routes) open(initialize []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions, r.asked, r.asking = map[string]*mailbox{}, map[string]string{}, map[string]string{}
	r.first, r.answer = envelope.Key(initialize), make(chan []byte, 1)
}

// finish ends all streams.
func (r *routes) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if r.idle != nil {
		r.idle.Stop()
	}
	for _, m := range r.sessions {
		m.finish()
	}
}

// session returns the stream of a session, making it where there is room; nil
// where there is none, or nothing that is kept.
func (c *connection) session(id string, strict bool) *mailbox {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.sessions[id]
	if m != nil || strict || r.over {
		return m
	}
	limits := c.server.limits
	if len(r.sessions) >= limits.Sessions && !r.forget(c.server.StrictSessions) {
		return nil
	}
	m = newMailbox(limits.SessionBuffer, limits.ConnectionBuffer, &c.buffered, c.account)
	m.keep = c.keeping()
	r.sessions[id] = m
	return m
}

// keeping is what is kept for the streams of a connection of HTTP.
func (c *connection) keeping() keeping {
	limits := c.server.limits
	return keeping{limits.SessionBuffer / keptPart, limits.ConnectionBuffer / keptPart, &c.kept}
}

// forget drops a session in whose stream nothing is lost. Where sessions have to
// be known, none is dropped.
func (r *routes) forget(strict bool) bool {
	if strict {
		return false
	}
	for id, m := range r.sessions {
		if m.unused() {
			m.letGo()
			delete(r.sessions, id)
			return true
		}
	}
	return false
}

// route finds the stream for what the agent says; nil if it answers initialize,
// which is handed over instead. The agent is not trusted to keep to any order.
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
		c.log.Debug("session shares the connection's stream: limit of streams reached")
	}
	return c.main
}

// initialized hands the answer to initialize over.
func (c *connection) initialized(e *envelope.Envelope, msg []byte) bool {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first == "" || envelope.Key(e.ID) != r.first {
		return false
	}
	r.first = ""
	r.answer <- msg
	return true
}

// sessionOfBatch is the session that all entries belong to, if there is one.
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
			continue // the others may be answers all the same
		}
		session = own
	}
	return session
}

// sessionOf is the session whose stream a message of the agent belongs to; ""
// for the connection's.
func (c *connection) sessionOf(e *envelope.Envelope) string {
	r := &c.routes
	if e.IsAnswer() {
		if id := envelope.Text(envelope.Member(e.Result, "sessionId")); headerSafe(id) {
			c.session(id, false) // from here on it is known
		}
		key := envelope.Key(e.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		session := r.asked[key]
		delete(r.asked, key)
		return session
	}
	if e.Calls("$/cancel_request") {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.asking[envelope.Key(envelope.Member(e.Params, "requestId"))]
	}
	session := envelope.Text(e.Session)
	if !headerSafe(session) {
		session = ""
	}
	if key := envelope.Key(e.ID); key != "" && len(key) <= maxID {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.asking) < maxOpen { // else its answer cannot be checked, which harms nobody
			r.asking[key] = session
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
	c.rest()
}

// detach is the end of one. One that its client left unread tells more than those that
// are open: what lies between takes their comments for ever.
func (c *connection) detach(unread bool) {
	r := &c.routes
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receivers--
	r.unread = r.unread || unread
	c.rest()
}

// rest starts the time that an idle connection lives, anew; routes are locked.
func (c *connection) rest() {
	r := &c.routes
	switch {
	case r.over:
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

// stir says that the client is there.
func (c *connection) stir() {
	c.routes.mu.Lock()
	defer c.routes.mu.Unlock()
	c.routes.unread = false
	c.rest()
}
