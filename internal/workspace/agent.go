package workspace

import (
	"cmp"
	"context"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
)

// Agent is one agent: its connection, or the attempt at one, or what is left of it.
// Several live side by side, each with sessions, events and a log of its own.
type Agent struct {
	w    *Workspace
	Spec Spec // zero before one was chosen
	Log  *event.Log

	conn     *Connection   // nil while there is none
	queue    *event.Queue  // of the connection of the moment
	replaced chan struct{} // closed when another connection takes its place
	last     time.Time     // when the last batch of events was taken
	cancel   context.CancelFunc

	opening bool // its first session is not open yet
	dialing bool // a start, or the first session's opening, is under way
	since   time.Time
	err     error   // why the first session is not open
	logged  *Logged // the log of the session that could not be opened

	backoff   backoff
	retryAt   time.Time // when the next try for a connection comes; zero: none does
	redialing bool      // one is under way
	lostErr   error     // how the last one ended

	pending *Session        // the one whose id is not known yet
	gone    map[string]bool // sessions that were removed: their late events are ignored
	listed  []event.Listed

	login login
	said  []string // lines that are said once
}

func newAgent(w *Workspace) *Agent {
	return &Agent{w: w, Log: event.NewLog(), queue: event.NewQueue(), replaced: make(chan struct{}), gone: map[string]bool{}}
}

// Name is what the agent is called.
func (a *Agent) Name() string { return a.Spec.Called() }

// Conn is its connection; nil while there is none.
func (a *Agent) Conn() *Connection { return a.conn }

// Opening tells whether its first session is not open yet: it is being started, wants
// a login, or did not start.
func (a *Agent) Opening() bool { return a.opening }

// Dialing tells whether it is being started now, and since when.
func (a *Agent) Dialing() (since time.Time, dialing bool) { return a.since, a.dialing }

// Err is why its first session is not open; nil while it is being started.
func (a *Agent) Err() error { return a.err }

// FallbackLog is the log of the session that could not be opened; nil: there is none.
func (a *Agent) FallbackLog() *Logged { return a.logged }

// Listed are the sessions that the agent keeps, as it listed them last.
func (a *Agent) Listed() []event.Listed { return a.listed }

// Live tells whether the agent is connected.
func (a *Agent) Live() bool {
	return a.conn != nil && !slices.ContainsFunc(a.Sessions(), func(s *Session) bool { return s.Thread.State == thread.Ended })
}

// Info is what the agent says of itself; nil while it is not connected.
func (a *Agent) Info() *event.AgentInfo {
	if !a.Live() {
		return nil
	}
	info := a.conn.Client.Agent()
	return &info
}

// Sessions are its open ones.
func (a *Agent) Sessions() []*Session {
	return slices.DeleteFunc(slices.Clone(a.w.sessions), func(s *Session) bool { return s.Agent != a })
}

// Front is the session that speaks for the agent: the one that the user is at, if it
// is the agent's.
func (a *Agent) Front() *Session {
	if a.w.front.Agent == a {
		return a.w.front
	}
	if own := a.Sessions(); len(own) > 0 {
		return own[0]
	}
	return a.w.front
}

// Start starts an agent: in the place of the one in front, where that is gone, or
// beside it.
func (w *Workspace) Start(spec Spec) *Agent {
	a := w.front.Agent
	if a.Live() || w.front.ReadOnly {
		a = newAgent(w)
		w.add(a)
	}
	a.Spec = spec
	a.Restart()
	return a
}

// Replace starts an agent in the place of all others, which end.
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

// Restart starts the agent again, and ends the one before.
func (a *Agent) Restart() {
	old := a.conn
	a.conn = nil
	a.connect()
	a.w.end(old)
}

// connect starts the agent. Of its sessions the one in front stays, with transcript
// and queue; the others are gone with the connection before.
func (a *Agent) connect() {
	w := a.w
	a.forget()
	a.opening, a.dialing, a.since = true, true, w.opts.Now()
	a.err, a.logged, a.login.used = nil, nil, false
	front := a.Front()
	for _, s := range a.Sessions() {
		if s != front {
			w.Remove(s)
		}
	}
	front.fresh()
	a.pending = front
	w.tell(Starting{a})
	a.dial(w.opts.Connect, a.connected)
}

// dial connects; then takes the outcome, unless another connection has taken the place
// of this one meanwhile.
func (a *Agent) dial(dial dialFunc, then func(*Connection, error)) {
	w, spec, log, queue := a.w, a.Equipped(), a.Log, a.queue
	ctx, cancel := context.WithCancel(w.conns.ctx)
	a.cancel = cancel
	a.listen()
	w.begin(func() Result {
		conn, err := w.conns.start(ctx, spec, dial, queue, log)
		return answer{a, queue, func() { a.cancel = nil; then(conn, err) }, func() { w.end(conn) }}
	})
}

// connected takes the started agent, or why there is none.
func (a *Agent) connected(conn *Connection, err error) {
	w := a.w
	a.dialing, a.conn = false, conn
	if err == nil {
		err = conn.Client.Err() // it ended before this was known
	}
	if conn != nil && a.Spec.Custom {
		if info := conn.Client.Agent(); info.Name+info.Title != "" {
			a.Spec.Title = cmp.Or(info.Title, info.Name)
		}
	}
	if a.err = err; err != nil {
		if conn == nil || !WantsLogin(err) {
			w.tell(NotStarted{a, err})
			a.findLog()
		} else if !a.useGiven(err) {
			w.tell(LoginWanted{a, nil, err})
		}
		return
	}
	w.opts.Resume = ""
	s := a.Front()
	a.pending, a.opening = nil, false
	s.attach(conn.Session)
	w.tell(Started{a, s, conn.Note})
	s.sendQueued()
}

// forget makes everything that is under way for the agent stale.
func (a *Agent) forget() {
	close(a.replaced)
	old := a.queue
	a.queue, a.replaced = event.NewQueue(), make(chan struct{})
	for _, cancel := range []context.CancelFunc{a.cancel, a.login.cancel} {
		if cancel != nil {
			cancel()
		}
	}
	a.drop(old.Take())
	a.cancel, a.retryAt, a.redialing, a.dialing = nil, time.Time{}, false, false
	a.pending, a.listed, a.gone = nil, nil, map[string]bool{}
	a.login.cancel, a.login.name = nil, ""
}

// Leave gives up the start of the agent. Its session stays, and is shown as one whose
// agent is gone.
func (a *Agent) Leave() {
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
