package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"parley/acpclient/transport"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// read receives messages until the connection ends.
func (p *Peer) read() {
	for {
		data, err := p.conn.Recv()
		if err == nil {
			p.receive(data)
		} else if !p.skipped(err) {
			if err == io.EOF { // other errors are a cause
				err = nil
			}
			p.shut(err)
			return
		}
	}
}

// skipped answers a message that was too long to read. It returns false for other
// errors, which end the connection.
func (p *Peer) skipped(err error) bool {
	var tooLong *transport.TooLongError
	if !errors.As(err, &tooLong) {
		return false
	}
	p.opts.Problem(err.Error(), nil)
	p.reply(nil, "", nil, Errorf(CodeInvalidRequest, "Message too long: the limit is %d bytes", tooLong.Limit))
	return true
}

// receive handles one message or batch.
func (p *Peer) receive(data []byte) {
	switch jsonscan.KindOf(data) {
	case jsonscan.Object:
		e, ok := envelope.Open(data)
		if !ok || len(e.ID) > 0 && !json.Valid(data) {
			p.noise(data)
			return
		}
		p.noisy = false
		p.dispatch(&e, data, nil)
	case jsonscan.Array:
		p.receiveBatch(data)
	default:
		if json.Valid(data) {
			p.noisy = false
			p.opts.Problem("not a message", data)
			p.reply(nil, "", nil, Errorf(CodeInvalidRequest, "Invalid request"))
			return
		}
		p.noise(data)
	}
}

// noise handles input that is not JSON: banners, log lines, half a message. Only the
// first of a run is answered, because a talkative peer would be flooded with answers.
func (p *Peer) noise(data []byte) {
	p.opts.Problem("not JSON", data)
	if p.salvage(data) || p.noisy {
		return
	}
	p.noisy = true
	p.reply(nil, "", nil, Errorf(CodeParseError, "Parse error"))
}

// salvage finds an answer after terminal output on the same line. It only accepts the
// answer to an open call: an echo of our request must not be served.
func (p *Peer) salvage(data []byte) bool {
	i := bytes.Index(data, []byte(`{"jsonrpc"`))
	if i <= 0 {
		return false
	}
	e, ok := envelope.Open(data[i:])
	if !ok || !e.IsAnswer() || !json.Valid(data[i:]) {
		return false
	}
	id, ok := jsonscan.Int(e.ID)
	if !ok {
		return false
	}
	p.mu.Lock()
	_, open := p.calls[id]
	p.mu.Unlock()
	if open {
		p.answered(&e, data[i:])
	}
	return open
}

// dispatch handles one message; into is its batch, or nil.
func (p *Peer) dispatch(e *envelope.Envelope, data []byte, into *batch) {
	if e.IsAnswer() {
		p.answered(e, data)
		return
	}
	method, ok := methodOf(e, p.method)
	if !ok {
		p.opts.Problem("not a valid request", data)
		p.reply(nil, "", into, Errorf(CodeInvalidRequest, "Invalid request"))
		return
	}
	if p.method = method; e.ID == nil {
		p.notified(method, e.Params)
		return
	}
	p.requested(method, e, into)
}

func (p *Peer) notified(method string, params []byte) {
	if method == "$/cancel_request" {
		p.cancelRequested(params)
		return
	}
	defer func() {
		if r := recover(); r != nil {
			p.opts.Problem(fmt.Sprintf("panic in %s: %v\n%s", method, r, debug.Stack()), nil)
		}
	}()
	p.handler.Notification(method, params)
}

// cancelRequested ends the context of the named request. It runs on the reader
// goroutine, so it does not wait for the request.
func (p *Peer) cancelRequested(params []byte) {
	id := envelope.Member(params, "requestId")
	if id == nil {
		return
	}
	p.mu.Lock()
	works := p.incoming[envelope.Key(id)]
	p.mu.Unlock()
	for _, w := range works {
		w.cancel(ErrRequestCancelled)
	}
}

