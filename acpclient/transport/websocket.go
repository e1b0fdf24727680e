package transport

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// WebSocket is a Conn over a WebSocket (PROTOCOL 5.7) with one message or batch in each
// text message. In addition to Conn:
//
//   - Recv must be called all the time: only while it reads are the server's pings answered and its pongs noticed.
//     It returns ErrSilent if the server does not respond.
//   - An orderly end is a *CloseError that Is(io.EOF); other close codes are a *CloseError that is not. A broken
//     connection is io.ErrUnexpectedEOF with the details in its text.
//   - A message from the server over the limit ends the connection, because the rest of it cannot be skipped. An
//     outgoing one is refused with a *TooLongError before anything is written; this is the only error of Send after
//     which the connection can still be used.
//   - Close sends a close frame and waits at most a second for the server's. It must be called however the
//     connection ended.
type WebSocket struct {
	ws    *websocket.Conn
	line  *wsLine
	times wsTimeouts
	limit int // longest message in bytes, in both directions
	id    string
	log   func(string)

	reading chanMutex // held by Recv while it uses ws, then by Close
	writing chanMutex // held by Send while it uses ws, then by Close

	// Used by Recv.
	buf          []byte
	rest         []byte // the part of buf not yet returned
	several      bool   // rest may hold several lines
	waited       bool   // the last Recv had to read
	binaryLogged bool

	done  chan struct{} // closed when cause is set
	mu    sync.Mutex
	cause error // why the connection ended; only the first is kept

	closed     atomic.Bool // Close was called: return ErrClosed, whatever the cause
	closeEnded chan struct{}
	pingsEnded chan struct{}
}

// wsTimeouts are the timeouts of a WebSocket.
type wsTimeouts struct {
	ping     time.Duration // between two pings
	pong     time.Duration // after a ping, for any byte from the server
	stall    time.Duration // for the server to read some of what is written
	farewell time.Duration // in Close, for the server's close frame
}

var defaultWSTimeouts = wsTimeouts{ping: 25 * time.Second, pong: 40 * time.Second, stall: time.Minute, farewell: time.Second}

func newWebSocket(ws *websocket.Conn, line *wsLine, r *remote, id string, times wsTimeouts) *WebSocket {
	w := &WebSocket{
		ws: ws, line: line, times: times, limit: r.MaxMessage, id: id, log: r.Log,
		reading: make(chanMutex, 1), writing: make(chanMutex, 1),
		done: make(chan struct{}), closeEnded: make(chan struct{}), pingsEnded: make(chan struct{}),
	}
	ws.SetReadLimit(int64(r.MaxMessage))
	line.end = func(err error) { w.writeFailed(err) }
	go w.sendPings()
	return w
}

// ConnectionID returns the Acp-Connection-Id of the server's response to the upgrade,
// unchanged; "" if it had none. It is for display: a WebSocket does not need it (PROTOCOL
// 5.7).
func (w *WebSocket) ConnectionID() string { return w.id }

// setCause records why the connection ended and closes done. It reports false if the
// connection had already ended.
func (w *WebSocket) setCause(cause error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause != nil {
		return false
	}
	w.cause = cause
	close(w.done)
	return true
}

// finalError returns the error of a connection that has ended.
func (w *WebSocket) finalError() error {
	if w.closed.Load() {
		return ErrClosed
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

// chanMutex is a lock that can be used in a select. It has room for one token.
type chanMutex chan struct{}

// lock waits for the lock; it reports false if done is closed.
func (t chanMutex) lock(done <-chan struct{}) bool {
	if !t.tryLock() {
		select {
		case <-done:
			return false
		case t <- struct{}{}:
		}
	}
	select {
	case <-done:
		t.unlock()
		return false
	default:
		return true
	}
}

func (t chanMutex) tryLock() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t chanMutex) unlock()    { <-t }
func (t chanMutex) held() bool { return len(t) > 0 }
