package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/words"
	"parley/permissions"
)

// requestPatience bounds requests other than prompts, openPatience those that open a session.
const (
	requestPatience = time.Minute
	openPatience    = 5 * time.Minute
)

// patiently bounds a request. Its error says that the agent did not answer.
func patiently(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, most, fmt.Errorf("no answer within %.0f min", most.Minutes()))
}

// goneLine answers actions that need an agent that is not connected.
const goneLine = "the agent has ended"

const readOnlyLine = "this is a read-only log"

// openingLine answers a request for a session while another one is being opened.
const openingLine = "a session is already being opened"

// request runs a request to the agent in a task, and calls done with its error.
func (a *Agent) request(call func(context.Context) error, done func(error)) {
	parent := a.w.conns.ctx
	var err error
	a.ask(func() {
		ctx, stop := patiently(parent, requestPatience)
		defer stop()
		err = call(ctx)
	}, func() { done(err) })
}

// set runs a request about the session in a task, and calls done with its error. It does
// nothing while the session is not open.
func (s *Session) set(call func(context.Context, *acpclient.Session) error, done func(error)) {
	if open := s.acp; open != nil {
		s.Agent.request(func(ctx context.Context) error { return call(ctx, open) }, done)
	}
}

// Approval returns the session's approval mode, which decides where no rule does.
func (s *Session) Approval() permissions.Mode {
	if s.acp == nil || s.Agent.conn == nil || s.ReadOnly {
		return permissions.AskMode
	}
	return s.Agent.conn.Broker.Mode(s.acp.ID())
}

// SetApproval sets the approval mode and applies it to open questions.
func (s *Session) SetApproval(m permissions.Mode) {
	if s.acp == nil || s.Agent.conn == nil {
		s.Say(words.Sentence(ErrNotOpen.Error()))
		return
	}
	broker, id := s.Agent.conn.Broker, s.acp.ID()
	broker.SetMode(id, m)
	s.Agent.ask(func() { broker.Reconsider(id) }, func() {}) // it reads files
}

// NewSession opens another session with the agent and shows it.
func (a *Agent) NewSession() {
	switch {
	case !a.Live():
		a.w.say(goneLine)
		return
	case a.pending != nil:
		a.w.say(openingLine)
		return
	}
	a.openAnother(newSession(a.w, a), a.conn.newSession)
}

// openAnother shows a session and opens it by a request. No other may be pending.
func (a *Agent) openAnother(s *Session, request func(context.Context) (*acpclient.Session, error)) {
	a.w.addSession(s)
	a.pending = s
	s.open(request, func(opened *acpclient.Session, err error) { s.opened(opened, err, nil) })
}

// newSession opens a session like the first.
func (c *Connection) newSession(ctx context.Context) (*acpclient.Session, error) {
	return c.Client.NewSession(ctx, c.Template)
}

// TurnRan is said of a session that was opened while a turn ran in it.
const TurnRan = "A turn was running in this session when it was opened"

// OpenStored opens a session that the agent stores. logged is its log, if parley knows the
// session only from there: the log is shown if the agent refuses the session.
func (a *Agent) OpenStored(kept event.StoredSession, logged *Logged) {
	if !a.Live() {
		a.w.say(goneLine)
		return
	}
	if a.opening {
		a.w.say(openingLine)
		return
	}
	method := reopenMethodOf(a.conn.Client.Agent())
	if method == reopenNone {
		a.w.say("the agent cannot reopen sessions")
		return
	}
	for _, s := range a.Sessions() {
		if s.Thread.Session == kept.ID { // the agent has one of this id
			a.w.Show(s)
			return
		}
	}
	// The directory is the session's own, and the user has seen it in the list. Further
	// ones are the user's: the agent's list must not widen what it may read.
	n, client := a.conn.Template, a.conn.Client
	if kept.Cwd != "" {
		n.Cwd = kept.Cwd
	}
	s := a.w.add(a)
	s.Thread.Session, s.Thread.Title = kept.ID, kept.Title
	running := false
	if !a.Spec.Remote && kept.Cwd != "" {
		s.Dir = kept.Cwd
		if s.Dir == a.w.opts.Cwd {
			s.Dir = ""
		}
	}
	s.open(func(ctx context.Context) (*acpclient.Session, error) {
		running = client.TurnRuns(ctx, kept.ID)
		return method.open(ctx, client, kept.ID, n)
	}, func(opened *acpclient.Session, err error) {
		if err == nil && running && !s.Busy() { // it does not say when the turn ends
			s.Thread.AddNotice(TurnRan, "")
		}
		s.opened(opened, err, logged)
	})
}

