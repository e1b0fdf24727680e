package workspace

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/undo"
	"parley/permissions"
)

// Spec describes an agent and how to start it.
type Spec struct {
	Name       string // what the user types, or the program of a typed command
	About      string // what it is and whose, such as "Claude Code · Anthropic"
	Command    string // the exact command, or the URL, for reading
	Where      string // where it was found: "on PATH", "through npx", …
	Section    string
	Custom     bool        // a command that the user typed; Name is only a handle
	Remote     bool        // it is connected to, not started
	Shared     bool        // a remote agent that gets files of this machine
	Access     string      // what it gets of this machine, if that is not the usual
	Warning    string      // always shown, such as that the server was not verified
	Tour       [][2]string // what to type first, and what it shows
	Missing    string      // how to install it; if not empty, it cannot be started
	NeedsLogin bool        // it required a login when it was started last

	// Dir is the directory in which it works, and Branch the git branch there, if Dir is not
	// Options.Cwd.
	Dir, Branch string

	// NewSession says that its first session is a new one, even if the user asked for another.
	NewSession bool

	// Model is the model of its first session, as the agent names it; "" is the agent's default.
	Model string

	// Reported is the name that the agent reports, safe to show; "" until it is known.
	Reported string

	// Env is added to the agent's environment: values that the user typed for a login.
	// They are kept only in the memory of this process.
	Env Variables
}

// DisplayName returns the agent's name for display: the name that the user chose or, for a
// typed command, the name that the agent reports, once that is known.
func (s Spec) DisplayName() string {
	if s.Custom {
		return cmp.Or(s.Reported, s.Name)
	}
	return s.Name
}

// Key identifies the agent. Name does not: agents run by the same program, such as node,
// or served by the same host share it.
func (s Spec) Key() string {
	if s.Custom || s.Remote {
		return s.Command
	}
	return s.Name
}

// Variables are environment variables that the user typed for an agent. They are meant
// for its process alone and do not print.
type Variables map[string]string

// String hides the values.
func (Variables) String() string { return "[redacted]" }

// GoString hides the values from %#v.
func (Variables) GoString() string { return "[redacted]" }

// Command is a program that gets the terminal, such as an exec.Cmd.
type Command interface {
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
	Run() error
}

// LoginCommand is the program of a login.
type LoginCommand struct {
	Command
	LastLines func() []string // that it wrote, safe to show
}

// AgentLogin is a login command that an agent names, ready to run. Its texts are
// verbatim.
type AgentLogin struct {
	Command LoginCommand
	Line    string // as one would type it in a shell, with the variables it sets
	Program string // the file that is run
	Dir     string // its working directory
}

// ErrTakenBack is the error of the Command that Attach returns if the user took the keyboard back and the
// command continues without it.
var ErrTakenBack = errors.New("you took the keyboard back")

// Connection is a started agent with its first session.
type Connection struct {
	Machine
	Client   *acpclient.Client
	Session  *acpclient.Session   // nil if the agent requires a login first
	Template acpclient.NewSession // parameters of further sessions
	Note     string               // how the session was found, if the user should know; safe to show
	Broker   *permissions.Broker
	Record   string // path of the connection's log, "" if none is kept

	sideSessions sideSessions
}

