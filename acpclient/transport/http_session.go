package transport

import (
	"context"
	"sync"
	"time"
)

// httpConnection is a connection that the server knows, from the answer to initialize to the DELETE.
type httpConnection struct {
	h    *HTTP
	id   string // chosen by the server, opaque
	ctx  context.Context
	stop context.CancelFunc
	main *stream // for messages without a session

	mu       sync.Mutex
	sessions map[string]*stream
}

// connect makes the connection current. start opens its stream after the answer to
// initialize was passed to Recv: an error of the stream must not come before it.
func (h *HTTP) connect(id string) *httpConnection {
	l := &httpConnection{h: h, id: id, sessions: map[string]*stream{}}
	l.ctx, l.stop = context.WithCancel(h.ctx)
	l.main = newStream(l, "")
	h.mu.Lock()
	h.connection = l
	h.mu.Unlock()
	return l
}

func (l *httpConnection) start() {
	if !l.h.spawn(l.main.runMain) {
		l.stop()
	}
}

// dropConnection drops the current connection, if any, and sends its DELETE.
func (h *HTTP) dropConnection() {
	h.mu.Lock()
	l := h.connection
	h.connection = nil
	h.mu.Unlock()
	if l != nil {
		l.stop()
		h.sendDelete(l.id)
	}
}

// open returns the stream of a session and opens it if necessary. With keep it stays open
// until release, otherwise only while a request of the session is open.
func (l *httpConnection) open(session string, keep bool) *stream {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[session]
	if s == nil {
		s = newStream(l, session)
		l.sessions[session] = s
		if !l.h.spawn(s.runSession) {
			s.stop()
		}
	}
	s.keep = s.keep || keep
	return s
}

// release closes the stream of a session once none of its requests is open.
func (l *httpConnection) release(session string) {
	l.mu.Lock()
	if s := l.sessions[session]; s != nil {
		s.keep = false
	}
	l.mu.Unlock()
	l.closeUnneeded(session)
}

// closeUnneeded closes the stream of a session that is no longer needed.
func (l *httpConnection) closeUnneeded(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[session]; s != nil && !s.keep && !l.h.calls.has(session) {
		s.stop()
		delete(l.sessions, session)
	}
}

// forget removes a stream that was given up; the next message of its session opens a new
// one.
func (l *httpConnection) forget(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.stop()
	if l.sessions[s.session] == s {
		delete(l.sessions, s.session)
	}
}

// pause waits for d, or less if wake gets a token. It reports false if the connection has
// ended.
func (l *httpConnection) pause(d time.Duration, wake <-chan struct{}) bool {
	return pause(l.ctx, d, wake)
}

func pause(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
	case <-wake:
	}
	return true
}
