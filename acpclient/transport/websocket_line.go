package transport

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// wsLine is what the frames of a WebSocket travel over: the connection as the upgrade left it. It watches what goes
// by, which the library above does not tell.
type wsLine struct {
	io.ReadWriteCloser
	raw   net.Conn // the lowest layer of it, which deadlines and cut work on
	stall time.Duration

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

// Write gives up when the other side takes nothing for the stall time. The library writes a few KiB at a time, so a
// long message on a slow line is no stall.
func (l *wsLine) Write(p []byte) (int, error) {
	l.raw.SetWriteDeadline(time.Now().Add(l.stall))
	defer l.raw.SetWriteDeadline(time.Time{}) // TLS may write while it reads
	return l.ReadWriteCloser.Write(p)
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

// occupied tells whether silence would mean nothing: a message is on its way out, which has a patience of its own, or
// nobody listens.
func (w *WebSocket) occupied() bool { return w.writing.held() || !w.reading.held() }

func (w *WebSocket) ping(patience time.Duration) bool {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	return w.ws.Ping(ctx) == nil
}
