package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"parley/acpclient/transport"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// ErrInvalidResponse is the error of a call whose answer has both a result and an error,
// or neither.
var ErrInvalidResponse = errors.New("the peer sent an invalid response")

// Call is a request to the peer. It ends once.
type Call struct {
	ID       int64
	peer     *Peer
	method   string
	then     func(result json.RawMessage, err error)
	done     chan struct{}
	answered bool
	result   json.RawMessage
	err      error
}

// Begin queues a request and returns at once. A call that could not be queued has
// already ended with the error.
func (p *Peer) Begin(method string, params any) *Call { return p.BeginThen(method, params, nil) }

// BeginThen is Begin with a function that is called once when the call ends, before Wait
// returns. If the peer answered, it runs on the reader goroutine in wire order and must
// not block.
func (p *Peer) BeginThen(method string, params any, then func(result json.RawMessage, err error)) *Call {
	c := p.Reserve(method, then)
	c.Queue(params)
	return c
}

// Reserve is the first half of BeginThen: it assigns the id, which the caller can
// publish before an answer is possible. Queue must follow.
func (p *Peer) Reserve(method string, then func(result json.RawMessage, err error)) *Call {
	return &Call{ID: p.opts.IDs.Add(1) - 1, peer: p, method: method, then: then, done: make(chan struct{})}
}

// Queue is the second half. It must be called once.
func (c *Call) Queue(params any) { c.QueueAfter(nil, 0, params) }

// QueueAfter is Queue, but the message is not written before until is closed, unless that is nil, or the most
// time has passed. Later messages wait for it.
func (c *Call) QueueAfter(until <-chan struct{}, most time.Duration, params any) {
	p := c.peer
	raw, err := encode(params)
	if err != nil {
		c.finish(nil, fmt.Errorf("encode the params of %s: %w", c.method, err))
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		c.finish(nil, p.cause)
		return
	}
	p.calls[c.ID] = c
	p.mu.Unlock()
	data, err := encode(outgoing{Version: "2.0", ID: json.RawMessage(strconv.FormatInt(c.ID, 10)), Method: c.method, Params: json.RawMessage(raw)})
	if err == nil {
		err = p.sendDelayed(delayed{transport.Message{Data: data, Session: envelope.Session(raw)}, until, most})
	}
	if err != nil && p.removeCall(c.ID) == c { // otherwise shut has ended it
		c.finish(nil, err)
	}
}

// Answered reports whether the peer's answer ended the call. It is valid once the call
// has ended and in the function given to BeginThen, which is certain to run on the
// reader goroutine only if Answered is true.
func (c *Call) Answered() bool { return c.answered }

// Done returns a channel that is closed when the call has ended.
func (c *Call) Done() <-chan struct{} { return c.done }

// Wait waits for the answer and decodes it into result, which may be nil. A null result
// leaves result unchanged. If ctx ends first, Wait tells the peer with $/cancel_request
// and returns the context's cause; a later answer is dropped.
func (c *Call) Wait(ctx context.Context, result any) error {
	select {
	case <-c.done:
	case <-ctx.Done():
		select {
		case <-c.done: // the answer came first
		default:
			c.peer.Notify("$/cancel_request", map[string]int64{"requestId": c.ID})
			return context.Cause(ctx)
		}
	}
	if c.err != nil {
		return c.err
	}
	if result == nil {
		return nil
	}
	return Decode(c.method, c.result, result)
}

// Decode decodes the result of a call; null counts as an empty object. An error matches
// ErrInvalidResponse.
func Decode(method string, raw json.RawMessage, result any) error {
	if jsonscan.KindOf(raw) == jsonscan.Null {
		raw = json.RawMessage("{}")
	}
	err := json.Unmarshal(raw, result)
	if errors.Is(err, jsonscan.ErrSyntax) { // from a decoder that walks an object
		err = errors.New("its result is not an object")
	}
	if err != nil {
		return fmt.Errorf("%w to %s: %w", ErrInvalidResponse, method, err)
	}
	return nil
}

// Call sends a request and waits for its answer as Wait does.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	return p.Begin(method, params).Wait(ctx, result)
}

// Notify queues a notification.
func (p *Peer) Notify(method string, params any) error {
	data, err := Notification(method, params)
	if err != nil {
		return err
	}
	session := ""
	if method != "$/cancel_request" {
		session = envelope.Session(envelope.Member(data, "params"))
	}
	return p.send(transport.Message{Data: data, Session: session})
}

// Notification encodes a notification.
func Notification(method string, params any) ([]byte, error) {
	data, err := encode(outgoing{Version: "2.0", Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	return data, nil
}

// removeCall removes and returns the call with this id, nil if there is none.
func (p *Peer) removeCall(id int64) *Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.calls[id]
	delete(p.calls, id)
	return c
}

func (c *Call) finish(result json.RawMessage, err error) {
	c.result, c.err = result, err
	if c.then != nil {
		c.then(result, err)
	}
	close(c.done)
}
