// Package outflow writes to a network connection without holding up whoever has
// something to say: Write takes a copy and returns at once, and one goroutine, which
// runs only while something waits, hands it to the network. So what is short and
// urgent, such as the answer to a ping, never times out in its own program, and a
// connection is given up when nothing of it moves for a time, not when it is slow.
// How much waits is bounded by callers that call Room first.
package outflow

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

const (
	piece = 64 << 10 // written at once
	// systemRoom is how much the system may hold back of a connection, in bytes. What
	// lies there longer than the other side is waited for looks like silence.
	systemRoom = 256 << 10
)

// Bound keeps the system from holding back more than a moment of a slow connection,
// which may be one of TLS. Other kinds stay as they are.
func Bound(conn net.Conn) {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = inner.NetConn()
	}
	if tcp, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(systemRoom)
	}
}

// Line is where the deadlines of a connection are set: the connection itself, or the
// lowest layer of it.
type Line interface{ SetWriteDeadline(time.Time) error }

// Writer writes to one connection. Its methods may be called from any goroutine.
type Writer struct {
	to     io.Writer
	line   Line
	stall  time.Duration
	failed func(error)

	mu       sync.Mutex
	waiting  *[]byte // handed in and not yet with the goroutine; nil: nothing
	flying   int     // bytes that the goroutine has and the network has not
	running  bool
	err      error
	moved    int64
	stir     chan struct{} // closed when something has moved or failed, if somebody waits for that
	deadline time.Time     // Finish was called: of all that is still written
	renewed  time.Time     // when the deadline of the line was set
}

// New makes a Writer. Where the network takes not one byte for the time of stall it
// fails with os.ErrDeadlineExceeded. failed is told errors, on the goroutine of the
// Writer; where it calls Finish because the network takes nothing, the writing goes on
// for that time.
func New(to io.Writer, line Line, stall time.Duration, failed func(error)) *Writer {
	return &Writer{to: to, line: line, stall: stall, failed: failed}
}

// buffers are those of Writers that have something to write.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, piece+piece/4); return &b }}

func release(b *[]byte) {
	if cap(*b) <= 4*piece {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// Write takes a copy of p. The error is that of an earlier piece.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return 0, w.err
	}
	if w.waiting == nil {
		w.waiting = buffers.Get().(*[]byte)
	}
	*w.waiting = append(*w.waiting, p...)
	if !w.running {
		w.running = true
		go w.run()
	}
	return len(p), nil
}

// Pending is how many bytes wait.
func (w *Writer) Pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending()
}

func (w *Writer) pending() int {
	n := w.flying
	if w.waiting != nil {
		n += len(*w.waiting)
	}
	return n
}

// Moved counts the bytes that the network has taken.
func (w *Writer) Moved() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moved
}

// Room waits until no more than most bytes wait. The error is that of the writing.
func (w *Writer) Room(most int) error {
	for {
		w.mu.Lock()
		if w.err != nil || w.pending() <= most {
			defer w.mu.Unlock()
			return w.err
		}
		if w.stir == nil {
			w.stir = make(chan struct{})
		}
		stir := w.stir
		w.mu.Unlock()
		<-stir
	}
}

// Taken says that the other side has told that it takes what is written, though the
// network may take nothing for now: what lies on the way takes it in lumps. Its time
// starts anew.
func (w *Writer) Taken() { w.renew(false) }

// Finish bounds the time for everything that is still to be written.
func (w *Writer) Finish(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(d)
	w.line.SetWriteDeadline(w.deadline)
}

// run is the goroutine.
func (w *Writer) run() {
	var mine *[]byte
	for {
		w.mu.Lock()
		if mine != nil {
			release(mine)
		}
		mine, w.waiting = w.waiting, nil
		if w.running = mine != nil && w.err == nil; !w.running {
			w.told()
			w.mu.Unlock()
			return
		}
		w.flying = len(*mine)
		w.mu.Unlock()
		w.hand(*mine)
	}
}

// told wakes who waits. With mu.
func (w *Writer) told() {
	if w.stir != nil {
		close(w.stir)
		w.stir = nil
	}
}

// hand writes p, or ends everything.
func (w *Writer) hand(p []byte) {
	for len(p) > 0 {
		w.renew(false)
		n, err := w.to.Write(p[:min(len(p), piece)])
		p = p[n:]
		w.mu.Lock()
		w.moved += int64(n)
		w.flying -= n
		w.told()
		w.mu.Unlock()
		finishing := w.finishing()
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded) && !finishing && n > 0: // slow, but alive
			w.renew(true)
		case errors.Is(err, os.ErrDeadlineExceeded) && !finishing:
			w.failed(err)
			if !w.finishing() { // else the rest may go on; not with TLS, which is broken by now
				w.ends(err)
				return
			}
		default:
			w.ends(err)
			w.failed(err)
			return
		}
	}
}

func (w *Writer) finishing() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.deadline.IsZero()
}

// ends drops everything.
func (w *Writer) ends(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err, w.flying = err, 0
	w.told()
}

// renew gives the network time for the next piece: now and then only, because that is
// not free.
func (w *Writer) renew(now bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := time.Now(); w.deadline.IsZero() && (now || t.Sub(w.renewed) > w.stall/4) {
		w.renewed = t
		w.line.SetWriteDeadline(t.Add(w.stall))
	}
}
