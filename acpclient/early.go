package acpclient

import (
	"bytes"
	"time"
)

// Bounds of what is kept for sessions that are not known yet. Agents send
// updates before the answer that names the session.
const (
	maxEarlyUpdates = 1000
	maxEarlyBytes   = 8 << 20
	earlyFor        = time.Minute
)

// earlyUpdates holds the params of updates by session until the session is adopted, they
// grow too old, or there are too many. Guarded by Client.mu.
type earlyUpdates struct {
	waiting []earlyUpdate
	bytes   int
}

type earlyUpdate struct {
	session string
	n       uint64 // the ordinal of its message
	params  []byte
	at      time.Time
}

func newEarlyUpdates() *earlyUpdates { return &earlyUpdates{} }

// add copies one update; the oldest go when it gets too much.
func (e *earlyUpdates) add(session string, n uint64, params []byte, now time.Time) {
	if len(params) > maxEarlyBytes {
		return
	}
	e.waiting = append(e.waiting, earlyUpdate{session, n, bytes.Clone(params), now})
	e.bytes += len(params)
	for len(e.waiting) > maxEarlyUpdates || e.bytes > maxEarlyBytes || now.Sub(e.waiting[0].at) > earlyFor {
		e.bytes -= len(e.waiting[0].params)
		e.waiting[0].params = nil
		e.waiting = e.waiting[1:]
	}
}

// take removes and returns what came for one session, in order.
func (e *earlyUpdates) take(session string, now time.Time) (out []earlyUpdate) {
	rest := e.waiting[:0:0]
	for _, u := range e.waiting {
		switch {
		case now.Sub(u.at) > earlyFor:
			e.bytes -= len(u.params)
		case u.session == session:
			e.bytes -= len(u.params)
			out = append(out, u)
		default:
			rest = append(rest, u)
		}
	}
	e.waiting = rest
	return out
}
