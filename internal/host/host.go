// Package host gives an agent access to this machine: to files through fsops, to commands through
// terminal, with permissions deciding. It implements the interfaces that acpclient declares, and joins
// those packages, which do not know each other.
//
// What the agent requests without an approval becomes a question: a write, a command, anything outside
// the session's directories, and sensitive files. What the user has just approved for the agent is
// carried out without another question, but only if it is exactly the same.
package host

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/fsops"
	"parley/internal/questions"
	"parley/internal/toolserver"
	"parley/permissions"
	"parley/terminal"
)

// Options configure a Host.
type Options struct {
	Sink   event.Sink         // receives events; required
	Policy permissions.Policy // nil: every question is posted
	Agent  string             // the agent's name in questions
	Remote *Remote            // for an agent on another machine; else nil
	Record *questions.Record  // closed with the host; nil: nothing is recorded

	Watch
	// Rules returns the rules for a session with these directories; nil: there are none. It is called
	// when a session is opened, and by ReloadRules.
	Rules func(roots []string) (*permissions.Rulebook, error)

	Commands Commands // how commands are started
	Sandbox  *Sandbox // restricts what is written and run for the agent; nil: no restriction
	// Keyboard says that the front end can attach the user's keyboard to commands (Attach). Without it
	// no command is attended.
	Keyboard bool

	// Tools is the command that an agent of v2 starts to use files and commands (see
	// internal/toolserver); nil: it is not offered.
	Tools     []string
	Worktrees string     // the directory of parley's worktrees, which questions name by their names; "" for none
	Version   string     // of parley, for Tools
	Log       *event.Log // may be nil
}

// Watch records what is changed in sessions. OnOpen, OnClose and OnWrite are called for sessions with
// their directories, and for what was written for the agent; a resumed session existed before. OnName is
// called for files that the agent names and may be about to write: paths finds them, on another
// goroutine since it waits for the disk, and looked is closed when they have been looked at. OnPrompt is
// called before a prompt, which waits a short time until ready is closed. The functions must not block;
// each may be nil.
type Watch struct {
	OnOpen  func(session string, roots []string, resumed bool)
	OnClose func(session string)
	OnWrite func(session string, w fsops.Written, text string)
	OnName  func(session string, paths func() []string) (looked <-chan struct{})

	OnPrompt func(session string) (ready <-chan struct{})
}

// Commands says how commands are started for an agent. The zero value starts them unchanged, with
// parley's environment.
type Commands struct {
	Environ  []string // "NAME=value"; nil: os.Environ()
	Attended []string // for attended commands; nil: Environ
}

// Remote says what an agent on another machine can use of this one: nothing, unless the user shares it.
type Remote struct {
	Files, Terminal bool
	Roots           []string // of this machine, whatever directory the session has on the agent's
}

// Host serves all sessions of one connection. It is safe for concurrent use.
type Host struct {
	opts      Options
	broker    *permissions.Broker
	files     *fsops.Service
	terminals *terminal.Service
	tools     *toolserver.Server // may be nil

	mu       sync.Mutex
	sessions map[string]*session
	commands map[string]command // by terminal id, until released
}

// shared reports whether the agent's paths are those of this machine.
func (h *Host) shared() bool {
	return h.opts.Remote == nil || h.opts.Remote.Files || h.opts.Remote.Terminal
}

// session is the state of one session.
type session struct {
	dirs
	grants   grants
	cancels  atomic.Int64    // how often its questions were cancelled
	oldTexts atomic.Int64    // bytes read for questions
	seen     map[string]bool // paths that tool calls named; true if one writes it
}

// dirs are the directories of a session. They do not change while it is open.
type dirs struct {
	roots []string // absolute; the first is the working directory
	real  []string // the same with links followed, if known
}

// cwd returns the working directory; "" if the session is unknown.
func (d dirs) cwd() string {
	if len(d.roots) == 0 {
		return ""
	}
	return d.roots[0]
}

// rootOf returns the directory in which a file is; "" if there is none.
func (d dirs) rootOf(t fsops.Target) string {
	for _, root := range d.real {
		if rel, err := filepath.Rel(root, t.Resolved); err == nil && filepath.IsLocal(rel) {
			return root
		}
	}
	return ""
}

// New returns a Host. Close ends everything it started.
func New(opts Options) *Host {
	h := &Host{opts: opts, files: fsops.New(fsops.Options{}), sessions: map[string]*session{}, commands: map[string]command{}}
	h.broker = permissions.NewBroker(func(e permissions.Event) { opts.Sink.Post(e) }, opts.Policy)
	if opts.Record != nil {
		h.broker.SetRecord(opts.Record.RecordAnswer)
	}
	h.terminals = terminal.New(terminal.Options{Notify: h.terminalChanged, Environ: opts.Commands.Environ, Attended: opts.Commands.Attended, Confine: h.confine})
	if opts.Tools != nil {
		h.tools = toolserver.New(toolserver.Options{FS: (*files)(h), Terminals: (*commands)(h), Command: opts.Tools, Version: opts.Version, Log: h.log})
	}
	return h
}

