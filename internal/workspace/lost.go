package workspace

import (
	"errors"
	"time"

	"parley/acpclient/event"
)

// lost plans another attempt to reconnect to a remote agent. It returns false if trying
// again is useless.
func (a *Agent) lost(err error) bool {
	w := a.w
	var lost *event.LostError
	if w.opts.Redial == nil || w.ending || !errors.As(err, &lost) || !lost.Retryable() {
		a.retryAt = time.Time{}
		return false
	}
	first := !a.backoff.Trying()
	wait, longer := a.backoff.Next(w.opts.Now())
	a.retryAt = w.opts.Now().Add(wait)
	at, replaced := a.retryAt, a.replaced
	w.begin(func() Result {
		select {
		case <-time.After(wait):
			return after(func() {
				if at.Equal(a.retryAt) {
					a.Redial()
				}
			})
		case <-replaced:
		case <-w.conns.ctx.Done():
		}
		return nil
	})
	w.tell(ConnectionLost{OfAgent{a}, wait, first, longer})
	return true
}

// Retrying reports whether the connection is lost and an attempt to reconnect is planned
// for at, or is running: then at is zero.
func (a *Agent) Retrying() (at time.Time, retrying bool) {
	return a.retryAt, a.redialing || !a.retryAt.IsZero()
}

// Redial tries to reconnect now. Sessions stay unchanged until the connection is back,
// except that those being opened are given up.
func (a *Agent) Redial() {
	if a.redialing || a.opening || a.Live() || a.w.opts.Redial == nil {
		return
	}
	old, listed, gone := a.conn, a.listed, a.removedSessions
	a.conn = nil
	a.forget()
	a.listed, a.removedSessions, a.redialing = listed, gone, true
	a.w.tell(Redialing{OfAgent{a}})
	for _, s := range a.Sessions() {
		if s.giveUp != nil && s.Lost.State == StateLive { // the response would be stale
			s.abandon()
			s.opened(nil, event.ErrClosed, nil)
		}
	}
	a.dial(a.w.opts.Redial, a.redialed)
	a.w.end(old)
}

// redialed reopens the sessions, or plans another attempt.
func (a *Agent) redialed(conn *Connection, err error) {
	w := a.w
	a.redialing = false
	if err != nil {
		if !a.lost(err) {
			for _, s := range a.Sessions() {
				s.Thread.NotConnected(err)
				s.remarked()
			}
			w.tell(Redialed{OfAgent{a}, err})
		}
		return
	}
	a.conn = conn
	a.backoff.Connected(w.opts.Now())
	w.tell(Redialed{OfAgent{a}, nil})
	a.askAccount()
	for _, s := range a.Sessions() {
		s.reopen()
	}
}
