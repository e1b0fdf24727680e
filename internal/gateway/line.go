package gateway

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/outflow"
)

// bufferedConn is the connection below a WebSocket. Writing to it does not wait, so the
// answer to a ping never has to. Data leaves in pieces, and a client is given up if it
// reads none of it, not if it is slow.
type bufferedConn struct {
	net.Conn
	out   *outflow.Writer
	reads atomic.Int64 // number of reads that returned data from the client

	stall   time.Duration
	stalled func() // called when the client reads nothing; must call finish
	once    sync.Once
}

// hijacker is a ResponseWriter whose connection becomes a bufferedConn.
type hijacker struct {
	http.ResponseWriter
	line *bufferedConn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	l := h.line
	l.Conn = conn
	l.out = outflow.New(conn, conn, l.stall, func(err error) {
		if errors.Is(err, os.ErrDeadlineExceeded) {
			l.once.Do(l.stalled)
		}
	})
	rw.Writer.Reset(l)
	return l, rw, nil
}

func (l *bufferedConn) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.reads.Add(1)
	return n, err
}

// Write implements net.Conn. It copies p and does not wait.
func (l *bufferedConn) Write(p []byte) (int, error) { return l.out.Write(p) }

// finish bounds the time for everything still to be written.
func (l *bufferedConn) finish(d time.Duration) { l.out.Finish(d) }

// Close implements net.Conn. Buffered data is still sent, for a moment.
func (l *bufferedConn) Close() error {
	l.finish(farewell)
	l.out.WaitForRoom(0)
	return l.Conn.Close()
}
