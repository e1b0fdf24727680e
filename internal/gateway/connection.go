package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient/transport"
	"parley/internal/redact"
	"parley/internal/safetext"
)

// Close codes of a WebSocket.
const (
	normal        = websocket.StatusNormalClosure
	goingAway     = websocket.StatusGoingAway
	protocolError = websocket.StatusProtocolError
	overLimit     = websocket.StatusPolicyViolation
	tooBig        = websocket.StatusMessageTooBig
	internalError = websocket.StatusInternalError
)

// farewell is how long queued messages may take to be written after a connection has ended.
const farewell = 3 * time.Second

// maxNoise bounds how many bytes of a line that is not a message are redacted. It is far
// more than is logged, because a secret cut off at this limit is no longer recognised.
const maxNoise = 64 << 10

// ending is why a connection ends.
type ending struct {
	code   websocket.StatusCode // for a WebSocket; 0 means normal
	reason string               // for the log and the client; never text from the client
	drain  bool                 // messages are still written to receivers that are attached
}

// connection is one client and its agent, over either transport.
type connection struct {
	server *Server
	client Client
	number int64  // identifies it in the log
	id     string // identifies it to the client; never logged
	log    *slog.Logger
	begun  time.Time

	agent    Agent         // nil if it could not be started
	started  chan struct{} // closed once agent is set, or never will be
	input    input
	account  *account
	buffered atomic.Int64
	retained atomic.Int64 // bytes retained after writing, for streams that break
	main     *mailbox     // the connection's stream, or everything on a WebSocket
	sent     atomic.Int64
	received atomic.Int64

	mailboxFor func(msg []byte) *mailbox // returns the stream for a message of the agent; nil if it is not for a stream

	once  sync.Once
	cause ending        // set before ended is closed
	ended chan struct{} // closed once the connection is over
	cut   chan struct{} // closed when nothing more may be written

	routes routes // used for HTTP

	mu      sync.Mutex
	writers map[*writer]bool
	hangUp  func() // closes a WebSocket abruptly; nil for HTTP
}

func newConnection(s *Server, number int64, r *http.Request) *connection {
	own := &account{budget: s.budget}
	c := &connection{
		server: s, client: clientOf(r), number: number, id: newID(), begun: time.Now(), account: own,
		log:     s.log.With("conn", number),
		input:   input{limit: s.limits.ConnectionBuffer, account: own},
		started: make(chan struct{}), ended: make(chan struct{}), cut: make(chan struct{}),
	}
	c.main = newMailbox(s.limits.ConnectionBuffer, s.limits.ConnectionBuffer, &c.buffered, own)
	c.log.Info("connection started", "remote", r.RemoteAddr, "protocol", r.Proto)
	return c
}

// start starts the agent. It must be called once; after an error the connection is over.
func (c *connection) start() error {
	defer close(c.started)
	agent, err := c.server.Start(c.client, c.log)
	if err != nil {
		c.log.Error("cannot start the agent", "error", safetext.Line(err.Error(), 500))
		c.end(ending{code: internalError, reason: "cannot start the agent"})
		return err
	}
	c.agent = agent
	return nil
}

func (c *connection) hasEnded() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// receive reads from the agent until it ends. It waits for a client only while that client
// is reading a full mailbox.
func (c *connection) receive() {
	for {
		line, err := c.agent.Recv()
		var long *transport.TooLongError
		switch {
		case errors.As(err, &long): // skipping it would lose an answer that a client may wait for
			c.end(ending{code: tooBig, reason: fmt.Sprintf("a message from the agent is larger than %d bytes", long.Limit), drain: true})
			return
		case err != nil:
			if !c.hasEnded() {
				c.end(ending{code: internalError, reason: "the agent ended: " + c.agent.ExitReason(), drain: true})
			}
			return
		}
		msg, err := relayed(line)
		if err != nil {
			c.log.Warn("the agent wrote a line that is not JSON", "line", safetext.Line(redact.Command(string(line[:min(len(line), maxNoise)])), 200))
			continue
		}
		c.sent.Add(1)
		to := c.mailboxFor(msg)
		if to != nil && !to.put(msg, c.ended) {
			c.end(ending{code: overLimit, reason: "the buffer is full and no client reads"})
			return
		}
	}
}

// end ends the connection once: its id becomes unknown, its streams end, its agent is
// closed. It waits for none of that.
func (c *connection) end(e ending) {
	c.once.Do(func() {
		if e.code == 0 {
			e.code = normal
		}
		c.cause = e
		close(c.ended)
		c.server.unregister(c)
		c.routes.finish()
		c.main.finish()
		if e.drain {
			time.AfterFunc(farewell, c.stopWriting)
		} else {
			c.stopWriting()
		}
		go c.close()
	})
}

// close ends the agent and waits until nothing of it is left.
func (c *connection) close() {
	<-c.started
	if c.agent != nil {
		if err := c.agent.Close(); err != nil {
			c.log.Error("cannot end the agent", "error", err)
		}
	}
	c.log.Info("connection ended", "reason", c.cause.reason, "seconds", int64(time.Since(c.begun).Seconds()),
		"received", c.received.Load(), "sent", c.sent.Load())
	c.account.release()
	c.server.remove(c)
}

// kill hurries an end that is under way.
func (c *connection) kill() {
	c.stopWriting()
	c.mu.Lock()
	if c.hangUp != nil {
		c.hangUp()
	}
	c.mu.Unlock()
	select {
	case <-c.started:
		if c.agent != nil {
			c.agent.Kill()
		}
	default:
	}
}

func (c *connection) hangUpWith(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hangUp = f
}

// stopWriting interrupts writes to the client.
func (c *connection) stopWriting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.cut:
		return
	default:
		close(c.cut)
	}
	for w := range c.writers {
		w.interrupt()
	}
}

// writer is a write to the client that can be interrupted.
type writer struct{ interrupt func() }

// whenCut calls interrupt once, when nothing more may be written, unless forget has
// returned before.
func (c *connection) whenCut(interrupt func()) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.cut:
		interrupt()
		return func() {}
	default:
	}
	w := &writer{interrupt}
	if c.writers == nil {
		c.writers = map[*writer]bool{}
	}
	c.writers[w] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.writers, w)
	}
}