func (p *Peer) requested(method string, e *envelope.Envelope, into *batch) {
	id := bytes.Clone(e.ID)
	r := Request{ID: id, Method: method, Params: bytes.Clone(e.Params), Session: envelope.Session(e.Params)}
	if into != nil {
		into.expect()
	}
	ctx, cancel := context.WithCancelCause(p.ctx)
	w := &inprogress{key: envelope.Key(id), cancel: cancel}
	p.mu.Lock()
	full := p.inflight >= p.opts.MaxInFlight
	if !full {
		p.inflight++
		p.incoming[w.key] = append(p.incoming[w.key], w)
	}
	p.mu.Unlock()
	if full {
		cancel(nil)
		p.reply(id, r.Session, into, Errorf(CodeInternalError, "Too many requests at once: at most %d", p.opts.MaxInFlight))
		return
	}
	var once sync.Once
	finish := func(result any, err error) {
		once.Do(func() {
			p.workDone(w)
			if err != nil {
				p.reply(id, r.Session, into, p.opts.MapError(err))
				return
			}
			p.replyResult(id, r.Session, into, result)
		})
	}
	later := false
	r.Later = func() (context.Context, func(any, error)) {
		later = true
		return ctx, finish
	}
	switch work, failure := p.announce(r); {
	case work == nil:
		p.workDone(w)
		p.reply(id, r.Session, into, failure)
	case !later:
		go func() { finish(p.perform(ctx, method, work)) }()
	}
}

// announce asks the handler for the work. If that is nil, failure is the error to send.
func (p *Peer) announce(r Request) (work Work, failure *Error) {
	defer func() {
		if v := recover(); v != nil {
			p.opts.Problem(fmt.Sprintf("panic in %s: %v\n%s", r.Method, v, debug.Stack()), nil)
			work, failure = nil, Errorf(CodeInternalError, "Internal error")
		}
	}()
	if work = p.handler.Request(r); work == nil {
		return nil, ErrMethodNotFound.WithData(map[string]string{"method": r.Method})
	}
	return work, nil
}

func (p *Peer) perform(ctx context.Context, method string, work Work) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.opts.Problem(fmt.Sprintf("panic in %s: %v\n%s", method, v, debug.Stack()), nil)
			err = Errorf(CodeInternalError, "Internal error")
		}
	}()
	return work(ctx)
}

func (p *Peer) workDone(w *inprogress) {
	w.cancel(nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.inflight--
	rest := p.incoming[w.key]
	for i, x := range rest {
		if x == w {
			rest = append(rest[:i:i], rest[i+1:]...)
			break
		}
	}
	if len(rest) == 0 {
		delete(p.incoming, w.key)
	} else {
		p.incoming[w.key] = rest
	}
}

// answered hands a response to its call.
func (p *Peer) answered(e *envelope.Envelope, data []byte) {
	id, ok := jsonscan.Int(e.ID)
	if !ok {
		p.opts.Problem("a response without a usable id", data)
		p.attach(e)
		return
	}
	c := p.removeCall(id)
	if c == nil {
		p.opts.Problem("a response to nothing that is open (id "+strconv.FormatInt(id, 10)+")", data)
		return
	}
	c.answered = true
	c.finish(outcome(e))
}

// outcome decodes a response. One with both or neither of result and error is invalid.
func outcome(e *envelope.Envelope) (json.RawMessage, error) {
	failed := e.Failed()
	switch {
	case failed && e.Result != nil && jsonscan.KindOf(e.Result) != jsonscan.Null:
		return nil, fmt.Errorf("%w: both a result and an error", ErrInvalidResponse)
	case failed:
		return nil, decodeError(e.Error)
	case e.Result == nil:
		return nil, fmt.Errorf("%w: neither a result nor an error", ErrInvalidResponse)
	}
	return bytes.Clone(e.Result), nil
}

// decodeError decodes as much of an error object as it can.
func decodeError(raw []byte) *Error {
	e := &Error{Code: CodeInternalError, Message: "error"}
	if s, ok := jsonscan.Text(raw); ok { // see AsText
		e.Message = s
		return e
	}
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "code":
			if n, ok := jsonscan.Int(m.Value); ok {
				e.Code = int(n)
			}
		case "message":
			if s, ok := jsonscan.Text(m.Value); ok {
				e.Message = s
			}
		case "data":
			if jsonscan.KindOf(m.Value) != jsonscan.Null && json.Valid(m.Value) {
				e.Data = bytes.Clone(m.Value)
			}
		}
	}
	return e
}

// attach gives an error without an id to the only open call, if that is still the only
// one after the grace period. Some peers leave the id out if they could not read a
// request, and the caller would wait forever.
func (p *Peer) attach(e *envelope.Envelope) {
	if e.Error == nil {
		return
	}
	failure := decodeError(e.Error)
	if failure.Code != CodeParseError && failure.Code != CodeInvalidRequest {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) != 1 {
		return
	}
	for id, c := range p.calls {
		timer := time.AfterFunc(p.opts.Grace, func() {
			if p.removeCall(id) == c {
				c.finish(nil, failure)
			}
		})
		go func() {
			<-c.done
			timer.Stop()
		}()
	}
}
