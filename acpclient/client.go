// Package acpclient is the engine of an ACP client: it launches an agent or
// takes over a connection to one, agrees on a version, turns the agent's messages
// into events, and serves the agent's requests.
//
// Everything an agent sends arrives on one reader goroutine and is posted to
// the Sink from there, in wire order. Methods of Client and Session may be called
// from any goroutine. Those with a context wait for an answer of the agent, the
// others only queue a message. Neither the Sink nor a slow service may delay the
// reader.
//
// Updates of both versions, live and replayed, take the same path: a handler gets
// the params, Client.sessionUpdated decodes them and finds the session, and
// Session.updated posts the events.
package acpclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrSessionOpen means that a session with this id is already open on the connection:
// two of them could not be told apart.
var ErrSessionOpen = errors.New("the session is open already")

// Options of a connection.
type Options struct {
	Name, Version string     // how this client introduces itself
	Sink          event.Sink // required
	Services      Services
	Log           *event.Log // may be nil
	Tap           Tap        // sees every message; may be nil

	// Elicit means that the front end shows forms and pages (event.ElicitationAsked),
	// TerminalLogin that it can run a login in the real terminal.
	Elicit, TerminalLogin bool

	// Protocol is the version of ACP to use: "1" (the default), "2", or "auto", which
	// offers the version remembered for the agent, and 2 to an unknown agent.
	Protocol string
	// Agent is the agent's key in Versions. If it is "" Launch derives it from the
	// command.
	Agent    string
	Versions Versions // for "auto"; may be nil
	// InitializeOnce is for transports that refuse a second initialize (HTTP,
	// WebSocket): Connect then asks for another connection at once.
	InitializeOnce bool
	// RemoteURL is the address of a remote agent, for display. If it is set the connection
	// ends with an *event.LostError. Dial sets it.
	RemoteURL string

	// Numbers are shared by successive connections with the same Tap, so that their
	// messages and requests are distinct. Nil: numbers start with this connection.
	Numbers *Numbers

	offer      int  // the version that an earlier connection determined; 0: none
	authorizes bool // requests have credentials
}

// Numbers counts the received messages and the sent requests of one or more connections.
// The zero value is ready to use. Safe for use by several goroutines.
type Numbers struct {
	received atomic.Uint64
	requests atomic.Int64
}

// Client is one connection to an agent.
type Client struct {
	opts  Options
	sink  event.Sink // opts.Sink
	peer  *jsonrpc.Peer
	conn  transport.Conn
	in    *counted
	clock func() time.Time // time.Now; a Replay has the times of its log
	proc  *transport.Stdio // nil when the agent was not launched from here
	agent event.AgentInfo
	quirk quirks

	surface    surface           // set on the reader goroutine by the answer to initialize
	update     wire.Notification // the current one, on the reader goroutine
	disk       *diskWork         // nil for a Replay
	unexamined sync.Once         // says that tool calls are not examined
	negotiated chan struct{}     // closed when negotiation is over and handedOver is set
	handedOver bool              // another connection takes over: the end of this one is not reported

	sessions registry
	elicits  elicitations

	closing   chan struct{} // closed when Close is called by this side
	closeOnce sync.Once
	ended     chan struct{} // closed after event.Disconnected was posted
}

// Connect takes over conn and does the initialize handshake. On an error the connection
// is closed. ctx bounds only the handshake.
func Connect(ctx context.Context, conn transport.Conn, opts Options) (*Client, error) {
	c := newClient(conn, opts)
	return c, c.start(ctx)
}

func newClient(conn transport.Conn, opts Options) *Client {
	if opts.Log == nil {
		opts.Log = event.NewLog()
	}
	if opts.Numbers == nil {
		opts.Numbers = new(Numbers)
	}
	in := &counted{Conn: conn, tap: opts.Tap, received: &opts.Numbers.received}
	if sink, ok := opts.Sink.(event.Bounded); ok {
		in.hold = sink.Reserve
	}
	c := &Client{opts: opts, sink: opts.Sink, conn: in, in: in, clock: time.Now, surface: v1{}, negotiated: make(chan struct{}), sessions: newRegistry(),
		closing: make(chan struct{}), ended: make(chan struct{})}
	in.lost = c.tooLong
	c.disk = &diskWork{failed: c.problem}
	c.peer = jsonrpc.NewPeer(in, (*handler)(c), jsonrpc.Options{MapError: mapError, Problem: c.problem, Closed: event.ErrClosed, IDs: &opts.Numbers.requests})
	return c
}

