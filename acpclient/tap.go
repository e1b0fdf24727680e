package acpclient

import (
	"sync/atomic"

	"parley/acpclient/event"
	"parley/acpclient/transport"
)

// Tap sees every message of a connection as it travels: out says that parley
// sends it, n is the ordinal of a received one (Span), 0 for those sent. What is
// sent is seen just before it leaves, so that no answer is seen before its
// request. It is called on the reader or the writer goroutine, must not block,
// and must not keep data.
type Tap func(out bool, n uint64, data []byte)

// counted is a connection that numbers what it receives, and shows everything to
// a tap.
type counted struct {
	transport.Conn
	tap  Tap              // may be nil
	hold func(n int) bool // of a Bounded sink; may be nil

	received *atomic.Uint64 // the reader goroutine counts
	current  uint64         // reader goroutine only: the message that is being handled, which may be one that was kept early
}

// span is the message that is being handled. Reader goroutine.
func (c *counted) span() event.Span { return event.Span{First: c.current, Last: c.current} }

func (c *counted) Recv() ([]byte, error) {
	data, err := c.Conn.Recv()
	if err != nil {
		return data, err
	}
	if c.hold != nil && !c.hold(len(data)) {
		return nil, event.ErrUntaken
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
