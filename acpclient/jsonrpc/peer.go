// Package jsonrpc is a JSON-RPC 2.0 peer over a transport.Conn: ids, calls,
// batches, cancellation and wire order. It knows nothing of ACP.
//
// One reader goroutine takes messages in the order of the wire. Notifications
// are handled on it, inline; requests are announced on it and worked on
// elsewhere; answers are handed to their callers by it. So whoever wakes up on
// an answer finds everything that stood before it already handled, and a slow
// request never holds up the reader. All writing goes through one queue and
// one goroutine: messages leave in the order in which they were handed in.
//
// Whatever a peer sends, the peer answers with the right error or not at all,
// and goes on reading.
package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"parley/acpclient/transport"
)

// Handler receives what the peer sends. Both methods are called on the reader
// goroutine, in wire order, and must not block.
type Handler interface {
	// Notification handles one notification. params is valid only during the
	// call, and may be malformed.
	Notification(method string, params []byte)
	// Request looks at a request and returns the work that answers it, which
	// runs on a goroutine of its own; nil means that the method is not known.
	// The request belongs to the handler.
	Request(r Request) Work
}

// Request is one request of the peer.
type Request struct {
	ID      json.RawMessage // as it came
	Method  string
	Params  json.RawMessage // valid JSON, nil where absent
	Session string          // params.sessionId, "" without one
}

// Work answers a request. Its context ends when the peer cancels the request
// or the connection closes. An *Error goes out as it is, other errors through
// Options.MapError.
type Work func(ctx context.Context) (any, error)

// DefaultGrace is Options.Grace where none is given.
const DefaultGrace = 2 * time.Second

// Options of a Peer. The zero value is usable.
type Options struct {
	// MapError turns an error of a Work into what is sent. Default: code
	// -32603 with the error's text, -32800 for context.Canceled.
	MapError func(error) *Error
	// Problem is told what could not be understood or matched. Called on the
	// reader goroutine; the data is valid only during the call.
	Problem func(what string, data []byte)
	// Grace is how long an error without an id waits before it is taken for
	// the answer to the only open call. Default DefaultGrace.
	Grace time.Duration
	// MaxInFlight bounds the requests of the peer that are worked on at once.
	// Default 1024.
	MaxInFlight int
	// MaxQueued bounds the bytes that wait for a peer that does not read.
	// Default 256 MiB; beyond it the connection is closed.
	MaxQueued int
	// Closed is what calls end with when the connection is over, for callers that have
	// an error of their own for it. Default ErrClosed.
	Closed error
	// IDs is the id of the next request, which several peers may share, one after the
	// other. nil: they begin with 0.
	IDs *atomic.Int64
}

// Peer is one end of a connection. Its methods may be called from any
// goroutine but not from within a Handler, Notify excepted.
type Peer struct {
	conn    transport.Conn
	handler Handler
	opts    Options
	out     *outbox

	mu       sync.Mutex
	calls    map[int64]*Call          // ours, until answered, given up ones too
	incoming map[string][]*inprogress // theirs, by envelope.Key
	inflight int
	cause    error
	closed   bool

	done chan struct{}
	ctx  context.Context
	stop context.CancelCauseFunc

	// Reader only.
	method string // of the last call
	noisy  bool   // the last message was not JSON and has been answered
}

// inprogress is a request of the peer that is being worked on.
type inprogress struct {
	key    string
	cancel context.CancelCauseFunc
}

// NewPeer makes a peer that does not read yet; see Start.
func NewPeer(conn transport.Conn, h Handler, opts Options) *Peer {
	if opts.Grace == 0 {
		opts.Grace = DefaultGrace
	}
	if opts.MaxInFlight == 0 {
		opts.MaxInFlight = 1024
	}
	if opts.MaxQueued == 0 {
		opts.MaxQueued = 256 << 20
	}
	if opts.Closed == nil {
		opts.Closed = ErrClosed
	}
	if opts.IDs == nil {
		opts.IDs = new(atomic.Int64)
	}
	if opts.MapError == nil {
		opts.MapError = mapError
	}
	if opts.Problem == nil {
		opts.Problem = func(string, []byte) {}
	}
	p := &Peer{conn: conn, handler: h, opts: opts, calls: map[int64]*Call{}, incoming: map[string][]*inprogress{}, done: make(chan struct{})}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	p.out = newOutbox(opts.MaxQueued)
	return p
}

// Start begins to read and to write. It returns at once.
func (p *Peer) Start() {
	go p.write()
	go p.read()
}

// Done is closed when the connection is over.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Err tells why the connection is over, nil while it is not. It matches
// Options.Closed and the cause.
func (p *Peer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// lastWords is how long Close waits for what is queued to be written.
const lastWords = 200 * time.Millisecond

// Close ends the connection for the reason given (nil: none). What was queued
// before is written first, if the peer takes it at once. It waits for the
// transport to close.
func (p *Peer) Close(cause error) error {
	p.out.flush(lastWords)
	p.shut(cause)
	return p.conn.Close()
}

// shut fails every call and cancels every work, once.
func (p *Peer) shut(cause error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return
	}
	p.closed = true
	p.cause = p.opts.Closed
	if cause != nil {
		p.cause = closedError{p.opts.Closed, cause}
	}
	calls := p.calls
	p.calls = map[int64]*Call{}
	p.mu.Unlock()
	p.out.close()
	p.stop(p.cause)
	for _, c := range calls {
		c.finish(nil, p.cause)
	}
	close(p.done)
}

// closedError is Options.Closed with its cause.
type closedError struct{ closed, cause error }

func (e closedError) Error() string   { return fmt.Sprintf("%v: %v", e.closed, e.cause) }
func (e closedError) Unwrap() []error { return []error{e.closed, e.cause} }

func (p *Peer) write() {
	for {
		m, ok := p.out.next()
		if !ok {
			return
		}
		if err := p.conn.Send(m); err != nil {
			p.deaf(err)
			return
		}
	}
}

// deaf handles a peer that takes nothing any more. What it has said is still
// read to its end; only if that does not come, the connection is over anyway.
func (p *Peer) deaf(err error) {
	p.out.close()
	timer := time.NewTimer(p.opts.Grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.shut(fmt.Errorf("write to the peer: %w", err))
	}
}

// send queues a message; it fails when the connection is over.
func (p *Peer) send(m transport.Message) error {
	switch err := p.out.add(m); {
	case err == nil:
		return nil
	case errors.Is(err, errFull):
		p.shut(err)
		go p.conn.Close()
	}
	if err := p.Err(); err != nil {
		return err
	}
	return p.opts.Closed
}

func mapError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return ErrRequestCancelled
	}
	return Errorf(CodeInternalError, "%v", err)
}
