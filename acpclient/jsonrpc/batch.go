package jsonrpc

import (
	"encoding/json"
	"sync"

	"parley/acpclient/transport"
	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// maxBatch bounds the entries of one batch.
const maxBatch = 100_000

// batch collects the answers to the entries of one received array. They are sent as one
// array when all of them are complete.
type batch struct {
	mu      sync.Mutex
	open    int // entries without an answer; the reader counts as one
	answers [][]byte
	session string
}

func (b *batch) expect() {
	b.mu.Lock()
	b.open++
	b.mu.Unlock()
}

// add stores one answer, or nil for none. It returns the whole array if this was the
// last entry and there is anything to send.
func (b *batch) add(answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		b.answers = append(b.answers, answer)
	}
	if b.open--; b.open > 0 || len(b.answers) == 0 {
		return nil
	}
	out := []byte{'['}
	for i, a := range b.answers {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, a...)
	}
	return append(out, ']')
}

// receiveBatch handles an array: its entries in order, as if each had arrived alone, and
// their answers together. Arrays are never sent except as such an answer.
func (p *Peer) receiveBatch(data []byte) {
	if !json.Valid(data) {
		p.noise(data)
		return
	}
	p.noisy = false
	n := 0
	for it := jsonscan.ItemsOf(data); it.Next(); {
		n++
	}
	if n == 0 || n > maxBatch {
		p.opts.Problem("an empty or oversized batch", nil)
		p.reply(nil, "", nil, Errorf(CodeInvalidRequest, "Invalid request: a batch holds 1 to %d messages", maxBatch))
		return
	}
	b := &batch{open: 1}
	for it := jsonscan.ItemsOf(data); it.Next(); {
		e, ok := envelope.Open(it.Value)
		if !ok {
			b.expect()
			p.reply(nil, "", b, Errorf(CodeInvalidRequest, "Invalid request"))
			continue
		}
		if !e.IsAnswer() {
			if _, ok := methodOf(&e, ""); !ok {
				b.expect()
			}
		}
		p.dispatch(&e, it.Value, b)
	}
	if all := b.add(nil); all != nil {
		p.send(transport.Message{Data: all, Session: b.session, Answer: true})
	}
}

// reply sends an error, in its batch or alone.
func (p *Peer) reply(id []byte, session string, into *batch, failure *Error) {
	p.deliver(response(id, nil, failure), session, into)
}

func (p *Peer) replyResult(id []byte, session string, into *batch, result any) {
	p.deliver(response(id, result, nil), session, into)
}

func (p *Peer) deliver(answer []byte, session string, into *batch) {
	if into != nil {
		if session != "" {
			into.mu.Lock()
			into.session = session
			into.mu.Unlock()
		}
		if answer = into.add(answer); answer == nil {
			return
		}
		session = into.session
	}
	p.send(transport.Message{Data: answer, Session: session, Answer: true})
}
