package gateway

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/acpclient/transport"
)

// slowLink carries connections to a server, a bounded number of bytes a second each
// way. A swallowing one takes everything at once, as a proxy with room for it does,
// and hands it on slowly.
type slowLink struct {
	ln        net.Listener
	target    string
	rate      int // bytes a second
	swallows  bool
	mu        sync.Mutex
	closed    bool
	conns     []net.Conn
	underWait sync.WaitGroup
}

func newSlowLink(t *testing.T, target string, rate int, swallows bool) *slowLink {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &slowLink{ln: ln, target: target, rate: rate, swallows: swallows}
	l.underWait.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			l.underWait.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		l.mu.Lock()
		l.closed = true
		for _, c := range l.conns {
			c.Close()
		}
		l.mu.Unlock()
		l.underWait.Wait()
	})
	return l
}

func (l *slowLink) carry(client net.Conn) {
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		client.Close()
		return
	}
	l.mu.Lock()
	l.conns = append(l.conns, client, server)
	closed := l.closed
	l.mu.Unlock()
	if closed {
		client.Close()
		server.Close()
		return
	}
	l.underWait.Go(func() { l.pump(client, server) })
	l.pump(server, client)
}

func (l *slowLink) pump(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	var src io.Reader = from
	if l.swallows {
		whole, in := io.Pipe()
		pieces := make(chan []byte, 1<<16)
		l.underWait.Go(func() {
			defer close(pieces)
			for {
				p := make([]byte, 16<<10)
				n, err := from.Read(p)
				if err != nil {
					return
				}
				pieces <- p[:n]
			}
		})
		l.underWait.Go(func() {
			defer in.Close()
			for p := range pieces {
				in.Write(p)
			}
		})
		defer whole.Close()
		src = whole
	} else {
		from.(*net.TCPConn).SetReadBuffer(128 << 10) // less than a segment of the loopback would stall
	}
	to.(*net.TCPConn).SetWriteBuffer(128 << 10)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for p := make([]byte, l.rate/100); ; {
		n, err := src.Read(p)
		if n > 0 {
			if _, err := to.Write(p[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
		<-tick.C
	}
}

// hasty gives up soon on what stands still.
func hasty(o *Options) {
	o.Limits = Limits{Ping: 200 * time.Millisecond, Pong: 500 * time.Millisecond, Stall: time.Second, Read: time.Second, KeepAlive: 200 * time.Millisecond}
}

// What is slow but moves is not cut, neither way, whatever lies between: a whole
// conversation that takes much longer than a silent connection lives, and a single
// message as long as that.
func TestSlowIsNotSilent(t *testing.T) {
	const rate = 1 << 20
	many := make([]string, 0, 60)
	for range 60 {
		many = append(many, padded("s", 40<<10))
	}
	for _, way := range []struct {
		name, scheme, h2c string
	}{{"WebSocket", "ws", ""}, {"HTTP/1.1", "http", "off"}, {"h2c", "http", "on"}} {
		for _, swallows := range []bool{false, true} {
			name := way.name + " over a slow line"
			if swallows {
				name = way.name + " behind a proxy that takes everything"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, "h1", hasty)
				l := newSlowLink(t, r.addr, rate, swallows)
				conn, err := transport.Dial(t.Context(), transport.Remote{URL: way.scheme + "://" + l.ln.Addr().String() + "/acp", H2C: way.h2c})
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				send := func(msg string) {
					t.Helper()
					if err := conn.Send(transport.Message{Data: []byte(msg)}); err != nil {
						t.Fatal(err)
					}
				}
				want := func(words string) {
					t.Helper()
					for {
						msg, err := conn.Recv()
						if err != nil {
							t.Fatalf("before %.30q: %v", words, err)
						}
						if strings.Contains(string(msg), words) {
							return
						}
						if strings.Contains(string(msg), `"error"`) {
							t.Fatalf("%.300s", msg)
						}
					}
				}
				send(request("0", "initialize", `{"protocolVersion":1}`))
				want(`"protocolVersion":1`)
				send(request("1", "_say", `{"lines":`+list(many)+`}`))
				want(`"id":1,"result"`)
				send(request("2", "_say", `{"lines":`+list([]string{padded("s", 2<<20)})+`}`))
				want(`"id":2,"result"`)
			})
		}
	}
}
