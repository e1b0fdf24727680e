package transport

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/outflow"
)

const (
	dialTimeout = 30 * time.Second
	keepAlive   = 30 * time.Second // of TCP
)

// netLines are the network connections of an HTTP, which end with it: net/http lets dials and connections go on for a
// while when nobody waits for them any more.
type netLines struct {
	connect dialFunc
	ctx     context.Context
	stop    context.CancelFunc

	mu    sync.Mutex
	dials sync.WaitGroup
	open  map[*netLine]struct{}
}

// netLine is one of them.
type netLine struct {
	net.Conn
	of    *netLines
	start atomic.Int64 // when what comes without a lull began, in nanoseconds
	last  atomic.Int64 // and when something came last
}

// lull is a pause in what a line brings after which nothing is on its way that was said before it.
const lull = 10 * time.Second

// Read implements net.Conn.
func (l *netLine) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	now := time.Now().UnixNano()
	if now-l.last.Swap(now) > int64(lull) {
		l.start.Store(now)
	}
	return n, err
}

// busy tells whether something has come on the line all the time for so long: what else is on its way may have to wait.
func (l *netLine) busy(since time.Duration) bool {
	last := l.last.Load()
	return time.Now().UnixNano()-last < int64(lull) && last-l.start.Load() >= int64(since)
}

// carrying finds the netLine at the bottom of a connection; nil where there is none.
func carrying(conn net.Conn) *netLine {
	for {
		switch c := conn.(type) {
		case *netLine:
			return c
		case interface{ NetConn() net.Conn }:
			conn = c.NetConn()
		default:
			return nil
		}
	}
}

func newNetLines() *netLines {
	l := &netLines{open: map[*netLine]struct{}{}, connect: (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

func (l *netLines) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	if l.ctx.Err() != nil {
		l.mu.Unlock()
		return nil, net.ErrClosed
	}
	l.dials.Add(1)
	l.mu.Unlock()
	defer l.dials.Done()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(l.ctx, stop)()
	conn, err := l.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx.Err() != nil {
		conn.Close()
		return nil, net.ErrClosed
	}
	outflow.Bound(conn)
	one := &netLine{Conn: conn, of: l}
	l.open[one] = struct{}{}
	return one, nil
}

// Close implements net.Conn.
func (l *netLine) Close() error {
	l.of.mu.Lock()
	delete(l.of.open, l)
	l.of.mu.Unlock()
	return l.Conn.Close()
}

// cut ends them all, and those that are being dialled.
func (l *netLines) cut() {
	l.mu.Lock()
	l.stop()
	for one := range l.open {
		one.Conn.Close()
	}
	clear(l.open)
	l.mu.Unlock()
	l.dials.Wait()
}
