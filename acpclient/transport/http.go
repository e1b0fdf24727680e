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
	maxPost    = 15 << 20  // servers refuse 16 MiB; what is longer is not even tried
	maxUnsent  = 64 << 20  // of each of the two queues that wait to be posted
	maxUnread  = 768 << 10 // of what waits for Recv, beside one longer message: so that its two buffers are kept (keepBuffer)
	maxExcerpt = 8 << 10   // of the body of a failed answer
)

// HTTP is a Conn over Streamable HTTP (PROTOCOL 5): what is sent travels in POSTs, what is received in server-sent
// events, on one stream for the connection and one for each session. It implements Streams and Versioned.
//
// Send returns when the message is queued. Requests and notifications are posted one after another, each when the one
// before was accepted; answers have a queue of their own, so that nothing that is held up holds them up. A request
// that could not be posted is answered with a JSON-RPC error made here; other messages of which that is true end the
// connection. Recv hands out what comes on any stream, in the order in which it came.
//
// Where the server has no HTTP at that place but a WebSocket, all of it is handed on to that.
type HTTP struct {
	r       *remote
	timing  intervals
	largest int // bytes of the longest request that is tried
	hide    *strings.Replacer

	lines  *netLines
	socket func(ctx context.Context, r *remote) (Conn, error) // dials a WebSocket

	ctx      context.Context // ends with the connection, before its goroutines do
	stop     context.CancelCauseFunc
	work     sync.WaitGroup // of every goroutine; see spawn
	starting sync.Once
	leaving  atomic.Bool
	gone     chan struct{} // closed when Close is through

	in      *inbox
	ordered *sendQueue // requests and notifications
	answers *sendQueue
	calls   openCalls
	version atomic.Int64

	mu      sync.Mutex
	closing bool
	client  *http.Client // chosen by the first POST that was answered
	link    *link        // nil before initialize
	instead Conn         // the WebSocket that took over
}

// intervals are the times that a connection keeps to.
type intervals struct {
	headers   time.Duration // a POST waits this long for the headers of the stream that its answer may come on
	post      time.Duration // a server may hold back the headers of the answer to a POST for so long
	body      time.Duration // and the rest of an answer that nobody needs
	pause     time.Duration // before a stream is opened again: at first
	maxPause  time.Duration // and at most
	refused   time.Duration // the server may refuse a stream for so long (404, 409)
	maxRefuse time.Duration // longest pause meanwhile
	grace     time.Duration // open requests of a session outlive its stream by this
	silence   time.Duration // a stream on which keep-alives came and then nothing is opened again
	lastWords time.Duration // Close lets what is queued be posted
	farewell  time.Duration // the DELETE may take
	lull      time.Duration // a stream on which nothing comes for so long has nothing to say for the moment
	opening   time.Duration // one that is not open is waited for
	preface   time.Duration // a server that speaks HTTP/2 says so at once
}

var defaultIntervals = intervals{
	headers: 2 * time.Second, post: 10 * time.Minute, body: 5 * time.Second,
	pause: 200 * time.Millisecond, maxPause: 5 * time.Second,
	refused: 10 * time.Second, maxRefuse: 2 * time.Second,
	grace: 30 * time.Second, silence: time.Minute,
	lastWords: 500 * time.Millisecond, farewell: 2 * time.Second, preface: 3 * time.Second,
	lull: 50 * time.Millisecond, opening: 300 * time.Millisecond,
}

func newHTTP(r *remote) *HTTP {
	h := &HTTP{
		r: r, lines: newNetLines(), timing: defaultIntervals, largest: min(maxPost, r.MaxMessage), hide: secretsOf(r),
		socket:  func(ctx context.Context, r *remote) (Conn, error) { return dialWebSocket(ctx, r) },
		in:      newInbox(maxUnread),
		ordered: newSendQueue(maxUnsent),
		answers: newSendQueue(maxUnsent),
		gone:    make(chan struct{}),
	}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	return h
}

// Recv implements Conn. It never returns io.EOF: HTTP has no orderly end. Final errors match *StatusError (with the
// status 401 or 403 where credentials are wanted), ErrGone, ErrSilent or io.ErrUnexpectedEOF where one of them is the
// reason.
func (h *HTTP) Recv() ([]byte, error) {
	data, err := h.in.take()
	if err == errInstead {
		return h.instead.Recv()
	}
	return data, err
}

// Waited tells whether the message that Recv has returned last had to be waited for, or came with the one before. For
// the goroutine that calls Recv.
func (h *HTTP) Waited() bool {
	if h.in.next == 0 { // nothing comes from there any more
		w, ok := h.instead.(*WebSocket)
		return !ok || w.Waited()
	}
	return h.in.next == 1
}

// Send implements Conn. It blocks only while too much waits to be posted.
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
	if err == errInstead {
		return h.instead.Send(m)
	}
	return err
}

// SetVersion implements Versioned.
func (h *HTTP) SetVersion(version int) {
	h.version.Store(int64(version))
	if v, ok := h.taken().(Versioned); ok {
		v.SetVersion(version)
	}
}

// OpenSession implements Streams: the stream of the session is opened at once.
func (h *HTTP) OpenSession(id string) {
	if s, ok := h.taken().(Streams); ok {
		s.OpenSession(id)
	}
	if l := h.current(); l != nil && headerSafe(id) {
		l.open(id, true)
	}
}

// CloseSession implements Streams. Requests of the session that are open still get their answers.
func (h *HTTP) CloseSession(id string) {
	if s, ok := h.taken().(Streams); ok {
		s.CloseSession(id)
	}
	if l := h.current(); l != nil {
		l.release(id)
	}
}

// Close implements Conn. What is queued is still posted if the server takes it at once; then it is told with DELETE.
// When Close returns no goroutine is left. It takes two and a half seconds at most.
func (h *HTTP) Close() error {
	if h.leaving.CompareAndSwap(false, true) {
		h.end()
		close(h.gone)
	}
	<-h.gone
	return nil
}

func (h *HTTP) end() {
	h.in.close()
	h.ordered.close(ErrClosed)
	h.answers.close(ErrClosed)
	h.mu.Lock()
	h.closing = true
	instead := h.instead
	h.mu.Unlock()
	deadline := time.Now().Add(h.timing.lastWords)
	h.ordered.flush(time.Until(deadline))
	h.answers.flush(time.Until(deadline))
	if l := h.current(); l != nil && deadly(context.Cause(h.ctx)) == nil { // else it would be refused as well
		h.dismiss(l.id)
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

// fail ends the connection for good. What has come before is still received; the first reason counts.
func (h *HTTP) fail(err error) {
	h.ordered.close(err) // before anybody can know
	h.answers.close(err)
	h.in.finish(err)
	h.stop(err)
	h.ordered.drop()
	h.answers.drop()
}

// spawn runs f on a goroutine that Close waits for; false when it is too late for that.
func (h *HTTP) spawn(f func()) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return false
	}
	h.work.Go(f)
	return true
}

// current is the connection that the server knows; nil before initialize.
func (h *HTTP) current() *link {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.link
}

// taken is the WebSocket that took over, nil without one.
func (h *HTTP) taken() Conn {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.instead
}
