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

// line is the connection under a WebSocket. Writing to it does not wait, so that the
// answer to a ping never has to; what waits leaves piece by piece, and the client is
// given up when it takes nothing of it, not when it is slow.
type line struct {
	net.Conn
	out   *outflow.Writer
	reads atomic.Int64 // times that the client sent something

	stall   time.Duration
	stalled func() // called when the client takes nothing; finish has to follow
	once    sync.Once
}

// hijacker is a ResponseWriter whose connection becomes a line.
type hijacker struct {
	http.ResponseWriter
	line *line
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

// Read implements net.Conn.
func (l *line) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.reads.Add(1)
	return n, err
}

// Write implements net.Conn. It takes a copy and does not wait.
func (l *line) Write(p []byte) (int, error) { return l.out.Write(p) }

// finish bounds all that is still to be written.
func (l *line) finish(d time.Duration) { l.out.Finish(d) }

// Close implements net.Conn: what waits still leaves, for a moment.
func (l *line) Close() error {
	l.finish(farewell)
	l.out.Room(0)
	return l.Conn.Close()
}
