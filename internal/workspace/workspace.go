// Package workspace is everything that is open, for the screen and the chat in lines: the agents
// (connect, log in, lose, retry, reopen) and their sessions (thread, queue of
// prompts, what waits for the user). It draws nothing and knows no terminal.
//
// A Workspace is plain state on the goroutine of its front end. A method takes what
// the user wants. Work that may block becomes a Task, which the front end takes with
// Tasks and runs on a goroutine of its own; what a task returns goes back through
// Done. What has happened meanwhile is News, in order. So after every call the front
// end runs the tasks and tells the news, and that is all that joins the two.
//
// The answer to a request that was sent to an agent passes the agent's queue of
// events: it comes after every event that preceded it.
package workspace

import (
	"context"
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/internal/template"
)

// Task is work that may block. It is run once, on a goroutine of its own; what it
// returns, if anything, is handed to Workspace.Done.
type Task func() Result

// Result is what a Task has brought.
type Result interface {
	// arrive takes the result, and tells whether more of it is left.
	arrive(w *Workspace) (more bool)
}

// after is a result that is a function, called on the front end's goroutine.
type after func()

func (f after) arrive(*Workspace) bool { f(); return false }

// Options of a workspace. The functions may be called on any goroutine.
type Options struct {
	Agents []Spec // those that are known by name
	// Connect starts an agent, or connects to it, and opens a session. It gives up
	// when ctx ends. When the agent wants a login first, it returns that error
	// together with a connection without a session.
	Connect func(ctx context.Context, s Spec, sink event.Sink, log *event.Log) (*Connection, error)
	// Redial connects again to an agent that runs elsewhere, and opens no session.
	// nil: what is lost stays lost.
	Redial func(ctx context.Context, s Spec, sink event.Sink, log *event.Log) (*Connection, error)
	// AskedLogin prepares a command that an agent names itself for a login; it looks
	// the program up and runs nothing. nil: there are no such logins.
	AskedLogin func(s Spec, c event.AuthCommand) (AskedLogin, error)
	// LoginCommand is the program of a login of type "terminal". nil: there are none.
	LoginCommand func(s Spec, method event.AuthMethod) Command
	// Logs lists the sessions that there are logs of, the newest first. nil: none.
	Logs func() ([]Logged, error)

	// Expand returns what reads the files and images that a prompt mentions; nil for
	// a prompt that is plain text. It is called on the front end's goroutine, and what
	// it returns on a task's.
	Expand func(s *Session, text string) func(ctx context.Context) (blocks []event.Block, notes []string)
	// TextOf is the text of a prompt that came back, as it was typed. nil: what of it
	// is text.
	TextOf func(blocks []event.Block) string

	// CountLines counts the lines of a change. nil: they are not counted.
	CountLines func(c FileChange, before, after string) (added, removed int)

	Templates []template.Template // prompts that slash commands stand for

	Cwd    string
	Prompt string        // is sent in the first session, as soon as it is open
	Resume string        // the id or the title of the session that the first connection opens
	Pace   time.Duration // the least time between two batches of events of an agent
	Now    func() time.Time
}

// Workspace is everything that is open. It belongs to one goroutine.
type Workspace struct {
	opts        Options
	sessions    []*Session
	front       *Session
	tasks       []Task
	news        []News
	conns       *connections
	credentials map[string]credentials // by the name of the agent
	logs        []Logged
	ending      bool
	shown       map[string]bool // uses of projects' templates whose text was shown
}

// New returns a workspace with one session that is not open, in front.
func New(opts Options) *Workspace {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	w := &Workspace{opts: opts, conns: newConnections(), credentials: map[string]credentials{}, shown: map[string]bool{}}
	w.front = newSession(w, newAgent(w))
	if opts.Prompt != "" {
		w.front.Enqueue(opts.Prompt)
	}
	w.sessions = []*Session{w.front}
	return w
}

