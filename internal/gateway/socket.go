package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"parley/acpclient/transport"
	"parley/internal/envelope"
)

// maxReason is how many bytes of reason fit into a close frame.
const maxReason = 123

// socket is a connection over a WebSocket: one goroutine reads from the client, one writes
// to it.
type socket struct {
	c        *connection
	ws       *websocket.Conn
	line     *bufferedConn
	maxBatch int // most bytes of a text message that holds several messages, one on each line; 0 or less: one message each

	probing    atomic.Int32 // pings sent among messages and not yet answered
	unasked    int          // bytes written since the last of them; used only by the writing goroutine
	written    atomic.Int64 // number of messages written
	forwarding atomic.Bool  // the reader waits for the agent and sees no pong

	initializeID     string // id of the unanswered initialize request, for mailboxFor; set before opened
	opened, answered atomic.Bool
}

// upgrade upgrades a request to a WebSocket and makes a connection with it.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	c := s.admit(w, r)
	if c == nil {
		return
	}
	w.Header().Set(connectionHeader, c.id)
	s.setAffinityCookie(w, r)
	conn := &bufferedConn{stall: s.limits.Stall, stalled: func() {
		c.end(ending{code: overLimit, reason: "the client does not read"})
	}}
	// The origin was checked before, as for all requests.
	ws, err := websocket.Accept(&hijacker{w, conn}, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{subprotocol}})
	if err != nil {
		c.abandon("malformed WebSocket upgrade")
		return
	}
	ws.SetReadLimit(s.limits.Message)
	most, _ := strconv.Atoi(r.Header.Get(transport.LinesHeader))
	k := &socket{c: c, ws: ws, line: conn, maxBatch: min(most, pieceSize)}
	c.mailboxFor = k.mailboxFor
	c.hangUpWith(func() { conn.Conn.Close() })
	s.busy.Add(1)
	if c.start() == nil {
		go c.receive()
	}
	go k.run() // a goroutine, so that the resources of the request are released
}

// abandon ends a connection that never had an agent.
func (c *connection) abandon(reason string) {
	close(c.started)
	c.end(ending{reason: reason})
}

// run lives as long as the socket.
func (k *socket) run() {
	defer k.c.server.busy.Done()
	forget := k.c.whenCut(func() { k.line.finish(farewell) })
	defer forget()
	written := make(chan struct{})
	go func() { defer close(written); k.write() }()
	k.read()
	<-written
}

// read handles the messages of the client until the client or the connection ends.
func (k *socket) read() {
	c, limits := k.c, k.c.server.limits
	patience := time.AfterFunc(limits.Read, func() {
		c.end(ending{code: overLimit, reason: "no initialize request arrived in time"})
	})
	defer patience.Stop()
	for begun := false; ; {
		msg, err := k.next()
		if err != nil {
			c.end(ending{reason: closedBy(err)})
			return
		}
		if c.hasEnded() || len(msg) == 0 { // until the client closes the socket too
			continue
		}
		if !begun {
			if !k.begin(msg) {
				c.end(ending{code: protocolError, reason: "the first message must be an initialize request"})
				continue
			}
			begun = true
			patience.Stop()
			patience = time.AfterFunc(limits.Initialize, k.expire)
			defer patience.Stop()
		}
		c.received.Add(1)
		k.forwarding.Store(true)
		if c.forward(context.Background(), msg) == errAgentStalled {
			c.end(ending{code: internalError, reason: errAgentStalled.Error()})
		}
		k.forwarding.Store(false)
	}
}

// begin checks the first message.
func (k *socket) begin(msg []byte) bool {
	e, ok := envelope.Open(msg)
	if !ok || !e.HasMethod("initialize") || envelope.Key(e.ID) == "" {
		return false
	}
	k.initializeID = envelope.Key(e.ID)
	k.opened.Store(true)
	return true
}

// mailboxFor sends everything to the one stream of the connection. It also watches for the
// answer to initialize.
func (k *socket) mailboxFor(msg []byte) *mailbox {
	if k.opened.Load() && k.initializeID != "" {
		if e, ok := envelope.Open(msg); ok && e.IsAnswer() && envelope.Key(e.ID) == k.initializeID {
			k.initializeID = ""
			k.answered.Store(true)
		}
	}
	return k.c.main
}

func (k *socket) expire() {
	if !k.answered.Load() {
		k.c.end(ending{code: internalError, reason: "the agent did not answer initialize in time"})
	}
}

