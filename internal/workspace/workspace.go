// Package workspace holds everything that is open, for the screen and for the line-by-line
// chat: agents (connect, log in, lose, retry, reopen) and their sessions (thread, queued
// prompts, whatever waits for the user). It draws nothing and does not use the terminal.
//
// A Workspace is plain state on the goroutine of its front end, which calls a method for each
// action of the user. Work that may block becomes a Task: the front end gets tasks from Tasks,
// runs each on its own goroutine and passes the result to Done. What has happened is reported
// as News, in order. After every call the front end must run the tasks and handle the news;
// there is no other connection between the two.
//
// The response to a request to an agent goes through the agent's event queue, so it is handled
// after every event that preceded it.
package workspace

import (
	"context"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/internal/attach"
	"parley/internal/finder"
	"parley/internal/keeper"
	"parley/internal/memory"
	"parley/internal/template"
	"parley/internal/words"
)

// Task is work that may block. It is run once, on its own goroutine. Its result, if not nil,
// must be passed to Workspace.Done.
type Task func() Result

// Result is the result of a Task.
type Result interface {
	// arrive handles the result, and reports whether it must be called again.
	arrive(w *Workspace) (more bool)
}

// after is a function that Done calls on the front end's goroutine.
type after func()

func (f after) arrive(*Workspace) bool { f(); return false }

// Options configures a workspace. The functions may be called on any goroutine.
type Options struct {
	Agents []Spec // agents known by name
	// Connect starts or connects to an agent and opens a session. It gives up when ctx ends.
	// If the agent requires a login first, it returns that error and a connection without a
	// session.
	Connect func(ctx context.Context, s Spec, sink event.Sink, log *event.Log) (*Connection, error)
	// Redial reconnects to a remote agent without opening a session. If nil, lost connections
	// stay lost.
	Redial func(ctx context.Context, s Spec, sink event.Sink, log *event.Log) (*Connection, error)
	// AgentLogin prepares a login command that an agent names. It looks up the program and
	// runs nothing. If nil, such logins are not supported.
	AgentLogin func(s Spec, c event.AuthCommand) (AgentLogin, error)
	// LoginCommand returns the program of a login of type "terminal". If nil, such logins are
	// not supported.
	LoginCommand func(s Spec, method event.AuthMethod) LoginCommand
	// Logs lists the sessions that have logs, the newest first. It may be nil.
	Logs func() ([]Logged, error)
	// Kept lists the kept sessions of the user but for this one. It may be nil.
	Kept func() ([]keeper.Session, error)
	// Names stores the names that the user gives to sessions. If nil, they last as long as the
	// workspace.
	Names *memory.Names
	// Usage counts what turns took. If nil, nothing does.
	Usage *memory.Usage
	// KeepPrompts says that prompts may be stored, such as in the name of a fork.
	KeepPrompts bool

	// ReadFile reads the files that prompts mention. If nil, an @ has no meaning.
	ReadFile finder.ReadFunc

	// Worktrees makes, merges and removes git worktrees. If nil, there are none.
	Worktrees Worktrees

	Templates []template.Template // prompts that can be sent by slash commands

	// ResumeWithin is how long parley waits for a limit to reset that has stopped a turn, to send its prompt again; 0: it does not.
	ResumeWithin time.Duration

	// ResumeArgs returns the arguments of parley that resume a session, nil if they cannot be typed. If nil, none can.
	ResumeArgs func(ResumableSession) []string

	Cwd    string
	Prompt string        // sent in the first session as soon as it is open
	Resume string        // id or title of the session that the first connection opens
	Pace   time.Duration // minimum time between two batches of an agent's events
	Now    func() time.Time

	// Clients is the socket by which other clients join; "": none can.
	Clients string
	// Begun is called with the workspace, on the goroutine of its front end, before anything happens in it. It may
	// be nil.
	Begun func(*Workspace)
}

// Workspace is everything that is open. It belongs to one goroutine.
type Workspace struct {
	Kept Kept // kept sessions that the terminal can be attached to

	opts        Options
	sessions    []*Session
	front       *Session
	tasks       []Task
	news        []News
	conns       *connections
	credentials map[string]credentials // by agent name
	logs        []Logged
	archived    bool // List includes the sessions that are archived
	names       names
	search      search
	ending      bool
	images      attach.Images
	templates   Templates
	followers   followers
	clients     []Client
	status      keeper.Status // the last one
	resumes     string        // the session that its Resume is about
}

// New returns a workspace whose front session is not open yet.
func New(opts Options) *Workspace {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	w := &Workspace{opts: opts, conns: newConnections(), names: newNames(), credentials: map[string]credentials{}, templates: Templates{opts.Templates, map[string]bool{}},
		status: keeper.Status{Clients: opts.Clients}}
	w.Kept.w = w
	w.front = newSession(w, newAgent(w))
	if opts.Prompt != "" {
		w.front.Prompts.Queue.Add(opts.Prompt)
	}
	w.sessions = []*Session{w.front}
	w.loadNames()
	if opts.Begun != nil {
		opts.Begun(w)
	}
	return w
}

