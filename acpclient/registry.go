package acpclient

import (
	"bytes"
	"path/filepath"
	"sync"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// Bounds of a registry.
const (
	maxGone      = 10_000 // updates for others are kept for a while and then dropped, like those of any unknown session
	maxSubagents = 10_000
)

// registry knows the sessions of a connection. Safe for use by several goroutines.
type registry struct {
	mu        sync.Mutex
	open      map[string]*Session
	opening   map[string]bool // ids that are being passed to the services
	early     earlyUpdates
	gone      map[string]bool // closed sessions, whose late updates are dropped
	subagents int             // among the open ones
	ended     error           // why the connection has ended; nothing is opened afterwards
}

func newRegistry() registry {
	return registry{open: map[string]*Session{}, opening: map[string]bool{}, gone: map[string]bool{}}
}

// session returns the session with this id, nil if it is unknown.
func (r *registry) session(id string) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.open[id]
}

// known returns the session with this id, or the work that refuses the request.
func (r *registry) known(id string) (*Session, jsonrpc.Work) {
	if s := r.session(id); s != nil {
		return s, nil
	}
	return nil, refuse(jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Unknown session").WithData(map[string]string{"sessionId": id}))
}

// servedFor returns the id of the session whose directories and rules hold for a request of the agent,
// or the work that refuses it.
func (r *registry) servedFor(id string) (string, jsonrpc.Work) {
	s, no := r.known(id)
	if no != nil {
		return "", no
	}
	return s.root().id, nil
}

// reserve reserves the id of a session that is about to be added; false if it is taken.
func (r *registry) reserve(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[id] != nil || r.opening[id] {
		return false
	}
	r.opening[id] = true
	return true
}

func (r *registry) unreserve(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.opening, id)
}

// add adds a session and calls added, before anybody can find it. It fails if the connection has ended.
func (r *registry) add(s *Session, added func()) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended != nil {
		return r.ended
	}
	delete(r.gone, s.id)
	r.open[s.id] = s
	added()
	return nil
}

// subagent returns the sub-agent that an update of its parent names, with the updates that have waited
// for it if it is new; nil if the id cannot be one.
func (r *registry) subagent(parent *Session, u wire.Subagent) (*Session, []earlyUpdate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[u.ID]; s != nil || r.opening[u.ID] || r.gone[u.ID] {
		if s == nil || s.parent != parent {
			return nil, nil
		}
		return s, nil
	}
	if r.subagents == maxSubagents {
		return nil, nil
	}
	r.subagents++
	s := newSession(parent.client, u.ID)
	s.parent = parent
	if filepath.IsAbs(u.Cwd) {
		s.cwd = u.Cwd
	}
	r.open[u.ID] = s
	return s, r.early.take(u.ID, s.client.clock())
}

// remove drops a session with its sub-agents, unless it was dropped before.
func (r *registry) remove(of *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[of.id] != of {
		return
	}
	for id, s := range r.open {
		if s.root() != of {
			continue
		}
		delete(r.open, id)
		if s != of {
			r.subagents--
		}
		if len(r.gone) < maxGone {
			r.gone[id] = true
		}
	}
}

// disown drops a session whose caller has given up.
func (r *registry) disown(id string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open[id] == nil {
		r.gone[id] = true
		r.early.take(id, now)
	}
}

// keep keeps an update of a session that is not open, unless it was closed.
func (r *registry) keep(id string, n uint64, params []byte, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.gone[id] {
		r.early.add(id, n, params, now)
	}
}

// kept removes and returns the updates that were kept for a session.
func (r *registry) kept(id string, now time.Time) []earlyUpdate {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.early.take(id, now)
}

// end records the end of the connection and returns the sessions that the user has opened.
func (r *registry) end(err error) (all []*Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = err
	for _, s := range r.open {
		if s.parent == nil {
			all = append(all, s)
		}
	}
	return all
}

// Bounds of the updates kept for unknown sessions. Agents send updates before the answer
// that names the session.
const (
	maxEarlyUpdates = 1000
	maxEarlyBytes   = 8 << 20
	earlyFor        = time.Minute
)

// earlyUpdates holds the params of updates by session until the session is adopted, the
// updates are too old, or there are too many.
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
