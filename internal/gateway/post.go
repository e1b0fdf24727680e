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

// sessionMethods are the methods that need a session: a request without the header is
// refused even if its params name no session.
var sessionMethods = map[string]bool{
	"session/load": true, "session/resume": true, "session/prompt": true, "session/cancel": true, "session/close": true,
	"session/delete": true, "session/fork": true, "session/set_mode": true, "session/set_model": true, "session/set_config_option": true,
}

// answeredOnConnection are the methods whose answers go to the stream of the connection,
// whatever session they name: their client may have no other stream.
var answeredOnConnection = map[string]bool{
	"session/new": true, "session/list": true, "session/load": true, "authenticate": true, "logout": true, "auth/login": true, "auth/logout": true,
}

// post handles one message of a client.
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
	e, ok := s.parse(w, r, body)
	switch {
	case !ok:
	case e.HasMethod("initialize") && c != nil:
		s.refuse(w, r, http.StatusBadRequest, "the connection is already initialized")
	case e.HasMethod("initialize") && envelope.Key(e.ID) == "":
		s.refuse(w, r, http.StatusBadRequest, "initialize must be a request with an id")
	case e.HasMethod("initialize"):
		s.initialize(w, r, body, e)
	case c == nil:
		s.refuse(w, r, http.StatusBadRequest, "missing "+connectionHeader)
	default:
		s.accept(w, r, c, body, e)
	}
}

// body reads the message and fails if no more of it arrives in time. The time for the
// response starts when the message has been read and passed to the agent.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if r.ContentLength > s.limits.Message {
		s.refuse(w, r, http.StatusRequestEntityTooLarge, "the message is too large")
		return nil, false
	}
	rc := http.NewResponseController(w)
	body, err := readAll(http.MaxBytesReader(w, &deadlineReader{Reader: r.Body, rc: rc, each: s.limits.Read, answer: 2 * s.limits.Stall}, s.limits.Message), r.ContentLength)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.refuse(w, r, http.StatusRequestEntityTooLarge, "the message is too large")
	case errors.Is(err, os.ErrDeadlineExceeded):
		s.refuse(w, r, http.StatusRequestTimeout, "the message did not arrive in time")
	case err != nil: // it broke off; its kind is unknown
		s.refuse(w, r, http.StatusRequestTimeout, "the message did not arrive")
	default:
		rc.SetReadDeadline(time.Time{})
		return body, true
	}
	return nil, false
}

// deadlineReader reads a body with a deadline for each part, and moves the one for the
// response.
type deadlineReader struct {
	io.Reader
	rc      *http.ResponseController
	each    time.Duration
	answer  time.Duration
	renewed time.Time
}

func (p *deadlineReader) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(p.renewed) > p.each/4 { // setting a deadline is not free
		p.renewed = now
		p.rc.SetReadDeadline(now.Add(p.each))
		p.rc.SetWriteDeadline(now.Add(p.each + p.answer))
	}
	return p.Reader.Read(b)
}

// Close implements io.Closer for http.MaxBytesReader.
func (p *deadlineReader) Close() error { return nil }

// readAll reads a body. Its buffer grows with the data received, not with the announced
// length.
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

// parse finds out what kind of message a body is.
func (s *Server) parse(w http.ResponseWriter, r *http.Request, body []byte) (*envelope.Envelope, bool) {
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

// initialize makes a connection and returns the answer of its agent.
func (s *Server) initialize(w http.ResponseWriter, r *http.Request, body []byte, e *envelope.Envelope) {
	c := s.admit(w, r)
	if c == nil {
		return
	}
	rc := http.NewResponseController(w)
	rc.SetWriteDeadline(time.Now().Add(s.limits.Initialize + s.limits.Stall))
	c.routes.open(e.ID)
	c.mailboxFor, c.main.retention = c.route, c.retention()
	if c.start() != nil {
		writeFailure(w, http.StatusInternalServerError, e.ID, codeInternal, c.cause.reason)
		return
	}
	id := e.ID
	c.received.Add(1)
	c.forward(r.Context(), body) // the queue is empty, so this cannot fail
	go c.receive()

	patience := time.NewTimer(s.limits.Initialize)
	defer patience.Stop()
	select {
	case answer := <-c.routes.answer:
		s.answerInitialize(w, r, c, answer)
	case <-c.ended:
		select {
		case answer := <-c.routes.answer: // the agent answered before it ended
			s.answerInitialize(w, r, c, answer)
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

// answerInitialize passes on the answer to initialize. A connection whose agent has refused
// cannot be initialized again, so it ends; the response carries an id anyway, because
// clients expect one.
func (s *Server) answerInitialize(w http.ResponseWriter, r *http.Request, c *connection, answer []byte) {
	if e, _ := envelope.Open(answer); e.Failed() {
		c.end(ending{reason: "the agent refused to initialize"})
	} else if s.register(c) {
		c.touch()
	}
	w.Header().Set(connectionHeader, c.id)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	s.setAffinityCookie(w, r)
	w.Write(answer)
}

// AffinityCookie is the name of the cookie for load balancers.
const AffinityCookie = "parley_affinity"

// setAffinityCookie sets the cookie. A value that names this server replaces any other,
// which may name a server that is gone; a random value that the client already has is kept.
func (s *Server) setAffinityCookie(w http.ResponseWriter, r *http.Request) {
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
	c.touch()
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
	default: // the agent stalls, or the client has given up
		w.Header().Set("Retry-After", "5")
		s.refuse(w, r, http.StatusServiceUnavailable, errAgentStalled.Error())
	}
}

// register notes where the answer to a message belongs, and checks its session. A status of
// 0 means success.
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
		if of := r.agentRequests[key]; given != "" && of != "" && given != of {
			return http.StatusBadRequest, "mismatched " + sessionHeader
		}
		delete(r.agentRequests, key)
		return 0, ""
	}
	name := envelope.Text(e.Method)
	session := envelope.Session(e.Params)
	switch {
	case given == "" && (headerSafe(session) || session == "" && sessionMethods[name]):
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
		if len(r.clientRequests) >= maxOpen {
			return http.StatusTooManyRequests, "too many unanswered requests"
		}
		r.clientRequests[key] = given
	}
	return 0, ""
}