// readBuffers are buffers that messages are read into; an idle socket holds none.
var readBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// next returns the next message in its own memory; an empty one means that the message is
// ignored, because it is binary or empty.
func (k *socket) next() ([]byte, error) {
	kind, from, err := k.ws.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	pooled := readBuffers.Get().(*[]byte)
	defer readBuffers.Put(pooled)
	chunk := (*pooled)[:0]
	var msg []byte
	for {
		n, err := from.Read(chunk[len(chunk):cap(chunk)])
		chunk = chunk[:len(chunk)+n]
		if err != nil || len(chunk) == cap(chunk) {
			if kind == websocket.MessageText {
				msg = append(msg, chunk...)
			}
			chunk = chunk[:0]
		}
		if err == io.EOF {
			return msg, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// closedBy describes for the log how the client ended a socket.
func closedBy(err error) string {
	if errors.Is(err, websocket.ErrMessageTooBig) {
		return "a message from the client is too large"
	}
	switch code := websocket.CloseStatus(err); code {
	case -1:
		return "the client went away"
	case normal, goingAway, websocket.StatusNoStatusRcvd:
		return "the client closed it"
	default:
		return "the client closed it: " + code.String()
	}
}

// write sends messages of the agent, and pings, until the connection ends; then it closes
// the socket.
func (k *socket) write() {
	c := k.c
	c.main.attach()
	ping := time.NewTimer(c.server.limits.Ping)
	defer ping.Stop()
	var batch [][]byte
	for {
		select {
		case <-c.cut:
			k.close()
			return
		default:
		}
		var last bool
		batch, last = c.main.peek(batch[:0], batchSize)
		if len(batch) > 0 {
			if k.writeAll(batch) != nil {
				c.end(ending{reason: "the client went away"})
				k.ws.CloseNow()
				return
			}
			c.main.ack(len(batch))
			clear(batch)
			continue
		}
		if last {
			k.close()
			return
		}
		select {
		case <-c.main.more:
		case <-c.cut:
		case <-ping.C:
			go k.ping()
			ping.Reset(c.server.limits.Ping)
		}
	}
}

func (k *socket) writeAll(batch [][]byte) error {
	if k.maxBatch > 0 && len(batch) > 1 {
		return k.writeLines(batch)
	}
	for _, msg := range batch {
		if err := k.writeMessage(msg); err != nil {
			return err
		}
	}
	return nil
}

const (
	// maxPending bounds the written bytes that wait for the network.
	maxPending = 64 << 10
	// pingEvery is how much is written between two pings. Pings do not overtake data in the
	// buffers on the way to a slow client; their answers show that it is still reading.
	pingEvery = 32 << 10
	// maxProbes is how many of them may be unanswered.
	maxProbes = 1000
)

// writeMessage writes a message, in several frames if it is long, so that pings can go
// between them.
func (k *socket) writeMessage(msg []byte) error {
	if err := k.line.out.WaitForRoom(maxPending); err != nil {
		return err
	}
	k.written.Add(1)
	if len(msg) <= pieceSize {
		k.probe(len(msg))
		return k.ws.Write(context.Background(), websocket.MessageText, msg)
	}
	to, err := k.ws.Writer(context.Background(), websocket.MessageText)
	for err == nil && len(msg) > 0 {
		n := min(len(msg), pingEvery)
		if _, err = to.Write(msg[:n]); err == nil {
			err = k.line.out.WaitForRoom(maxPending)
		}
		k.probe(n)
		msg = msg[n:]
	}
	if err != nil {
		return err
	}
	return to.Close()
}

// probe sends a ping after every pingEvery bytes written.
func (k *socket) probe(n int) {
	if k.unasked += n; k.unasked < pingEvery || k.probing.Load() >= maxProbes {
		return
	}
	k.unasked = 0
	k.probing.Add(1)
	go func() {
		defer k.probing.Add(-1)
		if k.ws.Ping(context.Background()) == nil {
			k.line.out.Confirm()
		}
	}()
}

// writeLines joins as many messages into one as the client accepts.
func (k *socket) writeLines(batch [][]byte) error {
	pooled := writeBuffers.Get().(*[]byte)
	defer writeBuffers.Put(pooled)
	for len(batch) > 0 {
		n, size := 1, len(batch[0])
		for n < len(batch) && size+1+len(batch[n]) <= k.maxBatch {
			size += 1 + len(batch[n])
			n++
		}
		text := batch[0]
		if n > 1 {
			text = append((*pooled)[:0], text...)
			for _, msg := range batch[1:n] {
				text = append(append(text, '\n'), msg...)
			}
		}
		if err := k.writeMessage(text); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// ping ends the connection of a client that is silent: it sends nothing and reads nothing.
// A client that does not read its messages is handled by its own timeout.
func (k *socket) ping() {
	busy := func() bool { return k.line.out.Pending() > 0 || k.forwarding.Load() }
	said, reads := k.written.Load(), k.line.reads.Load()
	if busy() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), k.c.server.limits.Stall)
	defer stop()
	if k.ws.Ping(ctx) == nil || busy() || k.written.Load() != said || k.line.reads.Load() != reads {
		return
	}
	k.c.end(ending{reason: "the client does not answer pings"})
	k.ws.CloseNow()
}

// close sends a close frame with the reason and waits a moment for that of the client.
func (k *socket) close() {
	k.line.finish(farewell)
	timer := time.AfterFunc(farewell, func() { k.line.Conn.Close() })
	defer timer.Stop()
	reason := k.c.cause.reason
	k.ws.Close(k.c.cause.code, reason[:min(len(reason), maxReason)])
}
