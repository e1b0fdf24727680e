package workspace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/permissions"
)

// Spec says which agent to start, and how.
type Spec struct {
	Name    string // what the user types
	Title   string
	Command string // the exact command, or the URL, for reading
	Where   string // where it was found: "on PATH", "through npx", …
	Section string
	Custom  bool   // a command that the user typed: Name is only a handle
	Remote  bool   // it is connected to, not started
	Shared  bool   // of a remote one: it gets files of this machine
	Gets    string // what it gets of this machine, where that is not the usual
	Warning string // shown all the time, such as that the server was not verified
	Missing string // how to install it; where it is not "", it cannot be started

	// Env is what the user has typed for a login of this agent: more for its
	// environment. It is kept in the memory of this process only.
	Env Variables
}

// Called is what the agent is called: the name that the user chose it by, or what it
// calls itself where the user only typed a command.
func (s Spec) Called() string {
	if s.Custom {
		return s.Title
	}
	return s.Name
}

// Key tells the agent from all others. Programs that run many, such as node, and hosts
// that serve many give them the same Name.
func (s Spec) Key() string {
	if s.Custom || s.Remote {
		return s.Command
	}
	return s.Name
}

// Variables are values that the user typed for the environment of an agent. They are
// for its process alone and do not print.
type Variables map[string]string

// String keeps the values out of whatever is printed.
func (Variables) String() string { return "[redacted]" }

// GoString does so for %#v.
func (Variables) GoString() string { return "[redacted]" }

// Command is a program that is given the terminal; an exec.Cmd is one.
type Command interface {
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
	Run() error
}

// AskedLogin is a command that an agent names for a login, ready to run. The texts
// are verbatim.
type AskedLogin struct {
	Command Command
	Line    string // as one would type it in a shell, with the variables it sets
	Program string // the file that is run
	Dir     string // where
}

// ErrTakenBack is how Connection.Attach's command ends when the user has taken the
// keyboard back and the command continues without it.
var ErrTakenBack = errors.New("you took the keyboard back")

// Connection is a started agent with its first session.
type Connection struct {
	Client   *acpclient.Client
	Session  *acpclient.Session   // nil when the agent wants a login first
	Template acpclient.NewSession // what further sessions are opened with
	Note     string               // how the session was found, where the user should know; safe to show
	// Open opens the first session, as the user asked for it: it is called after a
	// login, where there was none yet.
	Open   func(ctx context.Context) (*acpclient.Session, error)
	Broker *permissions.Broker
	// AddRule writes a rule into the user's file and has it count at once; where says
	// which file that is. It is called in a task. nil: rules cannot be made.
	AddRule func(session string, r permissions.Rule) (where string, err error)
	// LastAsked are the last questions that were put to the user, as facts that rules
	// can judge in a session; at most 50. nil: they are not remembered.
	LastAsked func(session string) []permissions.Facts
	// Turn is told when a turn begins and when it is over; it returns its number in
	// Changes at once, 0 where it is not watched. nil: changes are not watched.
	Turn func(session string, begins bool) int
	// Changes are what the agent has changed in a session, turn by turn, and together:
	// a file that several turns have changed is there once; Texts what a file held
	// before and after one, where that is known; PutBack undoes some, or with try says
	// only what would come of it; DoAgain does some again that were undone. They wait
	// for the disk.
	Changes func(session string) (turns, together []FileChange)
	Texts   func(session string, c FileChange) (before, after string, ok bool)
	PutBack func(ctx context.Context, session string, changes []FileChange, try bool) []PutBack
	DoAgain func(ctx context.Context, session string, changes []FileChange) []PutBack
	// KillTerminal ends a command that parley runs for the agent. It may take seconds.
	KillTerminal func(session, id string) error
	// Attended tells whether a command that parley runs for the agent has a terminal of
	// its own already; TakeOver runs one that has not again from the beginning, with
	// one, and may take seconds. Attach gives it the user's terminal, as a command that
	// ends with nil when that command does, and with ErrTakenBack; line is what to call
	// it. nil: commands cannot have the user's keyboard.
	Attended func(session, id string) bool
	TakeOver func(session, id string) error
	Attach   func(session, id, line string) Command
	// Messages returns the messages that made an item of a session: those of the agent
	// in the spans, and the request of that id with its answer. It may be called after
	// Close. nil where no log is kept.
	Messages func(ctx context.Context, session string, spans []event.Span, request int64) ([]Message, error)
	// Record is the file with what is said on the connection; "" where there is none.
	Record string
	// Close ends the agent and everything started for it. It may take seconds.
	Close func()
}

// FileChange is what has become of one file, in a turn or over several.
type FileChange struct {
	Path   string // absolute, raw
	Kind   string // created, changed, deleted, mode
	By     string // how it came about, in words
	Turn   int    // counts those of the session
	Disk   bool   // it was not parley alone that wrote it
	Why    string // why it cannot be put back; "" where it can
	Undone bool
	Handle any // of the journal that made it
}

// PutBack is what came of putting a change back.
type PutBack struct {
	Change FileChange
	Err    error
}

// Message is one JSON-RPC message as it was logged: not safe to show.
type Message struct {
	At     time.Time
	Out    bool // parley sent it
	JSON   []byte
	Cut    int // bytes that are missing at the end
	Before int // messages that were too many, and left out before this one
}

// Logged is a session that parley has a log of. Agent is the name it was started by;
// Session its id, verbatim; Title is safe to show.
type Logged struct {
	Agent, Session, Cwd, Title string
	First                      string // how the first prompt begins
	Name                       string // of the agent, for reading; "": Agent
	Dir                        string // Cwd, verbatim
	Updated                    time.Time
	Prompts                    int
	// Of tells whether it is a session of an agent; nil: those of its name are.
	Of func(Spec) bool
	// Replay posts what happened in it and returns when that is all. Messages returns
	// messages that made an item, as Connection.Messages does.
	Replay   func(ctx context.Context, sink event.Sink) error
	Messages func(ctx context.Context, spans []event.Span, request int64) ([]Message, error)
}

// Called is what its agent is called.
func (g Logged) Called() string { return cmp.Or(g.Name, g.Agent) }

// OfAgent tells whether it is a session of an agent.
func (g Logged) OfAgent(s Spec) bool {
	if g.Of != nil {
		return g.Of(s)
	}
	return g.Agent == s.Name
}
