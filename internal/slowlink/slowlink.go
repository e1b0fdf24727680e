// Package slowlink puts a slow connection between a client and a server. Only tests use it.
package slowlink

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Link carries connections to a server at a limited number of bytes per second in each
// direction.
type Link struct {
	target string
	o      Options
	ln     net.Listener
	frozen chan struct{} // closed by Freeze
	freeze sync.Once
	done   chan struct{} // closed when the link ends
	work   sync.WaitGroup

	mu    sync.Mutex
	conns []net.Conn // nil after the end of the link
}

// Options are the speed of a Link and its buffer.
type Options struct {
	Rate int // bytes per second in each direction of each connection
	// Buffer is how many bytes in each direction it accepts at once, like a proxy with a
	// buffer. It accepts more only when all of them are passed on. 0: writers notice how
	// slow it is.
	Buffer int
}

// buffers is the size of the system buffers at each end: with less than a segment of the loopback the connection would
// stall.
const buffers = 128 << 10

// lag bounds the delay, caused by a busy machine, that a Link catches up on.
const lag = 100 * time.Millisecond

// New makes a Link to an address. It ends with the test.
func New(t testing.TB, target string, o Options) *Link {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{target: target, o: o, ln: ln, frozen: make(chan struct{}), done: make(chan struct{}), conns: []net.Conn{}}
	l.work.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			l.work.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(l.close)
	return l
}

// Addr returns the address for clients.
func (l *Link) Addr() string { return l.ln.Addr().String() }

// Freeze stops all data from now on. Connections stay open.
func (l *Link) Freeze() { l.freeze.Do(func() { close(l.frozen) }) }

func (l *Link) close() {
	l.ln.Close()
	close(l.done)
	l.mu.Lock()
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
	l.mu.Unlock()
	l.work.Wait()
}

// track adds a connection. If the link has ended it closes the connection and reports false.
func (l *Link) track(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns == nil {
		conn.Close()
		return false
	}
	l.conns = append(l.conns, conn)
	return true
}

func (l *Link) carry(client net.Conn) {
	if !l.track(client) {
		return
	}
	server, err := net.Dial("tcp", l.target)
	if err != nil {
		client.Close()
		return
	}
	if !l.track(server) {
		return
	}
	l.work.Go(func() { l.pump(client, server) })
	l.pump(server, client)
}

// pump carries one direction.
func (l *Link) pump(from, to net.Conn) {
	from.(*net.TCPConn).SetReadBuffer(buffers)
	to.(*net.TCPConn).SetWriteBuffer(buffers)
	defer from.Close()
	defer to.Close()
	var src io.Reader = from
	if l.o.Buffer > 0 {
		swallowed := l.buffer(from)
		defer swallowed.Close()
		src = swallowed
	}
	next := time.Now() // when the next bytes may pass
	for p := make([]byte, l.o.Rate/100); ; {
		n, err := src.Read(p)
		select {
		case <-l.frozen:
			<-l.done
			return
		default:
		}
		if n > 0 {
			if _, err := to.Write(p[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
		if late := time.Now().Add(-lag); next.Before(late) {
			next = late
		}
		next = next.Add(time.Second * time.Duration(n) / time.Duration(l.o.Rate))
		time.Sleep(time.Until(next))
	}
}

// buffer reads ahead as much as there is room for.
func (l *Link) buffer(from io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	pieces, handedOn := make(chan []byte, 1<<16), make(chan struct{})
	l.work.Go(func() {
		defer close(pieces)
		for n := 0; ; {
			p := make([]byte, 16<<10)
			k, err := from.Read(p)
			if err != nil {
				return
			}
			pieces <- p[:k]
			if n += k; n >= l.o.Buffer {
				pieces <- nil
				<-handedOn
				n = 0
			}
		}
	})
	l.work.Go(func() {
		defer in.Close()
		for p := range pieces {
			if p == nil {
				handedOn <- struct{}{}
			} else {
				in.Write(p)
			}
		}
	})
	return out
}
