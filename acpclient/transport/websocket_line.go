package transport

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"time"

	"parley/internal/outflow"
)

// wsLine is what the frames of a WebSocket travel over: the connection as the upgrade left it. It watches what goes
// by, which the library above does not tell.
type wsLine struct {
	io.ReadWriteCloser
	raw net.Conn        // the lowest layer of it, which deadlines and cut work on
	out *outflow.Writer // what is written
	end func(error)     // is told why nothing can be written; set before anything is

	heard atomic.Int64 // bytes read
	broke bool         // a Read has failed. Guarded by the turn to read
}

func (l *wsLine) Read(p []byte) (int, error) {
	n, err := l.ReadWriteCloser.Read(p)
	l.heard.Add(int64(n))
	if err != nil {
		l.broke = true
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

// Write takes a copy and does not wait: the library gives up on the answer to a ping that has to.
func (l *wsLine) Write(p []byte) (int, error) { return l.out.Write(p) }

// Close lets what waits leave, for a moment.
func (l *wsLine) Close() error {
	l.out.Finish(usualTimes.farewell)
	l.out.Room(0)
	return l.ReadWriteCloser.Close()
}

// cut ends the connection at once: TLS would still want to say something, and wait for it.
func (l *wsLine) cut() { l.raw.Close() }

// pulse asks for a sign of life from time to time: that keeps proxies from closing an idle connection, and tells when
// the other side has gone without a word.
func (w *WebSocket) pulse() {
	defer close(w.pulseEnded)
	timer := time.NewTimer(w.times.ping)
	defer timer.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-timer.C:
		}
		if !w.answers() {
			w.end(ErrSilent)
			return
		}
		timer.Reset(w.times.ping)
	}
}

// answers tells whether there is a sign of life: any byte, since the pong may stand behind a long message. It asks
// twice, for in a process that was stopped and goes on all time has run out before anything could be read.
func (w *WebSocket) answers() bool {
	before := w.line.heard.Load()
	for range 2 {
		if w.occupied() || w.ping(w.times.pong/2) || w.line.heard.Load() != before || w.occupied() {
			return true
		}
	}
	return false
}

// occupied tells whether silence would mean nothing: something is on its way out, which has a patience of its own, or
// nobody listens.
func (w *WebSocket) occupied() bool {
	return w.writing.held() || w.line.out.Pending() > 0 || !w.reading.held()
}

func (w *WebSocket) ping(patience time.Duration) bool {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	return w.ws.Ping(ctx) == nil
}