// Tasks takes the tasks that are to be run.
func (w *Workspace) Tasks() []Task {
	tasks := w.tasks
	w.tasks = nil
	return tasks
}

// TakeNews takes the oldest piece of news; false when there is none.
func (w *Workspace) TakeNews() (News, bool) {
	if len(w.news) == 0 {
		return nil, false
	}
	n := w.news[0]
	w.news = w.news[1:]
	return n, true
}

// Done takes the result of a task. A batch of events is taken one event at a time:
// true asks for another call with the same result, now or soon.
func (w *Workspace) Done(r Result) (more bool) { return r.arrive(w) }

func (w *Workspace) begin(t Task)    { w.tasks = append(w.tasks, t) }
func (w *Workspace) tell(n News)     { w.news = append(w.news, n) }
func (w *Workspace) say(line string) { w.tell(Said{w.front, line}) }

// Context ends when the workspace is closed.
func (w *Workspace) Context() context.Context { return w.conns.ctx }

// Sessions are the open ones, of all agents, in the order in which they were opened.
// The caller must not change the slice.
func (w *Workspace) Sessions() []*Session { return w.sessions }

// Front is the session that the user is at.
func (w *Workspace) Front() *Session { return w.front }

// Show makes a session the one that the user is at.
func (w *Workspace) Show(s *Session) {
	w.front = s
	w.tell(Shown{s})
}

// Agents are those of the open sessions, each once, in the order of the sessions.
func (w *Workspace) Agents() []*Agent {
	var out []*Agent
	for _, s := range w.sessions {
		if !slices.Contains(out, s.Agent) {
			out = append(out, s.Agent)
		}
	}
	return out
}

// Names are those of the agents that were started.
func (w *Workspace) Names() (names []string) {
	for _, a := range w.Agents() {
		if a.Spec.Name != "" {
			names = append(names, a.Name())
		}
	}
	return names
}

// Records are the files with what is said on the connections that there are.
func (w *Workspace) Records() (files []string) {
	for _, a := range w.Agents() {
		if a.conn != nil && a.conn.Record != "" {
			files = append(files, a.conn.Record)
		}
	}
	return files
}

// Spec is the agent of that name.
func (w *Workspace) Spec(name string) Spec {
	for _, s := range w.opts.Agents {
		if s.Name == name {
			return s
		}
	}
	return Spec{Name: name}
}

// Logs are the sessions that there are logs of, as they were listed last.
func (w *Workspace) Logs() []Logged { return w.logs }

// End notes that the workspace is about to be closed: what a task brings is ignored.
func (w *Workspace) End() { w.ending = true }

// Close gives up what is being started, ends every agent, and waits until all of it
// is gone. It may be called on any goroutine.
func (w *Workspace) Close() { w.conns.endAll() }

// end closes a connection that is no longer needed.
func (w *Workspace) end(conn *Connection) {
	if conn != nil {
		w.begin(func() Result { w.conns.end(conn); return nil })
	}
}

// add opens a session, at which the user is from now on.
func (w *Workspace) add(a *Agent) *Session {
	s := newSession(w, a)
	s.from = w.front
	w.sessions = append(w.sessions, s)
	w.Show(s)
	return s
}

// Remove takes a session away and shows the one that it was opened from, or else the
// one before it. Its agent ends with its last session. The last one of all stays.
func (w *Workspace) Remove(s *Session) {
	i := slices.Index(w.sessions, s)
	if i < 0 || len(w.sessions) == 1 {
		return
	}
	s.requeue()
	s.offerHeld()
	paused := s.Paused || len(s.refused) > 0
	s.requeueRefused()
	s.Paused = paused
	if s.Thread.Session != "" {
		s.Agent.gone[s.Thread.Session] = true
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
	w.tell(Removed{s})
}

// has tells whether a session is open.
func (w *Workspace) has(s *Session) bool { return slices.Contains(w.sessions, s) }