func (c *Client) start(ctx context.Context) error {
	c.peer.Start()
	go c.watch()
	err := c.negotiate(ctx)
	var again *ReconnectError
	c.handedOver = errors.As(err, &again)
	close(c.negotiated)
	if c.handedOver {
		c.Close()
		return err
	}
	if err != nil {
		if errors.Is(err, event.ErrClosed) {
			<-c.ended // Close would make this side the cause of the end
			return c.Err()
		}
		c.Close()
		return err
	}
	return nil
}

// Agent returns what the agent said about itself.
func (c *Client) Agent() event.AgentInfo { return c.agent }

// Stderr returns the last lines of the agent's stderr, safe to show and free of secrets; none unless it was
// launched from here.
func (c *Client) Stderr() []string {
	if c.proc == nil {
		return nil
	}
	return stderrTail(c.proc)
}

// Done returns a channel that is closed when the connection has ended and
// event.Disconnected was posted.
func (c *Client) Done() <-chan struct{} { return c.ended }

// Err returns why the connection has ended, nil while it has not. It matches
// event.ErrClosed, and *event.ExitError if a launched agent exited.
func (c *Client) Err() error {
	c.sessions.mu.Lock()
	defer c.sessions.mu.Unlock()
	return c.sessions.ended
}

// Close ends the connection and, if parley launched it, the agent with all its children.
// It returns when they have exited.
func (c *Client) Close() error {
	c.closeOnce.Do(func() { close(c.closing) })
	err := c.peer.Close(nil)
	<-c.ended
	return err
}

// watch waits for the end of the connection and reports it.
func (c *Client) watch() {
	<-c.peer.Done()
	<-c.negotiated
	err := c.endError()
	for _, s := range c.sessions.end(err) {
		s.disconnected(err)
		if c.opts.Services.Sessions != nil {
			c.opts.Services.Sessions.CloseSession(s.id)
		}
	}
	if !c.handedOver {
		c.opts.Sink.Post(event.Disconnected{Err: err})
	}
	close(c.ended)
}

// endError returns why the connection ended, described by the process if there is one.
func (c *Client) endError() error {
	select {
	case <-c.closing:
		c.conn.Close()
		return event.ErrClosed
	default:
	}
	c.conn.Close()
	if c.proc != nil {
		return exitError(c.proc, c.peer.Err())
	}
	if c.opts.RemoteURL != "" {
		return c.opts.lost(c.peer.Err())
	}
	return c.peer.Err()
}

// problem logs something from the agent that could not be used.
func (c *Client) problem(what string, data []byte) {
	line := what
	if len(data) > 0 {
		line += ": " + safetext.Line(string(data[:min(len(data), 2*maxLogLine)]), maxLogLine)
	}
	c.opts.Log.Add(event.LogProtocol, line)
}

// tooLong reports a message that was skipped.
func (c *Client) tooLong(e *transport.TooLongError) {
	const mebi = 1 << 20
	c.sink.Post(event.NoticeArrived{Severity: "warning", Title: "A message of the agent was left out",
		Description: fmt.Sprintf("it has %d MiB, and the limit is %d MiB", (e.Size+mebi-1)/mebi, e.Limit/mebi)})
}

// forget ends a session on this side: later updates for it are dropped.
func (c *Client) forget(s *Session) {
	c.sessions.remove(s)
	s.closed()
	c.in.closeStream(s.id)
	c.surface.ended(s, ErrSessionClosed)
	if c.opts.Services.Sessions != nil {
		c.opts.Services.Sessions.CloseSession(s.id)
	}
}
