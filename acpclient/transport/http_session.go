package transport

import (
	"context"
	"sync"
	"time"
)

// link is a connection that the server knows, from the answer to initialize to the DELETE.
type link struct {
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
func (h *HTTP) connect(id string) *link {
	l := &link{h: h, id: id, sessions: map[string]*stream{}}
	l.ctx, l.stop = context.WithCancel(h.ctx)
	l.main = newStream(l, "")
	h.mu.Lock()
	h.link = l
	h.mu.Unlock()
	return l
}

func (l *link) start() {
	if !l.h.spawn(l.main.runMain) {
		l.stop()
	}
}

// leave drops the current connection, if any, and sends its DELETE.
func (h *HTTP) leave() {
	h.mu.Lock()
	l := h.link
	h.link = nil
	h.mu.Unlock()
	if l != nil {
		l.stop()
		h.dismiss(l.id)
	}
}

// open returns the stream of a session and opens it if necessary. With keep it stays open
// until release, otherwise only while a request of the session is open.
func (l *link) open(session string, keep bool) *stream {
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
	s.kept = s.kept || keep
	return s
}

// release closes the stream of a session once none of its requests is open.
func (l *link) release(session string) {
	l.mu.Lock()
	if s := l.sessions[session]; s != nil {
		s.kept = false
	}
	l.mu.Unlock()
	l.settle(session)
}

// settle closes the stream of a session that is no longer needed.
func (l *link) settle(session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[session]; s != nil && !s.kept && !l.h.calls.has(session) {
		s.stop()
		delete(l.sessions, session)
	}
}

// forget removes a stream that was given up; the next message of its session opens a new
// one.
func (l *link) forget(s *stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.stop()
	if l.sessions[s.session] == s {
		delete(l.sessions, s.session)
	}
}

// pause waits for d, or less if wake gets a token. It reports false if the connection has
// ended.
func (l *link) pause(d time.Duration, wake <-chan struct{}) bool { return pause(l.ctx, d, wake) }

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
