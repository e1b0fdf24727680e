package acpclient

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/transport"
)

// Tap sees every message of a connection. out means that parley sends it; n is the
// ordinal of a received message (Span), 0 for a sent one. A sent message is seen just
// before it leaves, so a request is always seen before its answer. Tap is called on the
// reader or the writer goroutine, must not block, and must not keep data.
type Tap func(out bool, n uint64, data []byte)

// counted is a connection that numbers the received messages and shows all messages to a
// tap.
type counted struct {
	transport.Conn
	tap  Tap                           // may be nil
	hold func(n int) bool              // of a Bounded sink; may be nil
	lost func(*transport.TooLongError) // is called for a message that was skipped

	received *atomic.Uint64 // incremented by the reader goroutine
	current  uint64         // reader goroutine only: the message being handled, which may be an early one
}

// span returns the message being handled. Reader goroutine only.
func (c *counted) span() event.Span { return event.Span{First: c.current, Last: c.current} }

func (c *counted) Recv() ([]byte, error) {
	data, err := c.Conn.Recv()
	if err != nil {
		if tooLong := new(transport.TooLongError); errors.As(err, &tooLong) {
			c.lost(tooLong)
		}
		return data, err
	}
	if c.hold != nil && !c.hold(len(data)) {
		return nil, event.ErrQueueFull
	}
	c.current = c.received.Add(1)
	if c.tap != nil {
		c.tap(false, c.current, data)
	}
	return data, nil
}

func (c *counted) Send(m transport.Message) error {
	if c.tap != nil {
		c.tap(true, 0, m.Data)
	}
	return c.Conn.Send(m)
}

// openStream and closeStream tell HTTP, which has a stream for each session, about a session.
func (c *counted) openStream(id string) {
	if h, ok := c.Conn.(*transport.HTTP); ok {
		h.OpenSession(id)
	}
}

func (c *counted) closeStream(id string) {
	if h, ok := c.Conn.(*transport.HTTP); ok {
		h.CloseSession(id)
	}
}

// How long no update may arrive after the answer to session/load before the history
// counts as complete, and how long to wait for that at most.
const (
	historyPause    = 100 * time.Millisecond
	historyPatience = 3 * time.Second
)

// stragglers waits for the rest of a history: gemini answers after its first message,
// and over HTTP the answer may overtake the session's stream. It returns when nothing
// has arrived for a while, or when ctx or the connection has ended.
func (c *counted) stragglers(ctx context.Context, ended <-chan struct{}) {
	ctx, stop := context.WithTimeout(ctx, historyPatience)
	defer stop()
	for came := c.received.Load(); ; {
		select {
		case <-time.After(historyPause):
		case <-ctx.Done():
			return
		case <-ended:
			return
		}
		now := c.received.Load()
		if now == came {
			return
		}
		came = now
	}
}
