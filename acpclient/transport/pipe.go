package transport

import (
	"bytes"
	"io"
	"sync"
)

// Pipe returns the two ends of an in-memory connection. Its queues have no limit, so Send
// never blocks. Closing an end gives the other io.EOF once it has received what was sent
// before. A Pipe uses only channels, so it works in a synctest bubble.
func Pipe() (a, b Conn) {
	ab, ba := newQueue(), newQueue()
	return &pipeEnd{in: ba, out: ab}, &pipeEnd{in: ab, out: ba}
}

type pipeEnd struct {
	in, out  *queue
	returned []byte // the bytes last returned by Recv
}

// queue is one direction of a pipe.
type queue struct {
	more chan struct{} // holds a token when the queue has changed; one is enough for a single reader

	mu       sync.Mutex
	waiting  [][]byte
	finished bool // the writing end is closed
	refused  bool // the reading end is closed
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

func (q *queue) take() (data []byte, ok bool, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.refused:
		return nil, false, ErrClosed
	case len(q.waiting) > 0:
		data = q.waiting[0]
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		return data, true, nil
	case q.finished:
		return nil, false, io.EOF
	}
	return nil, false, nil
}

func (q *queue) put(data []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.finished:
		return ErrClosed
	case q.refused:
		return io.ErrClosedPipe
	}
	q.waiting = append(q.waiting, bytes.Clone(data))
	return nil
}

func (p *pipeEnd) Recv() ([]byte, error) {
	for {
		data, ok, err := p.in.take()
		if ok || err != nil {
			p.overwrite()
			p.returned = data
			return data, err
		}
		<-p.in.more
	}
}

// overwrite overwrites the message returned before, so that tests notice a reader that keeps
// it too long, as with a connection that reuses its buffer.
func (p *pipeEnd) overwrite() {
	for i := range p.returned {
		p.returned[i] = '#'
	}
}

func (p *pipeEnd) Send(m Message) error {
	err := p.out.put(m.Data)
	p.out.wake()
	return err
}

func (p *pipeEnd) Close() error {
	p.out.mu.Lock()
	p.out.finished = true
	p.out.mu.Unlock()
	p.in.mu.Lock()
	p.in.refused, p.in.waiting = true, nil
	p.in.mu.Unlock()
	p.out.wake()
	p.in.wake()
	return nil
}
