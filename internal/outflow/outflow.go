// Package outflow writes to a network connection without blocking its callers: Write copies
// and returns at once, and one goroutine, which runs only while data waits, writes to the
// network. So short and urgent messages, such as the answer to a ping, never time out in
// their own program, and a connection is given up if it does not move for a time, not if it
// is slow. Callers bound the waiting data by calling WaitForRoom first.
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
	// systemRoom bounds the send buffer of a connection, in bytes. Data that stays there
	// for longer than the stall time looks like silence.
	systemRoom = 256 << 10
)

// Bound limits the system's send buffer to what a slow connection sends in a moment. It
// accepts TLS connections and ignores other kinds.
func Bound(conn net.Conn) {
	if inner, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = inner.NetConn()
	}
	if tcp, ok := conn.(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(systemRoom)
	}
}

// Line sets the deadlines of a connection: it is the connection itself, or its lowest
// layer.
type Line interface{ SetWriteDeadline(time.Time) error }

// Writer writes to one connection. Its methods may be called from any goroutine.
type Writer struct {
	to     io.Writer
	line   Line
	stall  time.Duration
	failed func(error)

	mu       sync.Mutex
	waiting  *[]byte // not yet passed to the goroutine; nil: nothing
	inFlight int     // bytes passed to the goroutine and not yet to the network
	running  bool
	err      error
	progress chan struct{} // closed when something has moved or failed; nil while nobody waits
	deadline time.Time     // set by Finish, for everything still to be written
	renewed  time.Time     // when the deadline of the line was set
}

// New returns a Writer. If the network accepts no byte for the stall time, it fails with
// os.ErrDeadlineExceeded. It calls failed with errors on its own goroutine; if failed calls
// Finish because of a stall, writing continues for that time.
func New(to io.Writer, line Line, stall time.Duration, failed func(error)) *Writer {
	return &Writer{to: to, line: line, stall: stall, failed: failed}
}

// buffers are the buffers of busy Writers.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, piece+piece/4); return &b }}

func release(b *[]byte) {
	if cap(*b) <= 4*piece {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// Write copies p. It returns the error of an earlier write.
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

// Pending returns the number of waiting bytes.
func (w *Writer) Pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pending()
}

func (w *Writer) pending() int {
	n := w.inFlight
	if w.waiting != nil {
		n += len(*w.waiting)
	}
	return n
}

// WaitForRoom waits until at most most bytes wait. It returns the error of writing.
func (w *Writer) WaitForRoom(most int) error {
	for {
		w.mu.Lock()
		if w.err != nil || w.pending() <= most {
			defer w.mu.Unlock()
			return w.err
		}
		if w.progress == nil {
			w.progress = make(chan struct{})
		}
		progress := w.progress
		w.mu.Unlock()
		<-progress
	}
}

// Confirm reports that the peer has confirmed reading, although the network may accept
// nothing for now, because devices on the way buffer in lumps. It restarts the deadline.
func (w *Writer) Confirm() { w.renew(false) }

// Finish bounds the time for everything still to be written.
func (w *Writer) Finish(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = time.Now().Add(d)
	w.line.SetWriteDeadline(w.deadline)
}

// run writes while data waits.
func (w *Writer) run() {
	var mine *[]byte
	for {
		w.mu.Lock()
		if mine != nil {
			release(mine)
		}
		mine, w.waiting = w.waiting, nil
		if w.running = mine != nil && w.err == nil; !w.running {
			w.wake()
			w.mu.Unlock()
			return
		}
		w.inFlight = len(*mine)
		w.mu.Unlock()
		w.writeAll(*mine)
	}
}

// wake wakes waiting callers. w.mu is held.
func (w *Writer) wake() {
	if w.progress != nil {
		close(w.progress)
		w.progress = nil
	}
}

// writeAll writes p, or fails.
func (w *Writer) writeAll(p []byte) {
	for len(p) > 0 {
		w.renew(false)
		n, err := w.to.Write(p[:min(len(p), piece)])
		p = p[n:]
		w.mu.Lock()
		w.inFlight -= n
		w.wake()
		w.mu.Unlock()
		finishing := w.finishing()
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded) && !finishing && n > 0: // slow, but alive
			w.renew(true)
		case errors.Is(err, os.ErrDeadlineExceeded) && !finishing:
			w.failed(err)
			if !w.finishing() { // otherwise the rest may be written, except on TLS, which is broken by now
				w.fail(err)
				return
			}
		default:
			w.fail(err)
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

// fail drops all data.
func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err, w.inFlight = err, 0
	w.wake()
}

// renew restarts the deadline for the next piece, but only now and then, because that is
// not free.
func (w *Writer) renew(now bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := time.Now(); w.deadline.IsZero() && (now || t.Sub(w.renewed) > w.stall/4) {
		w.renewed = t
		w.line.SetWriteDeadline(t.Add(w.stall))
	}
}
