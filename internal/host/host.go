// Package host gives an agent what it may have of this machine: files through
// fsops, commands through terminal, and the user's word through permissions.
// It joins these rooms, which know nothing of each other, behind the interfaces
// that the engine declares.
//
// What the agent asks for and nobody has allowed yet becomes a question: a write,
// a command, anything outside the session's directories, anything known to be
// secret. What the user has just approved for the agent is carried out without
// asking again, but only if it is exactly that.
package host

import (
	"context"
	"slices"
	"sync"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/toolserver"
	"parley/permissions"
	"parley/terminal"
)

// Options of a Host.
type Options struct {
	Sink   event.Sink          // takes what happened; required
	Policy permissions.Policy  // may be nil: then every question is posted
	Agent  string              // what the agent is called in questions
	Remote *Remote             // of an agent that runs elsewhere; else nil
	Record *permissions.Record // ended with the host; may be nil: nothing is written down

	// Opened, Closed and Wrote are told of sessions with their directories, and of
	// what was written for the agent. They must return at once; each may be nil.
	Opened func(session string, roots []string)
	Closed func(session string)
	Wrote  func(session string, w fsops.Written, text string)

	// Rules are those of a session with these directories; nil: there are none. It
	// is called when a session is opened, and by ReloadRules.
	Rules func(roots []string) (*permissions.Rulebook, error)

	Commands Commands // how commands are started
	Sandbox  Sandbox  // bounds what is written and run for the agent; nil: nothing does
	// Keyboard: the front end can give commands the user's keyboard (Attach). Without
	// it no command is ever attended.
	Keyboard bool

	// Tools is the command that an agent of v2 starts to get at files and
	// commands (see internal/toolserver); nil: it is offered none.
	Tools   []string
	Version string     // of parley, for Tools
	Log     *event.Log // may be nil
}

// Commands says how commands are started for an agent. The zero value starts them
// as they are, with parley's environment.
type Commands struct {
	Environ  []string // "NAME=value"; nil: os.Environ()
	Attended []string // of those that have the user's keyboard; nil: Environ
}

// Remote says what an agent that runs elsewhere gets of this machine: nothing,
// unless the user shares it.
type Remote struct {
	Files, Terminal bool
	Roots           []string // of this machine, whatever directory the session has on the agent's
}

// Host serves all sessions of one connection. Safe for use by several
// goroutines.
type Host struct {
	opts      Options
	broker    *permissions.Broker
	files     *fsops.Service
	terminals *terminal.Service
	tools     *toolserver.Server // may be nil

	mu       sync.Mutex
	sessions map[string]*session
	commands map[string]command // those that are not released, by the id of the terminal
}

// shared tells whether the agent's paths are those of this machine.
func (h *Host) shared() bool {
	return h.opts.Remote == nil || h.opts.Remote.Files || h.opts.Remote.Terminal
}

// session is what the host knows of one.
type session struct {
	roots  []string // absolute; the first is the working directory
	real   []string // the same without links, where that is known
	grants grants
}

// New makes a host. Close ends everything it started.
func New(opts Options) *Host {
	h := &Host{opts: opts, files: fsops.New(fsops.Options{}), sessions: map[string]*session{}, commands: map[string]command{}}
	h.broker = permissions.NewBroker(func(e permissions.Event) { opts.Sink.Post(e) }, opts.Policy)
	if opts.Record != nil {
		h.broker.SetRecord(opts.Record.Settled)
	}
	h.terminals = terminal.New(terminal.Options{Notify: h.terminalChanged, Environ: opts.Commands.Environ, Attended: opts.Commands.Attended, Confine: h.confine})
	if opts.Tools != nil {
		h.tools = toolserver.New(toolserver.Options{FS: (*files)(h), Terminals: (*commands)(h), Command: opts.Tools, Version: opts.Version, Log: h.log})
	}
	return h
}