// Images returns the images of all prompts, which front ends add.
func (w *Workspace) Images() *attach.Images { return &w.images }

// Tasks returns the tasks to be run, each once. What follows the workspace hears first of the news that the
// front end has handled.
func (w *Workspace) Tasks() []Task {
	w.followers.catchUp(len(w.news) == 0)
	tasks := w.tasks
	w.tasks = nil
	return tasks
}

// TakeNews removes and returns the oldest piece of news, false if there is none.
func (w *Workspace) TakeNews() (News, bool) {
	if len(w.news) == 0 {
		return nil, false
	}
	n := w.news[0]
	w.news = w.news[1:]
	w.followers.took(n)
	return n, true
}

// Done handles the result of a task. It handles a batch of events one by one: more means that
// it must be called again with the same result, now or soon.
func (w *Workspace) Done(r Result) (more bool) { return r.arrive(w) }

func (w *Workspace) begin(t Task)    { w.tasks = append(w.tasks, t) }
func (w *Workspace) tell(n News)     { w.news = append(w.news, n) }
func (w *Workspace) say(line string) { w.tell(Said{OfSession{w.front}, words.Sentence(line)}) }

// Context returns a context that ends when the workspace is closed.
func (w *Workspace) Context() context.Context { return w.conns.ctx }

// Sessions returns the open sessions of all agents in the order in which they were opened. The
// caller must not change the slice.
func (w *Workspace) Sessions() []*Session { return w.sessions }

// Front returns the session in front of the user.
func (w *Workspace) Front() *Session { return w.front }

// Show brings a session to the front.
func (w *Workspace) Show(s *Session) {
	w.front = s
	w.tell(SessionShown{OfSession{s}})
}

// Agents returns the agents of the open sessions, each once, in the order of the sessions.
func (w *Workspace) Agents() []*Agent {
	var out []*Agent
	for _, s := range w.sessions {
		if !slices.Contains(out, s.Agent) {
			out = append(out, s.Agent)
		}
	}
	return out
}

// Names returns the names of the agents that were started.
func (w *Workspace) Names() (names []string) {
	for _, a := range w.Agents() {
		if a.Spec.Name != "" {
			names = append(names, a.Name())
		}
	}
	return names
}

// Records returns the paths of the logs of the current connections.
func (w *Workspace) Records() (files []string) {
	for _, a := range w.Agents() {
		if a.conn != nil && a.conn.Record != "" {
			files = append(files, a.conn.Record)
		}
	}
	return files
}

// Spec returns the Spec of the agent with that name.
func (w *Workspace) Spec(name string) Spec {
	for _, s := range w.opts.Agents {
		if s.Name == name {
			return s
		}
	}
	return Spec{Name: name}
}

// Logs returns the sessions that have logs, as they were listed last.
func (w *Workspace) Logs() []Logged { return w.logs }

// End records that the workspace is about to be closed. From then on responses of agents are
// dropped and lost connections are not retried.
func (w *Workspace) End() { w.ending = true }

// Close cancels starts, ends every agent and waits for them. It may be called on any
// goroutine.
func (w *Workspace) Close() { w.conns.endAll() }

// end closes a connection that is no longer needed.
func (w *Workspace) end(conn *Connection) {
	if conn != nil {
		w.begin(func() Result { w.conns.end(conn); return nil })
	}
}

// add adds a new session of an agent and brings it to the front.
func (w *Workspace) add(a *Agent) *Session {
	s := newSession(w, a)
	w.addSession(s)
	return s
}

// addSession adds a session and brings it to the front.
func (w *Workspace) addSession(s *Session) {
	s.from = w.front
	w.sessions = append(w.sessions, s)
	w.Show(s)
}

// Remove removes a session and shows the one that it was opened from, or else the one before
// it. An agent ends with its last session. The last session of the workspace is not removed.
func (w *Workspace) Remove(s *Session) {
	i := slices.Index(w.sessions, s)
	if i < 0 || len(w.sessions) == 1 {
		return
	}
	s.SideQuestions.close()
	s.Prompts.requeue()
	s.Prompts.offerHeld()
	paused := s.Prompts.Queue.paused
	if s.Prompts.requeueRefused() || paused {
		s.Prompts.Queue.paused = true
	}
	if s.Thread.Session != "" {
		s.Agent.removedSessions[s.Thread.Session] = true
	}
	w.sessions = slices.Delete(slices.Clone(w.sessions), i, i+1)
	if len(s.Agent.Sessions()) == 0 { // the agent has nothing left to do
		s.Agent.forget()
		w.end(s.Agent.conn)
	}
	for _, other := range w.sessions {
		if other.from == s {
			other.from = s.from
		}
	}
	if w.front == s {
		next := w.sessions[max(0, i-1)]
		if slices.Contains(w.sessions, s.from) {
			next = s.from
		}
		w.Show(next)
	}
	w.tell(SessionRemoved{OfSession{s}})
}

// has reports whether a session is open.
func (w *Workspace) has(s *Session) bool { return slices.Contains(w.sessions, s) }