// open runs request in a task that CancelOpen cancels, and calls then with the outcome.
func (s *Session) open(request func(context.Context) (*acpclient.Session, error), then func(*acpclient.Session, error)) {
	parent, cancel := context.WithCancel(s.w.conns.ctx)
	s.giveUp = cancel
	var opened *acpclient.Session
	var err error
	s.Agent.ask(func() {
		ctx, stop := patiently(parent, openPatience)
		defer stop()
		opened, err = request(ctx)
	}, func() {
		if err == nil && parent.Err() != nil { // it opened before it could be cancelled
			s.Agent.dismiss(opened)
			opened, err = nil, context.Canceled
		}
		cancel()
		then(opened, err)
	})
}

// opened handles the outcome of opening a session. One that did not open is removed.
func (s *Session) opened(opened *acpclient.Session, err error, logged *Logged) {
	w, a := s.w, s.Agent
	s.giveUp = nil
	if a.pending == s {
		a.pending = nil
	}
	if !w.has(s) {
		a.dismiss(opened)
		return
	}
	if err == nil && s.inherited != nil {
		s.inherit(opened, func(opened *acpclient.Session, err error) { s.opened(opened, err, nil) })
		return
	}
	if err == nil {
		if s.forking {
			s.Thread.AddNotice("A fork: the agent has copied the session above; both work on the same files", "")
		}
		s.attach(opened)
		if s.approval != permissions.AskMode { // of the session that it was forked from
			s.SetApproval(s.approval)
		}
		w.tell(SessionOpened{OfSession{s}})
		s.Prompts.sendQueued()
		return
	}
	w.Remove(s)
	if errors.Is(err, context.Canceled) {
		err = errGivenUp
	}
	n := SessionNotOpened{OfSession{s}, err, nil}
	if why := a.whyLog(err, logged); why != "" {
		n.Logged = w.OpenLogged(*logged, why)
	}
	w.tell(n)
}

var errGivenUp = errors.New("opening the session was cancelled")

// whyLog says why the log of a session is shown instead of the session; "" if there is no
// log, or the session may still be opened.
func (a *Agent) whyLog(err error, logged *Logged) string {
	if logged == nil || err == errGivenUp {
		return ""
	}
	switch outcomeOf(err) {
	case outcomeGone:
		return a.Name() + " refused it: " + strings.TrimPrefix(answerOf(err), "the agent answered: ")
	case outcomeFailed: // its directory is gone, say
		return err.Error()
	}
	return ""
}

// Opener returns the agent that may open a logged session that no agent lists, nil if
// there is none.
func (w *Workspace) Opener(g Logged) *Agent {
	for _, a := range w.Agents() {
		if info := a.Info(); g.OfAgent(a.Spec) && info != nil && !info.List && reopenMethodOf(*info) != reopenNone {
			return a
		}
	}
	return nil
}

// WhyReadOnly says why a logged session is read-only.
func (w *Workspace) WhyReadOnly(g Logged) string {
	for _, a := range w.Agents() {
		if info := a.Info(); info != nil && g.OfAgent(a.Spec) {
			if reopenMethodOf(*info) == reopenNone {
				return a.Name() + " cannot resume sessions"
			}
			return a.Name() + " no longer has this session"
		}
	}
	return g.DisplayName() + " is not running"
}

