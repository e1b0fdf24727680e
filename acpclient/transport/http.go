package transport

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Header names and their bounds (PROTOCOL 5.2).
const (
	connectionHeader = "Acp-Connection-Id"
	sessionHeader    = "Acp-Session-Id"
	versionHeader    = "Acp-Protocol-Version"

	maxHeader = 1024 // bytes of an id that servers take
)

// Bounds of memory, in bytes.
const (
	maxPost    = 15 << 20  // servers refuse 16 MiB, so longer messages are not sent
	maxUnsent  = 64 << 20  // for each of the two send queues
	maxUnread  = 768 << 10 // for messages waiting for Recv, besides one longer message; small enough that both buffers are kept (keepBuffer)
	maxExcerpt = 8 << 10   // of the body of a failed response
)

// HTTP is a Conn over Streamable HTTP (PROTOCOL 5): outgoing messages are POSTed, incoming
// ones arrive as server-sent events on one stream for the connection and one for each
// session. It implements Streams and Versioned.
//
// Send returns when the message is queued. Requests and notifications are posted one at a
// time, each after the server accepted the one before. Answers have their own queue, so a
// slow request never delays them. A request that cannot be posted gets a JSON-RPC error
// made here; any other message that cannot be posted ends the connection. Recv returns the
// messages of all streams in the order of their arrival.
//
// If the server has a WebSocket but no HTTP at that path, the HTTP passes everything on to
// the WebSocket.
type HTTP struct {
	r       *remote
	timing  intervals
	largest int // bytes of the longest request sent
	hide    *strings.Replacer

	lines  *netLines
	socket func(ctx context.Context, r *remote) (Conn, error) // dials a WebSocket

	ctx       context.Context // done when the connection ends; its goroutines end later
	stop      context.CancelCauseFunc
	work      sync.WaitGroup // all goroutines; see spawn
	starting  sync.Once
	leaving   atomic.Bool
	closeDone chan struct{} // closed when Close has finished

	inbox   *inbox
	ordered *sendQueue // requests and notifications
	answers *sendQueue
	calls   openCalls
	version atomic.Int64

	mu          sync.Mutex
	closing     bool
	client      *http.Client    // chosen by the first POST that gets an answer
	connection  *httpConnection // nil before initialize
	replacement Conn            // the WebSocket used in place of HTTP, if any
}

// intervals are the timeouts of a connection.
type intervals struct {
	headers   time.Duration // how long a POST waits for the headers of the stream that its answer may arrive on
	post      time.Duration // how long a server may take to send the headers of the response to a POST
	body      time.Duration // how long the rest of an unneeded body is read
	pause     time.Duration // first pause before a stream is opened again
	maxPause  time.Duration // longest such pause
	refused   time.Duration // how long the server may refuse a stream (404, 409)
	maxRefuse time.Duration // longest pause during that time
	grace     time.Duration // how long open requests of a session outlive its stream
	silence   time.Duration // a stream whose keep-alives stop for this long is opened again
	flush     time.Duration // how long Close lets the queues be posted
	farewell  time.Duration // time for the DELETE
	lull      time.Duration // a stream without a message for this long has nothing on the way
	opening   time.Duration // how long to wait for a stream that is not open
	preface   time.Duration // how long a server that speaks HTTP/2 may take to send its preface
}

var defaultIntervals = intervals{
	headers: 2 * time.Second, post: 10 * time.Minute, body: 5 * time.Second,
	pause: 200 * time.Millisecond, maxPause: 5 * time.Second,
	refused: 10 * time.Second, maxRefuse: 2 * time.Second,
	grace: 30 * time.Second, silence: time.Minute,
	flush: 500 * time.Millisecond, farewell: time.Second, preface: 3 * time.Second,
	lull: 50 * time.Millisecond, opening: 300 * time.Millisecond,
}

