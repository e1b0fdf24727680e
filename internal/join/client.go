package join

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
	"parley/internal/hello"
)

// Limits of a client.
const (
	maxMessage  = 16 << 20 // bytes of one message: a prompt with an image of 10 MiB fits
	maxWaiting  = 48 << 20 // bytes of requests that wait for their answer
	maxUnread   = 16 << 20 // bytes that wait for a client; it is dropped if there are more
	maxParams   = 64 << 10 // bytes of the parameters of what is no prompt
	maxRequests = 64       // requests that wait for their answer
	maxCancels  = 64       // cancels that wait to be handled; no more is read until then
	perRound    = 16       // requests handled in one round
)

// client is another ACP client. Its fields but the first belong to the front end's goroutine.
type client struct {
	hub  *Hub
	peer *jsonrpc.Peer
	name string // one plain word
	role hello.Role

	cancels chan struct{} // has one for each that waits

	mu      sync.Mutex
	waiting int // bytes of requests that wait

	dialect dialect
	ready   bool // it was initialized
	todo    []*request
	busy    bool // a replay is running: later requests wait
}

// request is a request or a cancel that waits.
type request struct {
	method  string
	params  json.RawMessage
	content *promptContent // instead of params, of a prompt
	session string         // the same, of a cancel
	ctx     context.Context

	// answer is nil for a cancel. Only the first answer counts.
	answer    func(any, error)
	cancelled func() // called when the client cancels it and it has no answer yet
}

func newClient(h *Hub, said hello.Hello, conn patient) *client {
	c := &client{hub: h, name: said.Client, role: said.Role, cancels: make(chan struct{}, maxCancels)}
	c.peer = jsonrpc.NewPeer(transport.LimitedStreams(conn, conn, maxMessage), c, jsonrpc.Options{MaxInFlight: maxRequests, MaxQueued: maxUnread})
	return c
}

// label is the client in a sentence: it is never taken for the user, parley or an agent.
func (c *client) label() string { return "client " + c.name }

// Notification implements jsonrpc.Handler, on the reader goroutine. No cancel is dropped: if many wait, the client
// does.
func (c *client) Notification(method string, params []byte) {
	var p struct{ SessionID string }
	if method != "session/cancel" || !c.role.Talks() || json.Unmarshal(params, &p) != nil || len(p.SessionID) > maxID {
		return
	}
	select {
	case c.cancels <- struct{}{}:
	case <-c.peer.Done():
		return
	}
	r := &request{method: method, session: p.SessionID}
	c.hub.inbox.add(func() { c.todo = append(c.todo, r) })
}

// Request implements jsonrpc.Handler, on the reader goroutine.
func (c *client) Request(r jsonrpc.Request) jsonrpc.Work {
	if methodOf(r.Method) == nil {
		return nil
	}
	ctx, answer := r.Later()
	if len(r.Params) > maxParams && !(r.Method == "session/prompt" && c.role.Talks()) {
		answer(nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Invalid params: more than %d bytes", maxParams))
		return jsonrpc.Deferred
	}
	if !c.hold(len(r.Params)) {
		answer(nil, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Too much waits for its answer: at most %d bytes", maxWaiting))
		return jsonrpc.Deferred
	}
	req := &request{method: r.Method, params: r.Params, ctx: ctx}
	if r.Method == "session/prompt" && c.role.Talks() {
		prompt, err := readPrompt(r.Params)
		if err != nil {
			c.hold(-len(r.Params))
			answer(nil, err)
			return jsonrpc.Deferred
		}
		req.content, req.params = prompt, nil
	}
	answered, size := false, len(r.Params) // on the front end's goroutine, like all that follows
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), jsonrpc.ErrRequestCancelled) {
			return // the client has left: what it began continues
		}
		c.hub.inbox.add(func() {
			if !answered {
				req.cancelled()
			}
		})
	})
	req.answer = func(result any, err error) {
		if !answered {
			answered = true
			stop()
			c.hold(-size)
			answer(result, err)
		}
	}
	req.cancelled = func() { req.answer(nil, jsonrpc.ErrRequestCancelled) }
	c.hub.inbox.add(func() { c.todo = append(c.todo, req) })
	return jsonrpc.Deferred
}

// hold counts the bytes of a request that waits. It returns false if there are too many.
func (c *client) hold(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n > 0 && c.waiting+n > maxWaiting {
		return false
	}
	c.waiting += n
	return true
}

// serve handles requests, in their order. It reports whether there are more.
func (c *client) serve() (more bool) {
	for n := 0; len(c.todo) > 0 && !c.busy; n++ {
		if n == perRound || c.queued() > maxAhead {
			return true
		}
		r := c.todo[0]
		c.todo = c.todo[1:]
		if r.answer == nil {
			<-c.cancels
		}
		c.handle(r)
	}
	return len(c.todo) > 0
}

// handle handles one request.
func (c *client) handle(r *request) {
	fail := func(err error) {
		if r.answer != nil {
			r.answer(nil, err)
		}
	}
	defer func() { // whatever a client sends, parley continues
		if v := recover(); v != nil {
			fail(jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error"))
			go c.peer.Close(fmt.Errorf("panic in %s: %v", r.method, v))
		}
	}()
	m := methodOf(r.method)
	switch {
	case r.ctx != nil && r.ctx.Err() != nil:
		fail(jsonrpc.ErrRequestCancelled)
	case !c.ready && r.method != "initialize":
		fail(jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Not initialized"))
	case m.version != 0 && c.dialect.version != m.version:
		fail(jsonrpc.ErrMethodNotFound.WithData(map[string]string{"method": r.method}))
	case m.talks && !c.role.Talks():
		fail(jsonrpc.Errorf(jsonrpc.CodeInternalError, "Not allowed: %s may only watch", c.label()))
	default:
		m.handle(c, r)
	}
}

// decode decodes the parameters of a request.
func (r *request) decode(into any) error {
	params := r.params
	if len(params) == 0 || string(params) == "null" {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, into); err != nil {
		return invalid("Invalid params: %v", err)
	}
	return nil
}

// invalid is the error for parameters that are none of the method's.
func invalid(format string, args ...any) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, format, args...)
}

// send sends encoded messages.
func (c *client) send(data []byte) { c.peer.Send(data) }

// queued returns how many bytes the client has not read yet.
func (c *client) queued() int { return c.peer.Queued() }

// writePatience is how long a client may leave a message unread that its socket has no room for.
const writePatience = 30 * time.Second

// patient is the connection of a client, whose first line was read. A write fails if the client does not read.
type patient struct {
	net.Conn
	in *bufio.Reader
}

func (p patient) Read(b []byte) (int, error) { return p.in.Read(b) }

func (p patient) Write(b []byte) (int, error) {
	p.SetWriteDeadline(time.Now().Add(writePatience))
	return p.Conn.Write(b)
}
