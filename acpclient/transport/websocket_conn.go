package transport

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"time"

	"parley/internal/outflow"
)

// wsLine is the connection that carries the frames of a WebSocket. It records what the
// library does not report.
type wsLine struct {
	io.ReadWriteCloser
	raw net.Conn        // the lowest layer, for deadlines and cut
	out *outflow.Writer // the writing side
	end func(error)     // called with the reason when writing fails; set before anything is written

	bytesRead  atomic.Int64 // bytes read
	readFailed bool         // a Read has failed; guarded by WebSocket.reading
}

func (l *wsLine) Read(p []byte) (int, error) {
	n, err := l.ReadWriteCloser.Read(p)
	l.bytesRead.Add(int64(n))
	if err != nil {
		l.readFailed = true
	}
	return n, err
}

func newWSLine(conn io.ReadWriteCloser, raw net.Conn, stall time.Duration) *wsLine {
	l := &wsLine{ReadWriteCloser: conn, raw: raw}
	l.out = outflow.New(writeFunc(func(p []byte) (int, error) { return l.ReadWriteCloser.Write(p) }), raw, stall, func(err error) { l.end(err) })
	return l
}

type writeFunc func(p []byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// Write copies p and does not block: the library gives up on a pong whose write blocks.
func (l *wsLine) Write(p []byte) (int, error) { return l.out.Write(p) }

// Close lets the queued bytes be written, for a moment.
func (l *wsLine) Close() error {
	l.out.Finish(defaultWSTimeouts.farewell)
	l.out.WaitForRoom(0)
	return l.ReadWriteCloser.Close()
}

// cut closes the connection at once: closing TLS would write an alert, which may block.
func (l *wsLine) cut() { l.raw.Close() }

// sendPings sends pings. They keep proxies from closing an idle connection, and show when the
// peer has disappeared.
func (w *WebSocket) sendPings() {
	defer close(w.pingsEnded)
	timer := time.NewTimer(w.times.ping)
	defer timer.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-timer.C:
		}
		if !w.isAlive() {
			w.end(ErrSilent)
			return
		}
		timer.Reset(w.times.ping)
	}
}

// isAlive reports whether the peer has sent any byte: the pong may be queued after a long
// message. It checks twice, because in a process that was suspended and resumed the time
// may be over before anything could be read.
func (w *WebSocket) isAlive() bool {
	before := w.line.bytesRead.Load()
	for range 2 {
		if w.busy() || w.ping(w.times.pong/2) || w.line.bytesRead.Load() != before || w.busy() {
			return true
		}
	}
	return false
}

// busy reports whether silence means nothing: data is being written, which has its own
// timeout, or Recv is not called.
func (w *WebSocket) busy() bool {
	return w.writing.held() || w.line.out.Pending() > 0 || !w.reading.held()
}

func (w *WebSocket) ping(patience time.Duration) bool {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	return w.ws.Ping(ctx) == nil
}