// Broker is where the front end answers questions.
func (h *Host) Broker() *permissions.Broker { return h.broker }

// Services is what to hand to the engine.
func (h *Host) Services() acpclient.Services {
	s := acpclient.Services{Permissions: (*asker)(h), Sessions: h, Forbids: h.forbids, Locate: h.locate}
	if r := h.opts.Remote; r == nil || r.Files {
		s.FS = (*files)(h)
	}
	if r := h.opts.Remote; r == nil || r.Terminal {
		s.Terminals = (*commands)(h)
	}
	if h.tools != nil {
		s.Tools = h.tools
	}
	return s
}

func (h *Host) log(line string) {
	if h.opts.Log != nil {
		h.opts.Log.Add(event.LogClient, line)
	}
}

// OpenSession implements acpclient.Sessions.
func (h *Host) OpenSession(id string, roots []string) error {
	if h.opts.Remote != nil && h.shared() {
		roots = h.opts.Remote.Roots
	}
	if h.shared() {
		if err := h.files.OpenSession(id, roots); err != nil {
			return err
		}
	}
	if err := h.setRules(id, roots); err != nil {
		return err
	}
	var real []string
	for _, root := range roots {
		if target, err := h.files.Resolve(id, root); err == nil {
			real = append(real, target.Resolved)
		}
	}
	h.mu.Lock()
	h.sessions[id] = &session{roots: roots, real: real}
	h.mu.Unlock()
	if h.opts.Opened != nil && h.shared() {
		h.opts.Opened(id, roots)
	}
	return nil
}

func (h *Host) setRules(id string, roots []string) error {
	if h.opts.Rules == nil {
		return nil
	}
	rules, err := h.opts.Rules(roots)
	if err == nil {
		h.broker.SetRules(id, rules)
	}
	return err
}

// ReloadRules reads the rules of every session again. Those of a session whose
// files have a mistake stay as they were; the first such error is returned.
func (h *Host) ReloadRules() (err error) {
	h.mu.Lock()
	roots := map[string][]string{}
	for id, s := range h.sessions {
		roots[id] = s.roots
	}
	h.mu.Unlock()
	for id := range roots {
		if wrong := h.setRules(id, roots[id]); wrong != nil && err == nil {
			err = wrong
		}
	}
	return err
}

// EndTurn implements acpclient.Sessions.
func (h *Host) EndTurn(id string) {
	h.granted(id, func(g *grants) uint64 { *g = grants{}; return 0 })
}

// CloseSession implements acpclient.Sessions. Commands of the session are ended
// on a goroutine of their own: it must return at once.
func (h *Host) CloseSession(id string) {
	h.mu.Lock()
	delete(h.sessions, id)
	h.mu.Unlock()
	h.broker.CancelSession(id)
	h.broker.Forget(id)
	h.files.CloseSession(id)
	if h.opts.Closed != nil {
		h.opts.Closed(id)
	}
	go h.terminals.CloseSession(id)
}

// Close ends all commands, with their children, and lets go of the files.
func (h *Host) Close() {
	if h.tools != nil {
		h.tools.Close()
	}
	h.terminals.Close()
	h.files.Close()
	if h.opts.Record != nil {
		h.opts.Record.Close()
	}
}

// session is one that is open; nil where it is not. It is another one once it was closed
// and opened again.
func (h *Host) session(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// over tells whether a session was closed since it was s. Its rules are forgotten by
// then, so what was allowed meanwhile may have been denied by one of them.
func (h *Host) over(id string, s *session) bool { return s == nil || h.session(id) != s }

// cwd is the session's working directory, "" where the session is not known.
func (h *Host) cwd(id string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil && len(s.roots) > 0 {
		return s.roots[0]
	}
	return ""
}

// granted runs f with the grants of a session, under the lock; it returns the key
// of a question, 0 where there is none.
func (h *Host) granted(id string, f func(*grants) uint64) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return f(&s.grants)
	}
	return 0
}

