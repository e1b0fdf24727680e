// Package gateway puts an agent that speaks over its standard streams behind a
// URL (PROTOCOL 5.9): Streamable HTTP (POST, and streams of events by GET) and
// WebSocket at one path, one agent process for each connection.
//
// It relays. A message is looked at (its method, its id, the session it names) to
// find the stream it belongs to, and is never decoded and encoded again: members
// unknown to anyone, big numbers, escapes and the order of members pass as they
// are. Three things are not passed on as they came: line breaks between the
// tokens of a JSON text become blanks, because a line break ends a message;
// bytes of the agent that are no UTF-8 become U+FFFD, because peers close a
// WebSocket over them; and lines of the agent that are no JSON text are dropped
// and noted in the log.
//
// What an agent writes is read all the time, and waits in memory until a client
// takes it. When as much waits as may wait, the agent has to wait for a client
// that is taking it; where nobody does, or too slowly, the connection ends. What
// was being written when a stream broke is written again to its next receiver.
// What was written last is kept for a time, because it may not have arrived: the
// events of a stream are numbered, and a client that says with Last-Event-ID
// which was the last one that it got goes on behind that, so that no message is
// lost and none comes twice. "0" stands for none at all. Where what it misses is
// not kept any more the connection ends. A client that says nothing may get a
// message twice, or miss what was on its way.
//
// A connection of HTTP routes what the agent says: answers to session/new,
// session/list, session/load and those of logins to the stream of the
// connection, every other answer to the stream of the session that was asked
// for; requests and notifications by params.sessionId; what is left to the stream
// of the connection. Two things go further than the draft. A $/cancel_request of
// the agent follows the request that it withdraws, since streams have no order
// between them. A session whose id cannot stand in a header has no stream of its
// own and uses that of the connection.
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

// DefaultPath is where the endpoint is unless something else is said.
const DefaultPath = "/acp"

// Agent is one running agent. Recv, Send and Close are those of a
// transport.Conn; all of them may be called from any goroutine.
type Agent interface {
	transport.Conn
	// Kill ends the agent without giving it time; Close has to follow, or to be
	// under way.
	Kill()
	// Ended says, after Recv has failed, how the agent ended, in a few words for
	// a log and a client ("exit code 3"). It may wait for a moment.
	Ended() string
}

// Options say what is served and to whom.
type Options struct {
	// Start starts the agent of one connection. The log knows the number of the
	// connection; it gets the agent's stderr.
	Start func(log *slog.Logger) (Agent, error)

	Path           string   // of the endpoint; "" is DefaultPath
	Token          string   // bearer token that every request must show; "" asks for none
	TokenInQuery   bool     // accept it as ?token= as well
	AllowOrigins   []string // origins of other hosts that browsers may come from, as scheme://host[:port], or "null"
	AllowHosts     []string // names this server goes by, with a port or for every port
	StrictSessions bool     // 404 for the stream of a session that the connection has not spoken of
	CookieAffinity bool     // set a cookie by which a load balancer can send a client to the same server again
	AffinityValue  string   // what is in it: a name of this server, safe in a cookie; "" is another one for each client

	TLS    *tls.Config // nil: HTTP without TLS
	Limits Limits
	Log    *slog.Logger // nil: no log
}

// Limits bound what clients and agents can use up. A zero value means the
// default, which DefaultLimits tells.
type Limits struct {
	Connections      int           // agents at a time
	Sessions         int           // streams of sessions that a connection can have
	Message          int64         // bytes of one message of a client
	SessionBuffer    int64         // bytes that wait in one session's stream
	ConnectionBuffer int64         // bytes that wait in a connection each way, and of one message of an agent
	TotalBuffer      int64         // bytes that wait in all connections
	Idle             time.Duration // how long a connection lives without a stream, or with one that is left unread, and without a request
	Initialize       time.Duration // how long an agent may take to answer initialize
	Header           time.Duration // how long a client may take for the headers of a request
	Read             time.Duration // how long it may take for each part of a body, and for the first message on a WebSocket
	Stall            time.Duration // how long it may take nothing of what is written to it, a ping included; also how long an agent may
	Drain            time.Duration // how long ending everything may take
	KeepAlive        time.Duration // pause after which a stream gets a comment
	Ping             time.Duration // pause between two pings on a WebSocket
}

// DefaultLimits are the limits where nothing else is said.
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

// Server is the endpoint and all its connections. It is an http.Handler; Serve
// also runs it.
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
	byID     map[string]*connection // those of HTTP that are initialized
	draining bool
}

// New makes a server.
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

// ServeHTTP answers one request: who may come in first, then the routing of
// the draft.
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
	if done := s.access.check(s, w, r); done {
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

// hasToken tells whether a header holds one of its comma-separated words.
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

// The headers of the draft.
const (
	connectionHeader = "Acp-Connection-Id"
	sessionHeader    = "Acp-Session-Id"
)

// named finds the connection that a request names, or refuses it.
func (s *Server) named(w http.ResponseWriter, r *http.Request) *connection {
	id := r.Header.Get(connectionHeader)
	if id == "" {
		s.refuse(w, r, http.StatusBadRequest, "missing "+connectionHeader)
		return nil
	}
	s.mu.Lock()
	c := s.byID[id]
	s.mu.Unlock()
	if c == nil {
		s.refuse(w, r, http.StatusNotFound, "unknown "+connectionHeader)
	}
	return c
}

// newID makes an id that nobody can guess.
func newID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// admit makes a connection if there is room for one; else it refuses the request.
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
	}
	return c
}

// publish makes a connection findable by its id, unless it has ended.
func (s *Server) publish(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.hasEnded() {
		return false
	}
	s.byID[c.id] = c
	return true
}

// conceal makes a connection unknown.
func (s *Server) conceal(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byID, c.id)
}

// gone says that nothing of a connection is left.
func (s *Server) gone(c *connection) {
	s.mu.Lock()
	delete(s.all, c)
	s.mu.Unlock()
	s.busy.Done()
}

// drain ends all connections, kindly until ctx ends and then at once. It returns
// when nothing is left of them.
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
