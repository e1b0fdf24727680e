package jsonrpc_test

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/transport"
)

// slowConn takes a while for each message, and for ever once stuck.
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

// What was queued before Close still reaches a peer that takes it.
func TestCloseWritesWhatIsQueued(t *testing.T) {
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

// A peer that takes nothing does not hold up Close for long.
func TestCloseDoesNotWaitForEver(t *testing.T) {
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