// ruled tells whether the rules of a session, or its mode, want a question or deny it
// about what would pass without one.
func (h *Host) ruled(id string, f permissions.Facts) bool {
	if f.Kind != "read" && h.broker.Mode(id) == permissions.ReadOnlyMode {
		return true
	}
	return h.broker.Rules(id).Judge(f).Effect >= permissions.Confirm
}

// forbids implements acpclient.Services.Forbids: a call is judged as a question about
// it would be.
func (h *Host) forbids(session string, t wire.ToolCall) bool {
	rules := h.broker.Rules(session)
	if !slices.ContainsFunc(rules.Rules(), func(r permissions.Rule) bool { return r.Effect == permissions.Deny }) {
		return false
	}
	q := h.agentQuestion(acpclient.Question{Session: session, Tool: t})
	return rules.Judge(q.Facts).Effect == permissions.Deny
}

// came writes down what came of a question.
func (h *Host) came(session string, key uint64, did string, err error) {
	if h.opts.Record == nil || key == 0 {
		return
	}
	if err != nil {
		did = err.Error()
	}
	h.opts.Record.Came(session, key, did)
}

// asker implements acpclient.Permissions.
type asker Host

type asked struct {
	host     *Host
	session  *session // when it was asked
	question acpclient.Question
	pending  *permissions.Pending
	grant    grant // what an approval lets pass
}

// Ask implements acpclient.Permissions.
func (a *asker) Ask(q acpclient.Question) acpclient.Asked {
	h := (*Host)(a)
	s := h.session(q.Session)
	g := h.grantFor(q.Session, q.Tool)
	g.edits = slices.DeleteFunc(g.edits, func(e edit) bool { return !h.shared() })
	for i := range g.edits {
		e := &g.edits[i]
		e.path = h.absolute(q.Session, e.path)
		if target, err := h.files.Resolve(q.Session, e.path); err == nil {
			e.resolved, e.state = target.Resolved, h.files.Stat(q.Session, e.path)
		}
	}
	return &asked{h, s, q, h.broker.Ask(h.agentQuestion(q)), g}
}

// CancelSession implements acpclient.Permissions.
func (a *asker) CancelSession(id string) { (*Host)(a).broker.CancelSession(id) }

func (a *asked) Key() uint64 { return a.pending.Question.Key }

// Wait implements acpclient.Asked. An allowing answer is noted before the agent
// hears of it.
func (a *asked) Wait(ctx context.Context) acpclient.Decision {
	answer := a.pending.Wait(ctx)
	d := acpclient.Decision{OptionID: answer.OptionID, Cancelled: answer.Cancelled, By: answer.By, Subject: a.pending.Question.Subject()}
	if !d.Cancelled && a.host.over(a.question.Session, a.session) {
		d = acpclient.Decision{Cancelled: true, Subject: d.Subject}
	}
	if d.Cancelled {
		return d
	}
	kind := meaning(a.question.Options, answer.OptionID)
	if q := a.pending.Question; kind == permissions.AllowAlways && q.Kind == "edit" && !q.Facts.Partial {
		a.host.broker.Remember(a.question.Session, rememberWrites)
	}
	if kind == permissions.AllowAlways || kind == permissions.AllowOnce {
		a.grant.key, a.grant.byUser = a.pending.Question.Key, answer.By == "you"
		a.host.granted(a.question.Session, func(s *grants) uint64 { s.add(a.grant); return 0 })
	}
	return d
}

// meaning is the kind of the option with this id. Where an agent gave several
// options one id, nobody knows which of them was meant: then it is the one that
// allows least.
func meaning(options []wire.PermissionOption, id string) string {
	kind := ""
	for _, o := range options {
		switch {
		case o.ID != id:
		case o.Kind != permissions.AllowAlways && o.Kind != permissions.AllowOnce:
			return o.Kind
		case kind != permissions.AllowOnce:
			kind = o.Kind
		}
	}
	return kind
}
