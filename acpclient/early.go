package acpclient

import (
	"bytes"
	"time"
)

// Bounds of the updates kept for unknown sessions. Agents send updates before the answer
// that names the session.
const (
	maxEarlyUpdates = 1000
	maxEarlyBytes   = 8 << 20
	earlyFor        = time.Minute
)

// earlyUpdates holds the params of updates by session until the session is adopted, the
// updates are too old, or there are too many. Guarded by Client.mu.
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

// add copies one update. If there are too many, the oldest are dropped.
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

// take removes and returns the updates of one session, in order.
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
