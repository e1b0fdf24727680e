package gateway

import (
	"context"
	"log/slog"
	"net"
	"sync"
	"testing"
	"testing/synctest"
)

// memory is a network in memory. Written data waits until it is read.
type memory struct {
	conns chan net.Conn
	over  chan struct{}
	once  sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), over: make(chan struct{})} }

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.over:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.once.Do(func() { close(m.over) }); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- theirs:
		return ours, nil
	case <-m.over:
		return nil, net.ErrClosed
	}
}

// bubble runs a test for each profile with a fake clock, which moves only when every
// goroutine waits, so a busy machine makes no difference. The network and the agents are in
// memory. The test ends when no goroutine of the server is left.
func bubble(t *testing.T, profiles []string, f func(t *testing.T, r *rig), change ...func(*Options)) {
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				f(t, newRigOn(t, m, m.dial, profile, append([]func(*Options){inMemory}, change...)...))
			})
		})
	}
}

// inMemory starts the agent of the tests in memory.
func inMemory(o *Options) {
	o.Start = func(Client, *slog.Logger) (Agent, error) {
		p := &played{}
		f := newFake(func(f *fake, msg []byte) {
			if p.hear("plain", string(msg)) >= 0 {
				f.Close()
			}
		})
		p.out = func(lines []string) {
			for _, l := range lines {
				f.say([]byte(l))
			}
		}
		p.rest = func() { <-f.ended }
		return f, nil
	}
}