// Broker returns the broker that the front end answers.
func (h *Host) Broker() *permissions.Broker { return h.broker }

// Services returns the services for acpclient.
func (h *Host) Services() acpclient.Services {
	s := acpclient.Services{Permissions: (*asker)(h), Sessions: h, Forbids: h.forbids, Names: h.names, Locate: h.locate, OldTexts: h.oldTexts}
	if r := h.opts.Remote; r == nil || r.Files {
		s.FS = (*files)(h)
	}
	if r := h.opts.Remote; r == nil || r.Terminal {
		s.Terminals = (*commands)(h)
	}
	if h.tools != nil {
		s.Tools = h.tools.Offer
	}
	return s
}

func (h *Host) log(line string) {
	if h.opts.Log != nil {
		h.opts.Log.Add(event.LogClient, line)
	}
}

// OpenSession implements acpclient.Sessions.
func (h *Host) OpenSession(id string, roots []string, resumed bool) error {
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
	h.sessions[id] = &session{dirs: dirs{roots, real}, seen: map[string]bool{}}
	h.mu.Unlock()
	if h.opts.OnOpen != nil && h.shared() {
		h.opts.OnOpen(id, roots, resumed)
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

// ReloadRules reads the rules of every session again. A session whose files have a mistake keeps its
// rules; the first such error is returned.
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

// BeginTurn implements acpclient.Sessions.
func (h *Host) BeginTurn(id string) (ready <-chan struct{}) {
	if h.opts.OnPrompt == nil {
		return nil
	}
	return h.opts.OnPrompt(id)
}

// EndTurn implements acpclient.Sessions.
func (h *Host) EndTurn(id string) {
	h.granted(id, func(g *grants) uint64 { *g = grants{}; return 0 })
}

// CloseSession implements acpclient.Sessions. It ends the commands of the session on another
// goroutine, since it must not block.
func (h *Host) CloseSession(id string) {
	h.mu.Lock()
	delete(h.sessions, id)
	h.mu.Unlock()
	h.broker.CancelSession(id)
	h.broker.Forget(id)
	h.files.CloseSession(id)
	if h.opts.OnClose != nil {
		h.opts.OnClose(id)
	}
	go h.terminals.CloseSession(id)
}

// Close ends all commands with their children and closes the files.
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

// session returns an open session; nil if it is not open. A session that was closed and opened again is
// another one.
func (h *Host) session(id string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[id]
}

// sessionClosed reports whether a session was closed since it was s. Its rules are gone then, so an approval
// since may contradict one of them.
func (h *Host) sessionClosed(id string, s *session) bool { return s == nil || h.session(id) != s }

// dirs returns the directories of a session, none if it is not open.
func (h *Host) dirs(id string) dirs {
	if s := h.session(id); s != nil {
		return s.dirs
	}
	return dirs{}
}

// granted calls f with the grants of a session, under the lock, and returns the key of a question, or
// 0.
func (h *Host) granted(id string, f func(*grants) uint64) uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil {
		return f(&s.grants)
	}
	return 0
}

// ruled reports whether the rules or the mode of a session ask about or deny what would otherwise need
// no question.
func (h *Host) ruled(id string, f permissions.Facts) bool {
	if f.Kind != "read" && h.broker.Mode(id).Reads() {
		return true
	}
	return h.broker.Rules(id).Judge(f).Effect >= permissions.Confirm
}

// forbids implements acpclient.Services.Forbids: it judges a call like a question about it.
func (h *Host) forbids(session string, t wire.ToolCall) bool {
	rules := h.broker.Rules(session)
	if !slices.ContainsFunc(rules.Rules(), func(r permissions.Rule) bool { return r.Effect == permissions.Deny }) {
		return false
	}
	q := h.agentQuestion(acpclient.Question{Session: session, Tool: t})
	return rules.Judge(q.Facts).Effect == permissions.Deny
}

// came records the outcome of a question.
func (h *Host) came(session string, key uint64, did string, err error) {
	if h.opts.Record == nil || key == 0 {
		return
	}
	if err != nil {
		did = err.Error()
	}
	h.opts.Record.RecordOutcome(session, key, did)
}

// asker implements acpclient.Permissions.
type asker Host

type asked struct {
	host     *Host
	session  *session // the session at that time
	cancels  int64    // how often its questions had been cancelled
	question acpclient.Question
	key      uint64 // of the question as it was asked first
	pending  *permissions.Pending
	grant    grant           // what an approval grants
	looked   <-chan struct{} // closed when the files that it names have been looked at; may be nil
}

// Ask implements acpclient.Permissions.
func (a *asker) Ask(q acpclient.Question) acpclient.PendingQuestion {
	h := (*Host)(a)
	asked := &asked{host: h, session: h.session(q.Session), question: q}
	if asked.session != nil {
		asked.cancels = asked.session.cancels.Load()
	}
	if h.opts.OnName != nil && h.shared() {
		asked.looked = h.reportNamed(q.Session, filesOf(q.Tool))
	}
	asked.pending = h.broker.Reserve(permissions.Question{Session: q.Session, Subagent: q.Subagent, Tool: q.Tool.ID, Origin: permissions.FromAgent})
	asked.key = asked.pending.Question.Key
	return asked
}

// Judge implements acpclient.PendingQuestion.
func (a *asked) Judge() {
	if a.pending.Settled() {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			a.host.broker.Cancel(a.key)
			panic(r)
		}
	}()
	shown, g := a.prepare()
	a.grant = g
	a.pending.Ask(shown)
}

