// Package gateway serves an agent that speaks over standard streams at a URL (PROTOCOL
// 5.9): Streamable HTTP (POST, and event streams by GET) and WebSocket at one path, with
// one agent process for each connection.
//
// It relays. It reads the method, id and session of a message to find the stream it belongs
// to, and never decodes and re-encodes it: unknown members, big numbers, escapes and the
// order of members stay unchanged. There are three exceptions. Line breaks between the
// tokens of a JSON text become spaces, because a line break ends a message. Invalid UTF-8
// from the agent becomes U+FFFD, because peers close a WebSocket over it. Lines of the
// agent that are not JSON are dropped and logged.
//
// The output of an agent is read all the time and waits in memory until a client reads it.
// If a buffer is full, the agent has to wait for a client that is reading; if none reads,
// or too slowly, the connection ends. Whatever was being written when a stream broke is
// written again to its next receiver. The last messages written are retained for a time,
// because they may not have arrived: the events of a stream are numbered, and a client that
// sends the number of the last event it received as Last-Event-ID continues after it, so
// that no message is lost or repeated. "0" means none. If the messages that the client
// missed are no longer retained, the connection ends. A client that sends no number may
// receive a message twice, or miss some.
//
// An HTTP connection routes the messages of the agent. Answers to session/new,
// session/list, session/load and login requests go to the stream of the connection; every
// other answer goes to the stream of the session of its request. Requests and notifications
// go by params.sessionId, and everything else to the stream of the connection. Two rules go
// beyond the draft. A $/cancel_request of the agent follows the request that it withdraws,
// since streams have no order between them. A session whose id is not valid in a header
// uses the stream of the connection.
package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/acpclient/transport"
)

// DefaultPath is the path of the endpoint if none is configured.
const DefaultPath = "/acp"

// Agent is one running agent. Recv, Send and Close are those of a transport.Conn; all of
// them may be called from any goroutine. It is an interface so that tests of the server have
// agents in memory, and a clock of their own.
type Agent interface {
	transport.Conn
	// Kill ends the agent at once. Close must follow, or be running.
	Kill()
	// ExitReason describes in a few words for a log and a client, after Recv has failed, how the
	// agent ended ("exit code 3"). It may wait for a moment.
	ExitReason() string
}

// Options configure a Server.
type Options struct {
	// Start starts the agent of one connection of a client. Lines of log carry the number of the
	// connection; the agent's stderr goes there.
	Start func(c Client, log *slog.Logger) (Agent, error)

	// Identify returns whose token it is, false for an unknown one. It is called for each request, on any
	// goroutine, and compares in constant time. nil requires no token.
	Identify func(token string) (Client, bool)

	Path           string   // of the endpoint; "" is DefaultPath
	TokenInQuery   bool     // also accept the token as ?token=
	AllowOrigins   []string // origins of other hosts that browsers may come from, as scheme://host[:port], or "null"
	AllowHosts     []string // names of this server, with a port, or for every port
	StrictSessions bool     // answer 404 for the stream of a session that the connection has not mentioned
	CookieAffinity bool     // set a cookie by which a load balancer can send a client to the same server again
	AffinityValue  string   // its value: a name of this server, safe in a cookie; "" makes a random one for each client

	TLS    *tls.Config // nil: HTTP without TLS
	Limits Limits
	Log    *slog.Logger // nil: no log
}

// Limits bound what clients and agents can use up. A zero value means the one of
// DefaultLimits.
type Limits struct {
	Connections      int           // agents at a time
	Sessions         int           // session streams of one connection
	Message          int64         // bytes of one message of a client
	SessionBuffer    int64         // bytes waiting in one session's stream
	ConnectionBuffer int64         // bytes waiting in a connection in each direction, and bytes of one message of an agent
	TotalBuffer      int64         // bytes waiting in all connections
	Idle             time.Duration // how long a connection lives without a request and without a stream that is read
	Initialize       time.Duration // how long an agent may take to answer initialize
	Header           time.Duration // how long a client may take for the headers of a request
	Read             time.Duration // how long a client may take for each part of a body, and for the first message on a WebSocket
	Stall            time.Duration // how long a client may read nothing of what is written to it, a ping included; also how long an agent may
	Drain            time.Duration // how long shutting down may take
	KeepAlive        time.Duration // interval of comments on a quiet stream
	Ping             time.Duration // interval of pings on a WebSocket
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{
		Connections: 64, Sessions: 256,
		Message: 16 << 20, SessionBuffer: 16 << 20, ConnectionBuffer: 64 << 20, TotalBuffer: 512 << 20,
		Idle: 5 * time.Minute, Initialize: 5 * time.Minute, Header: 10 * time.Second, Read: time.Minute,
		Stall: time.Minute, Drain: 10 * time.Second, KeepAlive: 15 * time.Second, Ping: 30 * time.Second,
	}
}

func (l Limits) filled() Limits {
	d := DefaultLimits()
	return Limits{
		cmp.Or(l.Connections, d.Connections), cmp.Or(l.Sessions, d.Sessions),
		cmp.Or(l.Message, d.Message), cmp.Or(l.SessionBuffer, d.SessionBuffer), cmp.Or(l.ConnectionBuffer, d.ConnectionBuffer), cmp.Or(l.TotalBuffer, d.TotalBuffer),
		cmp.Or(l.Idle, d.Idle), cmp.Or(l.Initialize, d.Initialize), cmp.Or(l.Header, d.Header), cmp.Or(l.Read, d.Read),
		cmp.Or(l.Stall, d.Stall), cmp.Or(l.Drain, d.Drain), cmp.Or(l.KeepAlive, d.KeepAlive), cmp.Or(l.Ping, d.Ping),
	}
}

