// Package jsonrpc is a JSON-RPC 2.0 peer over a transport.Conn: ids, calls,
// batches, cancellation and wire order. It knows nothing of ACP.
//
// One reader goroutine receives messages in wire order. It handles notifications
// itself, announces requests, which are then worked on by other goroutines, and hands
// answers to their callers. So a caller that wakes up on an answer finds every earlier
// message handled, and a slow request never delays the reader. All writing goes
// through one queue and one goroutine: messages are sent in the order of their calls.
//
// Whatever arrives, a Peer answers with the right error or not at all, and continues
// to read.
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
	// Notification handles one notification. params is valid only during the call and
	// may be malformed.
	Notification(method string, params []byte)
	// Request returns the work that answers a request, which runs on its own goroutine,
	// or nil if the method is unknown. The request belongs to the handler.
	Request(r Request) Work
}

// Request is a request from the peer.
type Request struct {
	ID      json.RawMessage // verbatim
	Method  string
	Params  json.RawMessage // valid JSON, nil if absent
	Session string          // params.sessionId, or ""

	// Later lets the handler answer the request itself, on any goroutine: what it sends before
	// comes first, and what it sends after comes after. Only the first answer counts. The context
	// is that of a Work. Handler.Request must return Deferred then.
	Later func() (ctx context.Context, answer func(result any, err error))
}

// Work answers a request. Its context ends when the peer cancels the request or the
// connection closes. An *Error is sent as it is, other errors through Options.MapError.
type Work func(ctx context.Context) (any, error)

// Deferred is the Work of a request that its handler answers; see Request.Later.
func Deferred(context.Context) (any, error) { return nil, nil }

// DefaultGrace is the default of Options.Grace.
const DefaultGrace = 2 * time.Second

// Options of a Peer. The zero value is usable.
type Options struct {
	// MapError turns an error of a Work into the error that is sent. Default: code
	// -32603 with the error's text, -32800 for context.Canceled.
	MapError func(error) *Error
	// Problem reports what could not be understood or matched. It is called on the
	// reader goroutine; data is valid only during the call.
	Problem func(what string, data []byte)
	// Grace is how long an error without an id waits before it becomes the answer to the
	// only open call. Default DefaultGrace.
	Grace time.Duration
	// MaxInFlight bounds the requests of the peer that run at once. Default 1024.
	MaxInFlight int
	// MaxQueued bounds the bytes that wait for a peer that does not read. The connection
	// is closed when it is exceeded. Default 256 MiB.
	MaxQueued int
	// Closed is the error of calls when the connection has ended. Default ErrClosed.
	Closed error
	// IDs holds the id of the next request. Several peers may share it, one after the
	// other. Nil: ids begin with 0.
	IDs *atomic.Int64
}

// Peer is one end of a connection. Its methods may be called from any goroutine but,
// except Notify, not from a Handler.
type Peer struct {
	conn    transport.Conn
	handler Handler
	opts    Options
	out     *outbox

	mu       sync.Mutex
	calls    map[int64]*Call          // without an answer, including those given up
	incoming map[string][]*inprogress // requests of the peer, by envelope.Key
	inflight int
	cause    error
	closed   bool

	done chan struct{}
	ctx  context.Context
	stop context.CancelCauseFunc

	// Reader goroutine only.
	method string // of the last message
	noisy  bool   // the last message was not JSON and was answered
}

// inprogress is a request of the peer that is being worked on.
type inprogress struct {
	key    string
	cancel context.CancelCauseFunc
}

// NewPeer returns a peer that does not read yet; see Start.
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

// Done returns a channel that is closed when the connection has ended.
func (p *Peer) Done() <-chan struct{} { return p.done }

// Err returns why the connection has ended, nil while it has not. It matches
// Options.Closed and the cause.
func (p *Peer) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cause
}

// flushTimeout is how long Close waits for queued messages to be written.
const flushTimeout = 200 * time.Millisecond

// Close ends the connection with the given reason, which may be nil. Messages queued
// before are written first if the peer reads them at once. Close waits for the transport
// to close.
func (p *Peer) Close(cause error) error {
	p.out.flush(flushTimeout)
	p.shut(cause)
	return p.conn.Close()
}

// shut fails every call and cancels every Work, once.
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

// closedError returns Options.Closed with its cause.
type closedError struct{ closed, cause error }

func (e closedError) Error() string   { return fmt.Sprintf("%v: %v", e.closed, e.cause) }
func (e closedError) Unwrap() []error { return []error{e.closed, e.cause} }

func (p *Peer) write() {
	for {
		m, ok := p.out.next()
		if !ok {
			return
		}
		if m.until != nil {
			select {
			case <-m.until:
			case <-time.After(m.most):
			case <-p.done:
			}
		}
		if err := p.conn.Send(m.Message); err != nil {
			p.writeFailed(err)
			return
		}
	}
}

// writeFailed handles a peer that accepts no more messages. What it has already sent is
// still read; after the grace period the connection ends even if the peer does not close
// it.
func (p *Peer) writeFailed(err error) {
	p.out.close()
	timer := time.NewTimer(p.opts.Grace)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		p.shut(fmt.Errorf("write to the peer: %w", err))
	}
}

// Send queues a message that is already encoded, such as one from Notification that several peers
// get, or several of them with newlines between.
func (p *Peer) Send(data []byte) error { return p.send(transport.Message{Data: data}) }

// Queued returns how many bytes wait to be written.
func (p *Peer) Queued() int { return p.out.waiting() }

// send queues a message. It fails if the connection has ended.
func (p *Peer) send(m transport.Message) error { return p.sendDelayed(delayed{Message: m}) }

func (p *Peer) sendDelayed(m delayed) error {
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
