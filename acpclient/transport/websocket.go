package transport

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// WebSocket is a Conn over a WebSocket (PROTOCOL 5.7): one message or batch to a text message. Besides what Conn
// demands:
//
//   - Recv must be called all the time: pings of the server are answered, and its answers to ours heard, only while
//     it reads. It ends with ErrSilent when the server does not answer.
//   - io.EOF comes as a *CloseError that Is(io.EOF). Other codes are a *CloseError that is not; a connection that
//     broke off is io.ErrUnexpectedEOF, with what happened in its text.
//   - A message of the server over the limit ends the connection, for the rest of it cannot be skipped. One of ours
//     is refused with a *TooLongError before anything is written; only then the connection lives on after Send failed.
//   - Close says goodbye and waits at most a second for the other side to do so too. It must be called, however the
//     connection ended.
type WebSocket struct {
	ws    *websocket.Conn
	line  *wsLine
	times wsTimes
	limit int // longest message in bytes, both ways
	id    string
	log   func(string)

	reading turn // held by Recv inside ws, then by Close
	writing turn // held by Send inside ws, then by Close

	// Of Recv.
	buf        []byte
	rest       []byte // of buf: what has not been handed out
	several    bool   // rest may hold several lines
	waited     bool   // the last one has read
	binaryTold bool

	done  chan struct{} // closed when there is a cause
	mu    sync.Mutex
	cause error // why the connection ended; the first one stays

	closed     atomic.Bool // Close was called: ErrClosed, whatever the cause
	closeEnded chan struct{}
	pulseEnded chan struct{}
}

// wsTimes is how patient a WebSocket is.
type wsTimes struct {
	ping     time.Duration // between two pings of ours
	pong     time.Duration // for a sign of life after one
	stall    time.Duration // for the other side to take something of what we write
	farewell time.Duration // of Close, for the other side's goodbye
}

var usualTimes = wsTimes{ping: 25 * time.Second, pong: 40 * time.Second, stall: time.Minute, farewell: time.Second}

func newWebSocket(ws *websocket.Conn, line *wsLine, r *remote, id string, times wsTimes) *WebSocket {
	w := &WebSocket{
		ws: ws, line: line, times: times, limit: r.MaxMessage, id: id, log: r.Log,
		reading: make(turn, 1), writing: make(turn, 1),
		done: make(chan struct{}), closeEnded: make(chan struct{}), pulseEnded: make(chan struct{}),
	}
	ws.SetReadLimit(int64(r.MaxMessage))
	line.end = func(err error) { w.writeFailed(err) }
	go w.pulse()
	return w
}

// ConnectionID is the Acp-Connection-Id that the server gave with the upgrade, as it came; "" without one. It is for
// display: nothing on a WebSocket needs it (PROTOCOL 5.7).
func (w *WebSocket) ConnectionID() string { return w.id }

// settle ends the connection for that cause; false where it has ended already.
func (w *WebSocket) settle(cause error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cause != nil {
		return false
	}
	w.cause = cause
	close(w.done)
	return true
}

// verdict is the error for a connection that has ended.
func (w *WebSocket) verdict() error {
	if w.closed.Load() {
		return ErrClosed
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cause
}

// turn is a lock that can be waited for beside something else. It has room for one token.
type turn chan struct{}

// take waits for the turn; false if done is closed.
func (t turn) take(done <-chan struct{}) bool {
	if !t.try() {
		select {
		case <-done:
			return false
		case t <- struct{}{}:
		}
	}
	select {
	case <-done:
		t.release()
		return false
	default:
		return true
	}
}

func (t turn) try() bool {
	select {
	case t <- struct{}{}:
		return true
	default:
		return false
	}
}

func (t turn) release()   { <-t }
func (t turn) held() bool { return len(t) > 0 }
