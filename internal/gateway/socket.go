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

// maxReason is how many bytes fit beside the code of a close.
const maxReason = 123

// socket is a connection over a WebSocket: one goroutine reads from the client,
// one writes to it.
type socket struct {
	c    *connection
	ws   *websocket.Conn
	line *line
	most int // bytes of a text message that holds several, one on each line; 0 or less: they hold one

	probing atomic.Int32 // pings among what is written that wait for their answers
	unasked int          // bytes written since the last of them; of the goroutine that writes
	said    atomic.Int64 // messages written
	handing atomic.Bool  // the reader waits for the agent, and sees no pong

	first            string // id of initialize while it has no answer, for place; set before opened
	opened, answered atomic.Bool
}

// upgrade makes a WebSocket of a request, and a connection with it.
func (s *Server) upgrade(w http.ResponseWriter, r *http.Request) {
	c := s.admit(w, r)
	if c == nil {
		return
	}
	w.Header().Set(connectionHeader, c.id)
	s.stick(w, r)
	conn := &line{stall: s.limits.Stall, stalled: func() {
		c.end(ending{code: overLimit, reason: "the client does not read"})
	}}
	// Who may come here was checked for all requests alike.
	ws, err := websocket.Accept(&hijacker{w, conn}, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		c.abandon("malformed WebSocket upgrade")
		return
	}
	ws.SetReadLimit(s.limits.Message)
	most, _ := strconv.Atoi(r.Header.Get(transport.LinesHeader))
	k := &socket{c: c, ws: ws, line: conn, most: min(most, pieceSize)}
	c.place = k.place
	c.hangUpWith(func() { conn.Conn.Close() })
	s.busy.Add(1)
	if c.start() == nil {
		go c.receive()
	}
	go k.run() // on its own, so that what the request needed is free again
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

// read takes what the client says until it, or the connection, ends.
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
		if c.hasEnded() || len(msg) == 0 { // until the client says goodbye too
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
		k.handing.Store(true)
		if c.forward(context.Background(), msg) == errAgentStalled {
			c.end(ending{code: internalError, reason: errAgentStalled.Error()})
		}
		k.handing.Store(false)
	}
}

// begin looks at the first message.
func (k *socket) begin(msg []byte) bool {
	e, ok := envelope.Open(msg)
	if !ok || !e.Calls("initialize") || envelope.Key(e.ID) == "" {
		return false
	}
	k.first = envelope.Key(e.ID)
	k.opened.Store(true)
	return true
}

// place hands everything to the one stream there is. Until initialize is
// answered it looks for that.
func (k *socket) place(msg []byte) *mailbox {
	if k.opened.Load() && k.first != "" {
		if e, ok := envelope.Open(msg); ok && e.IsAnswer() && envelope.Key(e.ID) == k.first {
			k.first = ""
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

// chunks are buffers that messages are read into; a socket at rest has none.
var chunks = sync.Pool{New: func() any { b := make([]byte, 0, 16<<10); return &b }}

// next returns the next message, in memory of its own; an empty one stands for
// what is ignored: binary messages and empty ones.
func (k *socket) next() ([]byte, error) {
	kind, from, err := k.ws.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	pooled := chunks.Get().(*[]byte)
	defer chunks.Put(pooled)
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

// closedBy says, for the log, how the client ended a socket.
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

// write sends what the agent says, and pings, until the connection ends; then it
// closes the socket.
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
	if k.most > 0 && len(batch) > 1 {
		return k.writeLines(batch)
	}
	for _, msg := range batch {
		if err := k.say(msg); err != nil {
			return err
		}
	}
	return nil
}

const (
	// ahead is how much of what is written waits for the network, in bytes.
	ahead = 64 << 10
	// askAfter is how much is written between two pings. What lies in buffers on the way
	// of a slow client is passed by nothing: their answers tell that it reads on.
	askAfter = 32 << 10
	// maxProbes is how many of them may wait for an answer.
	maxProbes = 1000
)

// say writes a message, in several frames if it is long: pings go between them.
func (k *socket) say(msg []byte) error {
	if err := k.line.out.Room(ahead); err != nil {
		return err
	}
	k.said.Add(1)
	if len(msg) <= pieceSize {
		k.probe(len(msg))
		return k.ws.Write(context.Background(), websocket.MessageText, msg)
	}
	to, err := k.ws.Writer(context.Background(), websocket.MessageText)
	for err == nil && len(msg) > 0 {
		n := min(len(msg), askAfter)
		if _, err = to.Write(msg[:n]); err == nil {
			err = k.line.out.Room(ahead)
		}
		k.probe(n)
		msg = msg[n:]
	}
	if err != nil {
		return err
	}
	return to.Close()
}

// probe puts a ping among what is written, now and then.
func (k *socket) probe(n int) {
	if k.unasked += n; k.unasked < askAfter || k.probing.Load() >= maxProbes {
		return
	}
	k.unasked = 0
	k.probing.Add(1)
	go func() {
		defer k.probing.Add(-1)
		if k.ws.Ping(context.Background()) == nil {
			k.line.out.Taken()
		}
	}()
}

// writeLines puts as many messages into one as there may be.
func (k *socket) writeLines(batch [][]byte) error {
	pooled := pieces.Get().(*[]byte)
	defer pieces.Put(pooled)
	for len(batch) > 0 {
		n, size := 1, len(batch[0])
		for n < len(batch) && size+1+len(batch[n]) <= k.most {
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
		if err := k.say(text); err != nil {
			return err
		}
		batch = batch[n:]
	}
	return nil
}

// ping ends a connection whose client is silent: of which nothing comes, and which takes
// nothing. One that does not take what waits for it has a patience of its own.
func (k *socket) ping() {
	busy := func() bool { return k.line.out.Pending() > 0 || k.handing.Load() }
	said, reads := k.said.Load(), k.line.reads.Load()
	if busy() {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), k.c.server.limits.Stall)
	defer stop()
	if k.ws.Ping(ctx) == nil || busy() || k.said.Load() != said || k.line.reads.Load() != reads {
		return
	}
	k.c.end(ending{reason: "the client does not answer pings"})
	k.ws.CloseNow()
}

// close says goodbye, with the reason, and waits for the client to do so for a
// moment.
func (k *socket) close() {
	k.line.finish(farewell)
	timer := time.AfterFunc(farewell, func() { k.line.Conn.Close() })
	defer timer.Stop()
	reason := k.c.cause.reason
	k.ws.Close(k.c.cause.code, reason[:min(len(reason), maxReason)])
}