// OpenLogged shows a session from its log, read-only, for the reason why.
func (w *Workspace) OpenLogged(g Logged, why string) *Session {
	a := newAgent(w)
	a.Spec = w.Spec(g.Agent)
	if a.Spec.Command == "" { // it is none of those that are known
		a.Spec.Reported, a.Spec.Custom = g.DisplayName(), true
	}
	for _, other := range w.Agents() {
		if g.OfAgent(other.Spec) {
			a.Spec = other.Spec // which may have told its name
		}
	}
	s := w.add(a)
	s.ReadOnly, s.ReadOnlyReason = true, why
	s.Thread.Session, s.Thread.Title = g.Session, g.Title
	s.spans = []connectionSpan{{0, g.Messages}}
	ctx, cancel := context.WithCancel(w.conns.ctx)
	s.giveUp = cancel
	w.begin(func() Result {
		queue := event.NewQueue()
		err := g.Replay(ctx, queue)
		return after(func() { s.replayed(queue.Drain(), err) })
	})
	return s
}

// replayed applies the events read from the log.
func (s *Session) replayed(events []event.Event, err error) {
	w := s.w
	s.abandon()
	if !w.has(s) {
		return
	}
	if errors.Is(err, context.Canceled) {
		w.Remove(s)
		w.tell(SessionNotOpened{OfSession{s}, errors.New("reading the log was cancelled"), nil})
		return
	}
	for _, e := range append(events, event.Disconnected{Err: event.ErrClosed}) { // ends what the log leaves open
		w.tell(EventApplied{OfSession{s}, e, slices.Clone(s.Thread.Apply(e))})
	}
	s.remarked()
	if err != nil {
		s.Say("The log cannot be read: " + err.Error())
	}
}

// findLog looks for the log of the session that was to be opened.
func (a *Agent) findLog() {
	w := a.w
	name, logs := w.opts.Resume, w.opts.Logs
	if name == "" || logs == nil {
		return
	}
	var logged []Logged
	a.ask(func() { logged, _ = logs() }, func() {
		if !a.opening || a.err == nil {
			return
		}
		for _, same := range []func(Logged) bool{
			func(g Logged) bool { return g.Session == name },
			func(g Logged) bool { return strings.EqualFold(w.TitleOf(g.Agent, g.Session, g.Title), name) },
		} {
			for i, g := range logged {
				if g.Agent == a.Spec.Name && same(g) {
					a.logged = &logged[i]
					w.tell(FoundLog{OfAgent{a}})
					return
				}
			}
		}
	})
}

// ReadLog shows the log of the session that could not be opened.
func (a *Agent) ReadLog() {
	front := a.Front()
	s := a.w.OpenLogged(*a.logged, "")
	s.Agent.Spec = a.Spec
	a.w.Remove(front)
	a.opening, s.from = false, nil
}

// Close closes the session, and ends its agent if it was the agent's last one. It is
// reported as Said.
func (s *Session) Close() {
	w, a, open := s.w, s.Agent, s.acp
	w.Remove(s)
	s.CancelOpen()
	if open == nil || a.conn == nil || len(a.Sessions()) == 0 {
		return
	}
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return client.CloseSession(ctx, open) }, func(err error) { w.ended("closed", err) })
}

// dismiss closes a session that opened after it was removed. A nil session is ignored.
func (a *Agent) dismiss(open *acpclient.Session) {
	if open == nil {
		return
	}
	a.removedSessions[open.ID()] = true
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return client.CloseSession(ctx, open) }, func(error) {})
}

// Waiting reports whether something other than a turn is in progress for the session.
func (s *Session) Waiting() bool {
	_, dialing := s.Agent.Dialing()
	return dialing || s.Agent.Login.name != "" || s.Prompts.sending != nil || s.Opening()
}
