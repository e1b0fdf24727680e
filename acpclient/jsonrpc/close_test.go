package jsonrpc_test

import (
	"errors"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// slowConn delays each message, and blocks forever once stuck.
type slowConn struct {
	transport.Conn
	pause time.Duration
	stuck chan struct{}
}

func (c slowConn) Send(m transport.Message) error {
	select {
	case <-time.After(c.pause):
		return c.Conn.Send(m)
	case <-c.stuck:
		return transport.ErrClosed
	}
}

// Close sends what was queued before it.
func TestCloseWritesQueuedMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.Pipe()
		p := jsonrpc.NewPeer(slowConn{Conn: a, pause: 10 * time.Millisecond}, &desk{}, jsonrpc.Options{})
		p.Start()
		for range 5 {
			p.Notify("session/cancel", map[string]string{"sessionId": "s"})
		}
		p.Close(nil)
		for i := range 5 {
			if _, err := b.Recv(); err != nil {
				t.Fatalf("message %d: %v", i+1, err)
			}
		}
		b.Close()
	})
}

// A peer that does not read delays Close only briefly.
func TestCloseDoesNotWaitForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.Pipe()
		stuck := make(chan struct{})
		p := jsonrpc.NewPeer(slowConn{Conn: a, pause: time.Hour, stuck: stuck}, &desk{}, jsonrpc.Options{})
		p.Start()
		p.Notify("x", nil)
		begun := time.Now()
		p.Close(nil)
		if took := time.Since(begun); took > time.Second {
			t.Errorf("Close took %v", took)
		}
		close(stuck)
		b.Close()
	})
}

// brokenConn cannot send, like the stdin of a process that has closed it.
type brokenConn struct{ transport.Conn }

func (brokenConn) Send(transport.Message) error { return io.ErrClosedPipe }

// Messages of a peer that has stopped reading are still received, and a call to it ends.
func TestPeerThatStopsReading(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			a, b := transport.Pipe()
			d := &desk{}
			p := jsonrpc.NewPeer(brokenConn{a}, d, jsonrpc.Options{})
			p.Start()
			c := p.Begin("prompt", nil)
			synctest.Wait()
			b.Send(transport.Message{Data: []byte(note("u", "1"))})
			synctest.Wait()
			if ends {
				b.Close()
			}
			if err := c.Wait(t.Context(), nil); !errors.Is(err, jsonrpc.ErrClosed) {
				t.Errorf("the call ended with %v", err)
			}
			d.mu.Lock()
			got := slices.Clone(d.notes)
			d.mu.Unlock()
			if len(got) != 1 {
				t.Errorf("handled %q", got)
			}
			p.Close(nil)
			b.Close()
		})
	}
}
