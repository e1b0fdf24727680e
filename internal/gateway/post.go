package gateway

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"time"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// onSession are the methods that belong to a session, so that a request without
// the header is refused even if it names none in its params either.
var onSession = map[string]bool{
	"session/load": true, "session/resume": true, "session/prompt": true, "session/cancel": true, "session/close": true,
	"session/delete": true, "session/fork": true, "session/set_mode": true, "session/set_model": true, "session/set_config_option": true,
}

// answeredOnConnection are the methods whose answers go to the stream of the
// connection whatever session they name: their client may not have another one.
var answeredOnConnection = map[string]bool{
	"session/new": true, "session/list": true, "session/load": true, "authenticate": true, "logout": true, "auth/login": true, "auth/logout": true,
}

// post takes one message of a client.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		s.refuse(w, r, http.StatusUnsupportedMediaType, "a message must have the Content-Type application/json")
		return
	}
	var c *connection
	if len(r.Header[connectionHeader]) > 0 {
		if c = s.named(w, r); c == nil {
			return
		}
	}
	body, ok := s.body(w, r)
	if !ok {
		return
	}
	e, ok := s.look(w, r, body)
	switch {
	case !ok:
	case e.Calls("initialize") && c != nil:
		s.refuse(w, r, http.StatusBadRequest, "the connection is already initialized")
	case e.Calls("initialize") && envelope.Key(e.ID) == "":
		s.refuse(w, r, http.StatusBadRequest, "initialize must be a request with an id")
	case e.Calls("initialize"):
		s.initialize(w, r, body, e)
	case c == nil:
		s.refuse(w, r, http.StatusBadRequest, "missing "+connectionHeader)
	default:
		s.accept(w, r, c, body, e)
	}
}

// body reads the message, and gives up one of which nothing more comes. The time to
// answer starts when it was read and is with the agent.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if r.ContentLength > s.limits.Message {
		s.refuse(w, r, http.StatusRequestEntityTooLarge, "the message is too large")
		return nil, false
	}
	rc := http.NewResponseController(w)
	body, err := readAll(http.MaxBytesReader(w, &patient{Reader: r.Body, rc: rc, each: s.limits.Read, answer: 2 * s.limits.Stall}, s.limits.Message), r.ContentLength)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.refuse(w, r, http.StatusRequestEntityTooLarge, "the message is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.refuse(w, r, http.StatusRequestTimeout, "the message did not arrive in time")
	case err != nil: // it broke off: no word on what it was
		s.refuse(w, r, http.StatusRequestTimeout, "the message did not arrive")
	default:
		rc.SetReadDeadline(time.Time{})
		return body, true
	}
	return nil, false
}

// patient reads a body, each part of which has its time, and then the answer.
type patient struct {
	io.Reader
	rc      *http.ResponseController
	each    time.Duration
	answer  time.Duration
	renewed time.Time
}

func (p *patient) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(p.renewed) > p.each/4 { // it is not free
		p.renewed = now
		p.rc.SetReadDeadline(now.Add(p.each))
		p.rc.SetWriteDeadline(now.Add(p.each + p.answer))
	}
	return p.Reader.Read(b)
}

// Close implements io.Closer for http.MaxBytesReader.
func (p *patient) Close() error { return nil }

// readAll reads a body. Memory grows with what has come, not with what was
// announced.
func readAll(from io.Reader, size int64) ([]byte, error) {
	if size < 0 {
		size = 512
	}
	body := make([]byte, 0, min(size+1, 64<<10)) // one more, to see the end without growing
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return nil, err
		}
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body))
		}
	}
}

// look finds out what a message is.
func (s *Server) look(w http.ResponseWriter, r *http.Request, body []byte) (*envelope.Envelope, bool) {
	if !jsonscan.Valid(body) {
		writeFailure(w, http.StatusBadRequest, nil, codeParse, "Parse error")
		return nil, false
	}
	switch jsonscan.KindOf(body) {
	case jsonscan.Object:
	case jsonscan.Array:
		s.refuse(w, r, http.StatusNotImplemented, "batches are not supported over HTTP")
		return nil, false
	default:
		s.refuse(w, r, http.StatusBadRequest, "a message must be an object")
		return nil, false
	}
	e, ok := envelope.Open(body)
	switch {
	case !ok || e.Method == nil && !e.IsAnswer() || e.Method != nil && jsonscan.KindOf(e.Method) != jsonscan.String:
		s.refuse(w, r, http.StatusBadRequest, "not a request, a notification or a response")
	case len(e.ID) > maxID:
		s.refuse(w, r, http.StatusBadRequest, "the id is too long")
	default:
		return &e, true
	}
	return nil, false
}

