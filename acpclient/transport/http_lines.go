package transport

import (
	"context"
	"net"
	"sync"
	"time"
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
	of *netLines
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
	one := &netLine{conn, l}
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
