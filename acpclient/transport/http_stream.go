package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// stream is one stream of server-sent events, of the connection or of a session, that is
// opened again whenever it ends. One goroutine runs it.
type stream struct {
	connection *httpConnection
	session    string // "" for the stream of the connection
	ctx        context.Context
	stop       context.CancelFunc
	keep       bool          // open even without open requests; guarded by httpConnection.mu
	wake       chan struct{} // holds a token after a POST for the session was accepted
	opened     atomic.Bool   // the headers have arrived and the stream has not ended
	received   atomic.Uint64 // number of messages so far

	mu        sync.Mutex
	ready     chan struct{} // closed when POSTs need not wait (any longer): headers or a refusal have arrived
	waitUntil time.Time     // POSTs do not wait longer than this
	accepted  time.Time     // time of the last accepted POST

	// Used only by the goroutine of the stream.
	lastID     string
	requested  bool // the stream was requested before
	gotMessage bool // a message arrived, with or without an event id
	alive      bool // keep-alives have arrived
	backoff    backoff
}

func newStream(l *httpConnection, session string) *stream {
	s := &stream{connection: l, session: session, wake: make(chan struct{}, 1), backoff: backoff{least: l.h.timing.pause, most: l.h.timing.maxPause}}
	s.ctx, s.stop = context.WithCancel(l.ctx)
	s.holdPosts()
	return s
}

// holdPosts makes POSTs wait a limited time for the headers of the stream.
func (s *stream) holdPosts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = make(chan struct{})
	s.waitUntil = time.Now().Add(s.connection.h.timing.headers)
}

// resumePosts lets the waiting POSTs continue.
func (s *stream) resumePosts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

// waitForHeaders waits until a POST may be sent whose answer arrives on this stream. Some servers
// send no headers before the first event, so it waits briefly and only once.
func (s *stream) waitForHeaders() {
	s.mu.Lock()
	ready, left := s.ready, time.Until(s.waitUntil)
	s.mu.Unlock()
	select {
	case <-ready:
	default:
		pause(s.ctx, left, ready)
	}
}

// posted records that a POST of the session was accepted: the server may know the session
// now.
func (s *stream) posted() {
	s.mu.Lock()
	s.accepted = time.Now()
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *stream) lastPosted() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.accepted
}

// String names the stream in errors and in the log.
func (s *stream) String() string {
	if s.session == "" {
		return "the stream of the connection"
	}
	return "the stream of a session"
}

// ending is how one request of a stream ended.
type ending struct {
	err    error // never nil; io.EOF if the server ended the stream
	opened bool
	useful bool // it brought a message, or stayed open for a while
}

// status returns the status of the response to the GET, 0 if it was a stream.
func (e ending) status() int {
	var status *StatusError
	if errors.As(e.err, &status) {
		return status.Status
	}
	return 0
}

// noEvent tells a server that numbers its events that none has arrived although the stream
// was open before, so that it repeats them. Other servers ignore it.
const noEvent = "0"

// round opens the stream once and reads it to its end.
func (s *stream) round() ending {
	h := s.connection.h
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	var on atomic.Pointer[netLine] // the connection, which may also carry other streams and POSTs
	busy := func() bool {
		l := on.Load()
		return l != nil && l.busy(h.timing.silence/2)
	}
	watch := newWatchdog(h.timing.silence, func() bool { return s.alive }, busy, func() { cancel(ErrSilent) })
	defer watch.rest()
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { on.Store(carrying(got.Conn)) }})
	req := h.request(traced, http.MethodGet, nil, s.connection.id, s.session)
	switch {
	case s.lastID != "" && headerSafe(s.lastID):
		req.Header.Set("Last-Event-ID", s.lastID)
	case s.lastID == "" && s.requested && !s.gotMessage:
		req.Header.Set("Last-Event-ID", noEvent)
	}
	s.requested = true
	watch.watch()
	resp, err := h.do(h.chosen(), req)
	watch.rest()
	if err != nil {
		return ending{err: fmt.Errorf("open %v: %w", s, err)}
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return ending{err: h.refused("open "+s.String(), resp)}
	}
	if kind := mediaType(resp.Header); kind != "text/event-stream" {
		return ending{err: fmt.Errorf("open %v: the server sent %.60q instead of an event stream", s, kind)}
	}
	s.opened.Store(true)
	defer s.opened.Store(false)
	s.resumePosts()
	began := time.Now()
	events := newEventReader(watch, h.r.MaxMessage)
	watch.src, watch.armed = resp.Body, func() bool {
		s.alive = s.alive || events.idle
		return s.alive
	}
	messages := 0
	err = h.readStream(events, s, func() { messages++; s.gotMessage = true })
	if s.lastID = cmp.Or(string(events.lastID), s.lastID); events.retry > 0 {
		s.backoff.setMinimum(events.retry)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	s.holdPosts()
	return ending{err, true, messages > 0 || time.Since(began) >= h.timing.maxPause}
}

// readStream passes the messages of a stream to Recv until the stream ends, and returns
// why. It calls onEvent for each event. s is nil for a stream that answers a POST.
func (h *HTTP) readStream(events *eventReader, s *stream, onEvent func()) error {
	noisy := false
	for {
		e, err := events.next()
		if err != nil {
			if long := new(TooLongError); !errors.As(err, &long) {
				return err
			}
			if !h.inbox.push(nil, err) {
				return ErrClosed
			}
			continue
		}
		if !plausible(e.data) {
			if e.typed {
				events.idle = true // an event type of the server's own, not a message
			} else if !noisy {
				noisy = true
				text := h.hide.Replace(string(e.data[:min(len(e.data), maxExcerpt)]))
				h.r.Log(fmt.Sprintf("skipped an event that is not JSON: %+.60q", text))
			}
			continue
		}
		onEvent()
		ok := h.receive(oneLine(e.data), s)
		if s != nil {
			s.received.Add(1)
		}
		if !ok {
			return ErrClosed
		}
	}
}

// watchdog calls onSilence if a read takes too long while armed reports true and the connection
// is not busy with other streams.
type watchdog struct {
	src       io.Reader
	silence   time.Duration
	armed     func() bool // called before each read
	busy      func() bool
	onSilence func()

	mu       sync.Mutex
	timer    *time.Timer
	watching bool
}

func newWatchdog(silence time.Duration, armed, busy func() bool, onSilence func()) *watchdog {
	w := &watchdog{silence: silence, armed: armed, busy: busy, onSilence: onSilence}
	w.timer = time.AfterFunc(time.Hour, w.expire)
	w.timer.Stop()
	return w
}

func (w *watchdog) watch() {
	if w.armed() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watching = true
		w.timer.Reset(w.silence)
	}
}

// expire runs when the timer expires.
func (w *watchdog) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case !w.watching:
	case w.busy():
		w.timer.Reset(w.silence)
	default:
		w.onSilence()
	}
}

func (w *watchdog) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watching = false
	w.timer.Stop()
}

func (w *watchdog) Read(p []byte) (int, error) {
	w.watch()
	n, err := w.src.Read(p)
	w.rest()
	return n, err
}
