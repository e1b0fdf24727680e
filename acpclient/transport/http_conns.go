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
	keepAlive   = 30 * time.Second // for TCP
)

// netLines tracks the network connections of an HTTP, so that they end with it: net/http
// keeps dials and connections alive after their requests are cancelled.
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
	start atomic.Int64 // start of the current burst of data, in nanoseconds
	last  atomic.Int64 // time of the last read
}

// lull is a pause in the incoming data long enough that nothing sent before it can still be
// on the way.
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

// busy reports whether data has arrived without a lull since that long: other data on the
// way may have to wait.
func (l *netLine) busy(since time.Duration) bool {
	last := l.last.Load()
	return time.Now().UnixNano()-last < int64(lull) && last-l.start.Load() >= int64(since)
}

// carrying finds the netLine below the wrappers of a connection, nil if there is none.
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

// cut closes all connections and cancels the dials.
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
