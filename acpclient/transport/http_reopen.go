package transport

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"
)

// runMain keeps the stream of the connection open. When it ends, it is opened again once,
// at once; if that fails or brings nothing, the connection ends (PROTOCOL 5.4, 12).
func (s *stream) runMain() {
	h := s.connection.h
	var busy time.Time // when the server began to say that the stream already has a reader
	tries := 1
	for {
		end := s.round()
		if s.ctx.Err() != nil {
			return
		}
		if end.useful {
			tries, busy = 1, time.Time{}
			s.backoff.reset()
		}
		switch {
		case connectionError(end.err) != nil:
			h.fail(connectionError(end.err))
			return
		case end.status() == http.StatusConflict && (busy.IsZero() || time.Since(busy) < h.timing.refused):
			if busy.IsZero() {
				busy = time.Now()
			}
			if !pause(s.ctx, s.backoff.next(h.timing.maxRefuse), nil) {
				return
			}
		case tries > 0:
			tries--
			s.logEnd(end)
			if !pause(s.ctx, s.backoff.next(h.timing.pause), nil) {
				return
			}
		default:
			cause := h.clean(end.err)
			h.fail(&cleanError{cause.Error(), errors.Join(io.ErrUnexpectedEOF, cause)})
			return
		}
	}
}

var (
	errStreamRefused = errors.New("the server refuses the stream of the session")
	errStreamLost    = errors.New("the stream of the session was lost: the request may have been processed")
)

// runSession keeps the stream of a session open. While the stream is not open, the
// session's requests stay open for a time. If the server refuses the stream, the session's
// requests fail, and the next message of the session tries again (PROTOCOL 5.4, 6, 7 and
// 11).
func (s *stream) runSession() {
	h := s.connection.h
	var down, refused time.Time
	for {
		end := s.round()
		switch {
		case s.ctx.Err() != nil:
			return
		case end.status() == http.StatusUnauthorized, end.status() == http.StatusForbidden:
			h.fail(end.err)
			return
		}
		if end.useful {
			down = time.Time{}
			s.backoff.reset()
		}
		now := time.Now()
		if down.IsZero() {
			down = now
			s.logEnd(end)
		}
		longest := h.timing.maxPause
		if final(end.status()) {
			conflict := end.status() == http.StatusConflict
			if refused.IsZero() || !conflict && refused.Before(s.lastPosted()) {
				refused = now
			}
			if now.Sub(refused) >= h.timing.refused {
				s.giveUp(end.err)
				return
			}
			longest = h.timing.maxRefuse
			if !conflict {
				s.resumePosts() // the waiting POST may be the one that tells the server of the session
			}
		} else {
			refused = time.Time{}
			if now.Sub(down) >= h.timing.grace {
				h.giveUpSession(s.session, now.Add(-h.timing.grace), errStreamLost)
			}
		}
		if !pause(s.ctx, s.backoff.next(longest), s.wake) {
			return
		}
	}
}

// drained waits until nothing arrives on the stream for a moment. It waits briefly for the
// stream to open, and longer while messages arrive.
func (s *stream) drained() {
	t := &s.connection.h.timing
	began, came := time.Now(), s.received.Load()
	for pause(s.ctx, t.lull, nil) {
		now, opened := s.received.Load(), s.opened.Load()
		since := time.Since(began)
		if opened && now == came || !opened && since >= t.opening || since >= t.grace {
			return
		}
		came = now
	}
}

// final reports whether a status is a refusal, rather than a temporary one: 409 means
// another reader, mostly our own that is already gone; 404 that the session is not known
// yet.
func final(status int) bool {
	return status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// giveUp ends the stream of a session that the server refuses.
func (s *stream) giveUp(err error) {
	h := s.connection.h
	s.connection.forget(s)
	h.r.Log("gave up a stream of a session: " + err.Error())
	h.giveUpSession(s.session, time.Now(), fmt.Errorf("%w: %w", errStreamRefused, err))
}

// logEnd logs why a stream is opened again.
func (s *stream) logEnd(end ending) {
	if s.connection.h.leaving.Load() { // the DELETE makes the server end its streams
		return
	}
	if end.err == io.EOF {
		s.connection.h.r.Log(s.String() + " ended: opening it again")
		return
	}
	s.connection.h.r.Log(s.String() + " broke off: opening it again: " + s.connection.h.clean(end.err).Error())
}

// backoff computes growing pauses, randomized so that many clients do not all reconnect at
// once.
type backoff struct {
	least, most time.Duration
	now         time.Duration
}

// maxRetryTime bounds the retry time that a server may ask for.
const maxRetryTime = 30 * time.Second

// setMinimum sets the server's retry time.
func (b *backoff) setMinimum(d time.Duration) {
	b.least = min(max(d, b.least), maxRetryTime)
	b.most = max(b.most, b.least)
}

func (b *backoff) reset() { b.now = 0 }

// next returns the next pause, at most longest unless the server asks for more.
func (b *backoff) next(longest time.Duration) time.Duration {
	b.now = min(max(2*b.now, b.least), max(longest, b.least), b.most)
	return b.now - time.Duration(rand.Int64N(int64(b.now)/4+1))
}