// CancelSession implements acpclient.Permissions.
func (a *asker) CancelSession(id string) {
	h := (*Host)(a)
	if s := h.session(id); s != nil {
		s.cancels.Add(1)
	}
	h.broker.CancelSession(id)
}

// prepare returns the question as it is to be shown now, and what an approval of it grants.
func (a *asked) prepare() (permissions.Question, grant) {
	h, q := a.host, a.question
	if q.Tool.Content != nil {
		content := h.oldTexts(q.Session, *q.Tool.Content)
		q.Tool.Content = &content
	}
	g := h.grantFor(q.Session, q.Tool)
	g.edits = slices.DeleteFunc(g.edits, func(e edit) bool { return !h.shared() })
	for i := range g.edits {
		e := &g.edits[i]
		e.path = h.absolute(q.Session, e.path)
		if target, err := h.files.Resolve(q.Session, e.path); err == nil {
			e.resolved, e.state = target.Resolved, h.files.Stat(q.Session, e.path)
		}
	}
	return h.agentQuestion(q), g
}

// Key returns the key of the question as it was asked first.
func (a *asked) Key() uint64 { return a.key }

// answer waits for the answer. If the user allowed to overwrite a file that was changed while the
// question was open, it asks again.
func (a *asked) answer(ctx context.Context) permissions.Answer {
	for {
		answer := a.pending.Wait(ctx)
		shown := a.pending.Question
		allowed := permissions.Option{Kind: meaning(a.question.Options, answer.OptionID)}.Allows()
		if answer.Cancelled || !allowed || !answer.ByUser() || shown.Kind != "edit" || a.over() {
			return answer
		}
		now, g := a.prepare()
		if slices.Equal(overwritten(now), overwritten(shown)) {
			return answer
		}
		a.host.came(now.Session, shown.Key, "", errChanged)
		now.RepeatReason = errChanged.Error()
		if a.pending, a.grant = a.host.broker.Ask(now), g; a.over() {
			a.host.broker.Cancel(a.pending.Question.Key)
		}
	}
}

// over reports whether the questions of the session were cancelled since it was asked.
func (a *asked) over() bool {
	return a.host.sessionClosed(a.question.Session, a.session) || a.session.cancels.Load() != a.cancels
}

// Wait implements acpclient.PendingQuestion. It records an approval before the agent is told.
func (a *asked) Wait(ctx context.Context) acpclient.Decision {
	answer := a.answer(ctx)
	d := acpclient.Decision{OptionID: answer.OptionID, Cancelled: answer.Cancelled, By: answer.By, Subject: a.pending.Question.Subject()}
	if !d.Cancelled && a.host.sessionClosed(a.question.Session, a.session) {
		d = acpclient.Decision{Cancelled: true, Subject: d.Subject}
	}
	if d.Cancelled {
		return d
	}
	kind := meaning(a.question.Options, answer.OptionID)
	if q := a.pending.Question; kind == permissions.AllowAlways && q.Kind == "edit" && !q.Facts.Partial {
		for _, f := range q.Facts.Files { // what was shown, whatever the agent calls its option
			if f.Write && f.Inside && !f.Secret {
				a.host.broker.Grant(a.question.Session, fileGrant("edit", f.Path))
			}
		}
	}
	if kind == permissions.AllowAlways || kind == permissions.AllowOnce {
		a.grant.key, a.grant.byUser = a.pending.Question.Key, answer.ByUser()
		a.host.granted(a.question.Session, func(s *grants) uint64 { s.add(a.grant); return 0 })
		waitLooked(ctx, a.looked)
	}
	return d
}

// meaning returns the kind of the option with this id. If an agent gave several options the same id, it
// is the kind that allows least.
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
