package workspace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Agent is one agent: starting, connected, lost or ended. A workspace can have several,
// each with its own sessions, events and log.
type Agent struct {
	w    *Workspace
	Spec Spec // zero until the user chose one
	Log  *event.Log

	conn     *Connection   // nil while not connected
	number   int           // of conn; see ConnectionNumber
	queue    *event.Queue  // of the current connection
	replaced chan struct{} // closed when another connection replaces the current one
	last     time.Time     // when the last batch of events was received
	cancel   context.CancelFunc

	opening bool // its first session is not open
	dialing bool // the agent is being started, or its first session opened
	since   time.Time
	err     error   // why the first session is not open
	logged  *Logged // the log of the session that could not be opened

	backoff   backoff
	retryAt   time.Time // when the next attempt to reconnect starts; zero: none is planned
	redialing bool      // such an attempt is running

	pending         *Session        // the session whose id is not known yet
	removedSessions map[string]bool // sessions that were removed: their late events are ignored
	listed          []event.StoredSession

	Login    Login
	account  event.AuthStatusChanged // as the agent has reported it last; the zero value if it has not
	accounts int                     // counts its reports
	reported []string                // lines that SayOnce has reported
}

func newAgent(w *Workspace) *Agent {
	a := &Agent{w: w, Log: event.NewLog(), queue: event.NewQueue(), replaced: make(chan struct{}), removedSessions: map[string]bool{}}
	a.Login.a = a
	return a
}

// Name returns the agent's name for display.
func (a *Agent) Name() string { return a.Spec.DisplayName() }

// Connected reports whether the agent was started and not replaced, even if it has just ended; see Live.
func (a *Agent) Connected() bool { return a.conn != nil }

// ConnectionNumber identifies the current connection: each has another number. It is 0 while not connected.
func (a *Agent) ConnectionNumber() int {
	if a.conn == nil {
		return 0
	}
	return a.number
}

// Opening reports whether the first session is not open: the agent is being started,
// requires a login, or did not start.
func (a *Agent) Opening() bool { return a.opening }

// Dialing reports whether the agent is being started, and since when.
func (a *Agent) Dialing() (since time.Time, dialing bool) { return a.since, a.dialing }

// Err returns why the first session is not open, nil while the agent is being started.
func (a *Agent) Err() error { return a.err }

// NoSession reports whether the agent started, but not with the session that the user asked for.
func (a *Agent) NoSession() bool { return errors.Is(a.err, event.ErrNoSession) }

// FallbackLog returns the log of the session that could not be opened, nil without one.
func (a *Agent) FallbackLog() *Logged { return a.logged }

// StoredSessions returns the agent's stored sessions as it listed them last.
func (a *Agent) StoredSessions() []event.StoredSession { return a.listed }

// Live reports whether the agent is connected.
func (a *Agent) Live() bool {
	return a.conn != nil && !slices.ContainsFunc(a.Sessions(), func(s *Session) bool { return s.Thread.State == thread.Ended })
}

// Info returns what the agent reported about itself, nil while not connected.
func (a *Agent) Info() *event.AgentInfo {
	if !a.Live() {
		return nil
	}
	info := a.conn.Client.Agent()
	return &info
}

// Sessions returns the agent's sessions in the workspace.
func (a *Agent) Sessions() []*Session {
	return slices.DeleteFunc(slices.Clone(a.w.sessions), func(s *Session) bool { return s.Agent != a })
}

// Front returns the session that represents the agent: the one in front of the user if
// it is the agent's, else its first one.
func (a *Agent) Front() *Session {
	if a.w.front.Agent == a {
		return a.w.front
	}
	if own := a.Sessions(); len(own) > 0 {
		return own[0]
	}
	return a.w.front
}

// Start starts an agent. It replaces the agent in front if that has ended, else it is
// added.
func (w *Workspace) Start(spec Spec) *Agent {
	a := w.front.Agent
	if a.Live() || w.front.ReadOnly {
		a = newAgent(w)
		a.Spec = spec
		w.add(a)
	}
	a.Spec = spec
	a.Restart()
	return a
}