// Server is the endpoint and all its connections. It is an http.Handler; Serve also runs
// it.
type Server struct {
	Options
	limits Limits
	log    *slog.Logger
	access access
	budget *budget

	numbers atomic.Int64
	busy    sync.WaitGroup // one for each connection, until its agent and its socket are gone

	mu       sync.Mutex
	all      map[*connection]bool   // started or starting, until their agents are gone
	byID     map[string]*connection // initialized HTTP connections
	draining bool
}

// New returns a server with these options.
func New(o Options) *Server {
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, limits: o.Limits.filled(), log: o.Log, all: map[*connection]bool{}, byID: map[string]*connection{}}
	s.access = newAccess(o)
	s.budget = newBudget(s.limits.TotalBuffer, s.limits.Connections)
	return s
}

// ServeHTTP answers one request: it checks access first, then routes as in the draft.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if failure := recover(); failure != nil {
			s.log.Error("a handler panicked", "failure", fmt.Sprint(failure), "stack", string(debug.Stack()))
			panic(http.ErrAbortHandler)
		}
	}()
	if r.URL.Path == "/healthz" {
		health(w, r)
		return
	}
	if r = s.access.check(s, w, r); r == nil {
		return
	}
	if r.URL.Path != s.Path {
		s.refuse(w, r, http.StatusNotFound, "the endpoint is "+s.Path)
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodGet:
		if hasToken(r.Header["Upgrade"], "websocket") {
			s.upgrade(w, r)
		} else {
			s.stream(w, r)
		}
	case http.MethodDelete:
		s.delete(w, r)
	default:
		w.Header().Set("Allow", allowed)
		s.refuse(w, r, http.StatusMethodNotAllowed, "the endpoint supports "+allowed)
	}
}

const allowed = "GET, POST, DELETE"

// hasToken reports whether a header holds the word in a comma-separated list.
func hasToken(values []string, word string) bool {
	for _, v := range values {
		for token := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.TrimSpace(token), word) {
				return true
			}
		}
	}
	return false
}

func health(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Write([]byte(`{"status":"ok"}`))
}

// delete ends a connection; the agent may take a moment longer.
func (s *Server) delete(w http.ResponseWriter, r *http.Request) {
	c := s.named(w, r)
	if c == nil {
		return
	}
	c.end(ending{reason: "the client ended it"})
	w.WriteHeader(http.StatusAccepted)
}

// Headers of the draft.
const (
	connectionHeader = "Acp-Connection-Id"
	sessionHeader    = "Acp-Session-Id"
)

// named returns the connection that a request names, or refuses the request.
func (s *Server) named(w http.ResponseWriter, r *http.Request) *connection {
	id := r.Header.Get(connectionHeader)
	if id == "" {
		s.refuse(w, r, http.StatusBadRequest, "missing "+connectionHeader)
		return nil
	}
	s.mu.Lock()
	c := s.byID[id]
	s.mu.Unlock()
	if c == nil || c.client.ID != clientOf(r).ID {
		s.refuse(w, r, http.StatusNotFound, "unknown "+connectionHeader)
		return nil
	}
	return c
}

// newID returns an unguessable id.
func newID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// admit makes a connection if there is room for one and its client may have it, or refuses the request.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) *connection {
	s.mu.Lock()
	full, draining := len(s.all) >= s.limits.Connections, s.draining
	var c *connection
	if !full && !draining {
		c = newConnection(s, s.numbers.Add(1), r)
		s.all[c] = true
		s.busy.Add(1)
	}
	s.mu.Unlock()
	switch {
	case draining:
		s.refuse(w, r, http.StatusServiceUnavailable, "the server is shutting down")
	case full:
		w.Header().Set("Retry-After", "5")
		s.refuse(w, r, http.StatusServiceUnavailable, "the server has reached its limit of connections")
	case c.client.Admit != nil:
		if err := c.client.Admit(); err != nil {
			c.abandon("its token is not valid for it")
			s.access.unauthorized(s, w, r, err.Error())
			return nil
		}
	}
	return c
}

// register makes a connection findable by its id, unless it has ended.
func (s *Server) register(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.hasEnded() {
		return false
	}
	s.byID[c.id] = c
	return true
}

// unregister makes the id of a connection unknown.
func (s *Server) unregister(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, c.id)
}

// remove drops a connection of which nothing is left.
func (s *Server) remove(c *connection) {
	s.mu.Lock()
	delete(s.all, c)
	s.mu.Unlock()
	s.busy.Done()
}

// drain ends all connections, gracefully until ctx ends, then at once. It returns when
// nothing is left of them.
func (s *Server) drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	var all []*connection
	for c := range s.all {
		all = append(all, c)
	}
	s.mu.Unlock()
	for _, c := range all {
		c.end(ending{code: goingAway, reason: "the server is shutting down", drain: true})
	}
	finished := make(chan struct{})
	go func() { defer close(finished); s.busy.Wait() }()
	select {
	case <-finished:
		return
	case <-ctx.Done():
	}
	for _, c := range all {
		c.kill()
	}
	<-finished
}