func newHTTP(r *remote) *HTTP {
	h := &HTTP{
		r: r, lines: newNetLines(), timing: defaultIntervals, largest: min(maxPost, r.MaxMessage), hide: secretsOf(r),
		socket:    func(ctx context.Context, r *remote) (Conn, error) { return dialWebSocket(ctx, r) },
		inbox:     newInbox(maxUnread),
		ordered:   newSendQueue(maxUnsent),
		answers:   newSendQueue(maxUnsent),
		closeDone: make(chan struct{}),
	}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	return h
}

// Recv implements Conn. It never returns io.EOF: HTTP has no orderly end. The final error
// matches *StatusError (with status 401 or 403 if credentials are needed), ErrGone,
// ErrSilent or io.ErrUnexpectedEOF if one of them is the reason.
func (h *HTTP) Recv() ([]byte, error) {
	data, err := h.inbox.take()
	if err == errReplaced {
		return h.replacement.Recv()
	}
	return data, err
}

// Waited reports whether Recv had to wait for the message it returned last, rather than
// finding it already received. Only the goroutine that calls Recv may call it.
func (h *HTTP) Waited() bool {
	if h.inbox.next == 0 { // nothing more arrives from there
		w, ok := h.replacement.(*WebSocket)
		return !ok || w.Waited()
	}
	return h.inbox.next == 1
}

// Send implements Conn. It blocks only while the queue is full.
func (h *HTTP) Send(m Message) error {
	h.starting.Do(func() {
		h.spawn(h.sendOrdered)
		h.spawn(h.sendAnswers)
	})
	queue := h.ordered
	if m.Answer {
		queue = h.answers
	}
	err := queue.put(m)
	if err == errReplaced {
		return h.replacement.Send(m)
	}
	return err
}

// SetVersion sets the protocol version that requests name, once it is negotiated.
func (h *HTTP) SetVersion(version int) { h.version.Store(int64(version)) }

// OpenSession opens the stream of a session, before anything is sent for it. It returns at once.
func (h *HTTP) OpenSession(id string) {
	if l := h.current(); l != nil && headerSafe(id) {
		l.open(id, true)
	}
}

// CloseSession closes it. Open requests of the session still get their answers.
func (h *HTTP) CloseSession(id string) {
	if l := h.current(); l != nil {
		l.release(id)
	}
}

// Close implements Conn. Queued messages are still posted if the server accepts them at
// once; then a DELETE ends the connection. When Close returns, no goroutine is left. It
// takes at most two and a half seconds.
func (h *HTTP) Close() error {
	if h.leaving.CompareAndSwap(false, true) {
		h.end()
		close(h.closeDone)
	}
	<-h.closeDone
	return nil
}

func (h *HTTP) end() {
	h.inbox.close()
	h.ordered.close(ErrClosed)
	h.answers.close(ErrClosed)
	h.mu.Lock()
	h.closing = true
	instead := h.replacement
	h.mu.Unlock()
	deadline := time.Now().Add(h.timing.flush)
	h.ordered.flush(time.Until(deadline))
	h.answers.flush(time.Until(deadline))
	if l := h.current(); l != nil && connectionError(context.Cause(h.ctx)) == nil { // otherwise the server would refuse the DELETE too
		h.sendDelete(l.id)
	}
	h.stop(ErrClosed)
	h.ordered.drop()
	h.answers.drop()
	if instead != nil {
		instead.Close()
	}
	h.work.Wait()
	if client := h.chosen(); client != nil {
		client.CloseIdleConnections()
	}
	h.lines.cut()
}

// fail ends the connection. Messages received before are still returned by Recv; the first
// error is the one that counts.
func (h *HTTP) fail(err error) {
	h.ordered.close(err) // before Recv returns the error
	h.answers.close(err)
	h.inbox.finish(err)
	h.stop(err)
	h.ordered.drop()
	h.answers.drop()
}

// spawn runs f on a goroutine that Close waits for. It reports false if the connection is
// already closing.
func (h *HTTP) spawn(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.work.Go(f)
	return true
}

// current returns the connection that the server knows, nil before initialize.
func (h *HTTP) current() *httpConnection {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.connection
}
