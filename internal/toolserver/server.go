// Package toolserver serves files and commands of this machine as the tools of an MCP
// server, to agents whose protocol has no requests for them (ACP v2).
//
// The agent starts a program (`parley mcp`) that copies between its standard streams and a
// private socket of the running parley (Relay). Here the same services answer as for an
// agent of v1, so questions appear on the same screen. A connection begins with one line,
// the token from the program's environment, and is answered with one line: "ok", or the
// reason of a refusal. Then both sides speak MCP.
//
// A token is valid for one connection and for one session. The socket is made when it is
// first needed.
package toolserver

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"parley/acpclient"
	"parley/acpclient/wire"
)

// The environment variables that tell the relay its socket and token. They are not
// arguments, because every user of the machine can read those.
const (
	SocketVar = "PARLEY_MCP_SOCKET"
	TokenVar  = "PARLEY_MCP_TOKEN"
)

// Name is the name of the MCP server.
const Name = "parley"

// ErrClosed means that the server was closed.
var ErrClosed = errors.New("the server of tools is closed")

// Options configure a Server.
type Options struct {
	FS        acpclient.FS        // nil: no tools for files
	Terminals acpclient.Terminals // nil: no tool for commands
	Command   []string            // the program for the agent to start, and its arguments; required
	Version   string              // of parley
	Log       func(line string)   // receives lines that are safe to show; may be nil

	patience time.Duration // for the token; 0 = 10 s
	progress time.Duration // interval of progress notifications; 0 = 10 s
}

// Server serves the sessions of one connection to an agent. It may be used by several
// goroutines. It implements acpclient.Tools.
type Server struct {
	opts    Options
	unknown chan struct{} // holds one for each connection that has not sent a token

	mu       sync.Mutex
	socket   *socket // nil until needed
	closed   bool
	offers   map[tokenKey]*offer // not withdrawn
	conns    map[net.Conn]bool
	handlers sync.WaitGroup // for conns and the listener
}

// tokenKey is the hash of a token, so that the time of a lookup reveals nothing.
type tokenKey [sha256.Size]byte

// maxUnknown bounds the connections that have not sent a token.
const maxUnknown = 16

// New returns a Server, which must be closed.
func New(opts Options) *Server {
	if opts.Log == nil {
		opts.Log = func(string) {}
	}
	if opts.patience == 0 {
		opts.patience = 10 * time.Second
	}
	if opts.progress == 0 {
		opts.progress = 10 * time.Second
	}
	return &Server{opts: opts, unknown: make(chan struct{}, maxUnknown), offers: map[tokenKey]*offer{}, conns: map[net.Conn]bool{}}
}

// Offer implements acpclient.Tools. The first one makes the socket.
func (s *Server) Offer(cwd string) (acpclient.MCPServer, acpclient.Offer, error) {
	var raw [32]byte
	rand.Read(raw[:]) // never fails
	token := hex.EncodeToString(raw[:])
	o := newOffer(s, cwd, sha256.Sum256([]byte(token)))

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return acpclient.MCPServer{}, nil, ErrClosed
	}
	if s.socket == nil {
		socket, err := listen()
		if err != nil {
			return acpclient.MCPServer{}, nil, fmt.Errorf("make a socket for the tools: %w", err)
		}
		s.socket = socket
		s.handlers.Go(s.accept)
	}
	s.offers[o.key] = o
	return acpclient.MCPServer{Name: Name, Type: "stdio", Command: s.opts.Command[0], Args: s.opts.Command[1:],
		Env: []wire.EnvVar{{Name: SocketVar, Value: s.socket.path}, {Name: TokenVar, Value: token}}}, o, nil
}

// closePatience bounds how long Close waits for calls, so that a hanging file system does
// not block parley.
const closePatience = 3 * time.Second

// Close withdraws all offers, ends the connections and removes the socket. When it returns
// no call is running, unless one hangs.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	socket := s.socket
	s.socket = nil
	var offers []*offer
	for _, o := range s.offers {
		offers = append(offers, o)
	}
	s.mu.Unlock()

	for _, o := range offers {
		o.Withdraw()
	}
	if socket != nil {
		socket.listener.Close()
	}
	s.mu.Lock()
	for conn := range s.conns {
		conn.Close()
	}
	s.mu.Unlock()

	done := make(chan struct{})
	go func() { s.handlers.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(closePatience):
		s.opts.Log("a call of a tool does not end")
	}
	if socket != nil {
		os.RemoveAll(socket.dir)
	}
}

// forget drops an offer; its token is unknown from then on.
func (s *Server) forget(o *offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.offers, o.key)
}

// addConn adds a connection. It reports false if the server is closed.
func (s *Server) addConn(conn net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.conns[conn] = true
	return true
}

func (s *Server) removeConn(conn net.Conn) {
	conn.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, conn)
}