// Machine is what parley has on this machine for a connected agent. It is an interface because a workspace
// neither starts programs nor writes files: package cli does, with everything that takes.
type Machine interface {
	// Open opens the first session as the user asked for it, after a login.
	Open(ctx context.Context) (*acpclient.Session, error)
	// AddRule writes a rule into the user's file, whose path it returns, and applies it
	// at once. It is called in a task.
	AddRule(session string, r permissions.Rule) (where string, err error)
	// LastAsked returns at most 50 of the last questions to the user, as facts that rules
	// can judge in a session. It waits for the disk.
	LastAsked(session string) []permissions.Facts
	// Journal returns the record of what the agent changes in a session. It is nil if changes are not
	// recorded.
	Journal(session string) Journal
	// KillTerminal ends a command that parley runs for the agent. It may take seconds.
	KillTerminal(session, id string) error
	// Attended reports whether a command that parley runs for the agent has its own
	// terminal. TakeOver restarts one that has none with a terminal, which may take
	// seconds. Attach returns a Command that gives it the user's terminal: it returns nil
	// when the command ends, or ErrTakenBack; line is the command's name for display.
	Attended(session, id string) bool
	TakeOver(session, id string) error
	Attach(session, id, line string) Command
	// Messages returns the messages that made an item of a session: those of the agent
	// in the spans, and the request with that id and its response. It may be called after
	// Close.
	Messages(ctx context.Context, session string, spans []event.Span, request int64) ([]Message, error)
	// HideLog leaves a session, which answers side questions, out of the list of logs.
	HideLog(session string)
	// Close ends the agent and everything started for it. It may take seconds.
	Close()
}

// Journal is the record of what an agent changes in one session. All of its methods but Turn wait for the
// disk; any goroutine may call them. Once the session is closed, there are no changes, and nothing can be
// done to them.
type Journal interface {
	// Turn is called when a turn starts and when it ends. It returns the turn's number, 0 if it is not
	// tracked.
	Turn(begins bool) int
	// Changes returns what the agent changed, turn by turn.
	Changes() []undo.Change
	// Since combines the changes of a turn and all later ones, with each file once.
	Since(first int) []undo.Change
	// Texts returns the content of a file before and after a change, if both are known and text.
	Texts(c undo.Change) (before, after string, ok bool)
	// Preview says what Undo would do.
	Preview(ctx context.Context, changes []undo.Change) []undo.Result
	Undo(ctx context.Context, changes []undo.Change) []undo.Result
	Redo(ctx context.Context, changes []undo.Change) []undo.Result
	// Rewrite undoes a part of a change: it replaces the content that the change left.
	Rewrite(ctx context.Context, c undo.Change, content string) error
	// Stage adds a change to git's index: all of it, or the part that would leave content.
	Stage(ctx context.Context, c undo.Change, content *string) error
	// NotRecorded returns what is not recorded and why, as sentences without their full stops, safe to
	// show.
	NotRecorded() []string
}

// Message is one JSON-RPC message as it was logged: not safe to show.
type Message struct {
	At            time.Time
	Out           bool // parley sent it
	JSON          []byte
	CutBytes      int // bytes that are missing at the end
	OmittedBefore int // messages before this one that were left out
}

// Logged is a session in parley's logs. Agent is the name it was started by, Session its
// id, verbatim. Title is safe to show.
type Logged struct {
	Agent, Session, Cwd, Title string
	Command                    string // that started the agent, as it was logged: not safe to show
	First                      string // how the first prompt begins
	Name                       string // of the agent for display; "" means Agent
	Dir                        string // Cwd, verbatim
	Updated                    time.Time
	Prompts                    int
	Here                       bool // its directory is Options.Cwd
	Run                        bool // parley run made it, and no chat has opened it
	// MatchAgent reports whether it is a session of an agent; if nil, the agent's name decides.
	MatchAgent func(Spec) bool
	// Replay posts the events of the log and returns after the last. Messages is like
	// Machine.Messages.
	Replay   func(ctx context.Context, sink event.Sink) error
	Messages Lookup
	// Search looks for lower-case words in the prompts and answers, in at most that many bytes of
	// the logs. It returns the newest text around each word that it found, safe to show, and how
	// many bytes it read. If it is nil, the session cannot be searched.
	Search func(ctx context.Context, words []string, most int64) (found map[string]string, read int64)
}

// DisplayName returns the agent's name for display.
func (g Logged) DisplayName() string { return cmp.Or(g.Name, g.Agent) }

// OfAgent reports whether it is a session of an agent.
func (g Logged) OfAgent(s Spec) bool {
	if g.MatchAgent != nil {
		return g.MatchAgent(s)
	}
	return g.Agent == s.Name
}