// Replace starts an agent and ends all others.
func (w *Workspace) Replace(spec Spec) {
	others := w.Agents()
	a := newAgent(w)
	a.Spec = spec
	w.add(a)
	for _, o := range others {
		for _, s := range o.Sessions() {
			w.Remove(s)
		}
	}
	a.Restart()
}

// Restart starts the agent again and ends its current connection.
func (a *Agent) Restart() {
	old := a.conn
	a.conn = nil
	a.connect()
	a.w.end(old)
}

// StartNew starts the agent again, with a new session instead of the one that the user asked for.
// Prompts that were queued for that one wait for the user.
func (a *Agent) StartNew() {
	front := a.Front()
	front.Prompts.Queue.Pause()
	a.Spec.NewSession, a.w.opts.Resume = true, ""
	a.Restart()
}

// connect starts the agent. Its front session stays, with transcript and queue; its
// other sessions end with the old connection.
func (a *Agent) connect() {
	w := a.w
	a.forget()
	a.opening, a.dialing, a.since = true, true, w.opts.Now()
	a.err, a.logged, a.Login.used, a.Login.ran = nil, nil, false, nil
	front := a.Front()
	for _, s := range a.Sessions() {
		if s != front {
			w.Remove(s)
		}
	}
	front.resetConnection()
	a.pending = front
	w.tell(AgentStarting{OfAgent{a}})
	a.dial(w.opts.Connect, a.connected)
}

// dial connects in a task. then gets the outcome, unless the connection has been replaced
// by then.
func (a *Agent) dial(dial dialFunc, then func(*Connection, error)) {
	w, spec, log, queue := a.w, a.Login.Spec(), a.Log, a.queue
	ctx, cancel := context.WithCancel(w.conns.ctx)
	a.cancel = cancel
	a.listen()
	w.begin(func() Result {
		conn, err := w.conns.start(ctx, spec, dial, queue, log)
		return answer{a, queue, func() { a.cancel = nil; then(conn, err) }, func() { w.end(conn) }}
	})
}

// connected handles the outcome of starting the agent.
func (a *Agent) connected(conn *Connection, err error) {
	w := a.w
	a.dialing, a.conn = false, conn
	if err == nil {
		err = conn.Client.Err() // it ended before the task reported
	}
	if conn != nil {
		a.Spec.Reported = cmp.Or(conn.Client.Agent().Label(), a.Spec.Reported)
	}
	if a.err = err; err != nil {
		if conn == nil || !WantsLogin(err) || len(a.Login.Methods()) == 0 {
			w.tell(AgentNotStarted{OfAgent{a}, err})
			a.findLog()
		} else {
			a.Login.want(nil, err)
		}
		return
	}
	w.opts.Resume = ""
	s := a.Front()
	a.pending, a.opening = nil, false
	s.attach(conn.Session)
	w.tell(AgentStarted{OfAgent{a}, s, conn.Note})
	s.Prompts.sendQueued()
	a.askAccount()
}

// forget drops everything in progress for the agent.
func (a *Agent) forget() {
	close(a.replaced)
	a.number++
	old := a.queue
	a.queue, a.replaced = event.NewQueue(), make(chan struct{})
	for _, cancel := range []context.CancelFunc{a.cancel, a.Login.cancel} {
		if cancel != nil {
			cancel()
		}
	}
	a.drop(old.Drain())
	a.cancel, a.retryAt, a.redialing, a.dialing = nil, time.Time{}, false, false
	a.pending, a.listed, a.removedSessions = nil, nil, map[string]bool{}
	a.Login.cancel, a.Login.name, a.Login.offered = nil, "", false
	a.account = event.AuthStatusChanged{}
}

// CancelStart cancels starting the agent. Its session stays, shown as one whose agent has
// ended.
func (a *Agent) CancelStart() {
	a.forget()
	old := a.conn
	a.conn, a.err, a.opening = nil, nil, false
	if s := a.Front(); s.Agent == a && !s.Blank() {
		s.Apply(event.Disconnected{Err: event.ErrClosed})
	}
	a.w.end(old)
}

// Kill ends an agent that does not end its turn. Its sessions stay.
func (a *Agent) Kill() {
	if a.conn != nil {
		client := a.conn.Client
		a.w.begin(func() Result { client.Close(); return nil })
	}
}
