package acpclient_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/acpclient/transport"
	"parley/internal/must"
)

// gatedAgent is a connection that answers the handshake and then receives as many lines
// of a load as the test releases. The fakeagent would allocate, too.
type gatedAgent struct {
	version int
	asked   chan []byte
	release chan int
	idle    chan struct{} // all released lines were handled
	lines   *transport.LineReader
	left    int
	begun   bool
}

func (c *gatedAgent) Recv() ([]byte, error) {
	if c.left == 0 {
		if c.begun {
			c.idle <- struct{}{}
		}
		select {
		case data := <-c.asked:
			m := decode(data)
			result := map[string]string{"initialize": fmt.Sprintf(`{"protocolVersion":%d,"info":{"name":"a","version":"0"},"capabilities":{"session":{}}}`, c.version), "session/new": `{"sessionId":"s1"}`}[m.Method]
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result), nil
		case n, ok := <-c.release:
			if !ok {
				return nil, io.EOF
			}
			c.left, c.begun = n, true
		}
	}
	c.left--
	return c.lines.Next()
}

func (c *gatedAgent) Send(m transport.Message) error {
	c.asked <- bytes.Clone(m.Data)
	return nil
}

func (c *gatedAgent) Close() error { return nil }

// endless repeats a block.
type endless struct {
	block []byte
	pos   int
}

func (r *endless) Read(p []byte) (int, error) {
	n := copy(p, r.block[r.pos:])
	r.pos = (r.pos + n) % len(r.block)
	return n, nil
}

// The messages that arrive in large numbers cost at most this many allocations through
// the whole engine: lines, jsonrpc, wire, events, Queue, and thread at intervals.
func TestAllocationsPerMessage(t *testing.T) {
	for name, most := range map[string]float64{"text": 7, "terminal": 14, "tools": 20} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprintf("%s/v%d", name, version), func(t *testing.T) {
				q := event.NewQueue()
				conn := &gatedAgent{version: version, lines: transport.NewLineReader(&endless{block: newLoad(name, version).block}, 0), asked: make(chan []byte, 10),
					release: make(chan int), idle: make(chan struct{})}
				c := must.Get(acpclient.Connect(t.Context(), conn, acpclient.Options{Sink: q, Protocol: fmt.Sprint(version)}))(t)
				must.Get(c.NewSession(t.Context(), acpclient.NewSession{Cwd: "/"}))(t)
				conversation := thread.New("s1")
				const messages = 900
				got := testing.AllocsPerRun(20, func() {
					conn.release <- messages
					<-conn.idle
					for _, e := range q.Drain() {
						conversation.Apply(e)
					}
				}) / messages
				close(conn.release)
				<-c.Done()
				if got > most {
					t.Errorf("%.2f allocations a message, at most %v", got, most)
				}
				if kept(conversation) < 10*messages {
					t.Errorf("only %d bytes came through", kept(conversation))
				}
			})
		}
	}
}