// initialize makes a connection and answers with what its agent says.
func (s *Server) initialize(w http.ResponseWriter, r *http.Request, body []byte, e *envelope.Envelope) {
	c := s.admit(w, r)
	if c == nil {
		return
	}
	rc := http.NewResponseController(w)
	rc.SetWriteDeadline(time.Now().Add(s.limits.Initialize + s.limits.Stall))
	c.routes.open(e.ID)
	c.place, c.main.keep = c.route, c.keeping()
	if c.start() != nil {
		writeFailure(w, http.StatusInternalServerError, e.ID, codeInternal, c.cause.reason)
		return
	}
	id := e.ID
	c.received.Add(1)
	c.forward(r.Context(), body) // the queue is empty: it cannot fail
	go c.receive()

	patience := time.NewTimer(s.limits.Initialize)
	defer patience.Stop()
	select {
	case answer := <-c.routes.answer:
		s.welcome(w, r, c, answer)
	case <-c.ended:
		select {
		case answer := <-c.routes.answer: // its last words
			s.welcome(w, r, c, answer)
		default:
			writeFailure(w, statusOfEnd(c.cause), id, codeInternal, c.cause.reason)
		}
	case <-patience.C:
		c.end(ending{code: internalError, reason: "the agent did not answer initialize in time"})
		writeFailure(w, http.StatusGatewayTimeout, id, codeInternal, c.cause.reason)
	case <-r.Context().Done():
		c.end(ending{reason: "the client went away before the agent answered initialize"})
	}
}

func statusOfEnd(e ending) int {
	if e.code == goingAway {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// welcome passes on the answer to initialize. A connection that the agent has
// refused is of no use to anyone, since it cannot be initialized again: it ends,
// but has an id all the same, because clients expect one.
func (s *Server) welcome(w http.ResponseWriter, r *http.Request, c *connection, answer []byte) {
	if e, _ := envelope.Open(answer); e.Failed() {
		c.end(ending{reason: "the agent refused to initialize"})
	} else if s.publish(c) {
		c.stir()
	}
	w.Header().Set(connectionHeader, c.id)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	s.stick(w, r)
	w.Write(answer)
}

// AffinityCookie is the name of the cookie for load balancers.
const AffinityCookie = "parley_affinity"

// stick sets the cookie. One that names this server is set whatever the client
// has, since that may be the name of a server that is gone; one that says nothing
// is set again.
func (s *Server) stick(w http.ResponseWriter, r *http.Request) {
	if !s.CookieAffinity {
		return
	}
	value := s.AffinityValue
	if value == "" {
		value = newID()
		if had, err := r.Cookie(AffinityCookie); err == nil && len(had.Value) == len(value) && isHex(had.Value) {
			value = had.Value
		}
	}
	http.SetCookie(w, &http.Cookie{Name: AffinityCookie, Value: value, Path: s.Path, HttpOnly: true, Secure: s.TLS != nil, SameSite: http.SameSiteLaxMode})
}

func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// accept checks a message of an initialized connection and forwards it.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, c *connection, body []byte, e *envelope.Envelope) {
	c.stir()
	if status, why := c.register(e, r.Header[sessionHeader]); status != 0 {
		s.refuse(w, r, status, why)
		return
	}
	switch err := c.forward(r.Context(), body); {
	case err == nil:
		c.received.Add(1)
		w.WriteHeader(http.StatusAccepted)
	case errors.Is(err, errEnded):
		s.refuse(w, r, http.StatusNotFound, "unknown "+connectionHeader)
	default: // it stalls, or the client has given up and reads nothing any more
		w.Header().Set("Retry-After", "5")
		s.refuse(w, r, http.StatusServiceUnavailable, errAgentStalled.Error())
	}
}

// register notes where the answer to a message belongs, and checks its session.
// A status of 0 says that all is well.
func (c *connection) register(e *envelope.Envelope, header []string) (status int, why string) {
	given := ""
	if len(header) > 0 {
		if given = header[0]; len(header) > 1 || !headerSafe(given) {
			return http.StatusBadRequest, "invalid " + sessionHeader
		}
	}
	r := &c.routes
	if e.IsAnswer() {
		key := envelope.Key(e.ID)
		r.mu.Lock()
		defer r.mu.Unlock()
		if of := r.asking[key]; given != "" && of != "" && given != of {
			return http.StatusBadRequest, "mismatched " + sessionHeader
		}
		delete(r.asking, key)
		return 0, ""
	}
	name := envelope.Text(e.Method)
	session := envelope.Text(e.Session)
	switch {
	case given == "" && (headerSafe(session) || session == "" && onSession[name]):
		return http.StatusBadRequest, "missing " + sessionHeader
	case given != "" && session != "" && given != session:
		return http.StatusBadRequest, "mismatched " + sessionHeader
	}
	if session == "" && answeredOnConnection[name] {
		given = "" // it belongs to no session, whatever the header says
	}
	if given != "" && c.session(given, false) == nil && !c.hasEnded() {
		return http.StatusTooManyRequests, "the connection has reached its limit of sessions"
	}
	if answeredOnConnection[name] {
		given = ""
	}
	if key := envelope.Key(e.ID); key != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.asked) >= maxOpen {
			return http.StatusTooManyRequests, "too many unanswered requests"
		}
		r.asked[key] = given
	}
	return 0, ""
}
