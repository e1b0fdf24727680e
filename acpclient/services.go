package acpclient

import (
	"context"

	"parley/acpclient/event"
	"parley/acpclient/wire"
)

// FS serves fs/read_text_file and fs/write_text_file. The methods are called
// on the reader goroutine in the order of the wire and return at once; what
// they return does the work, on a goroutine of its own.
//
// An error that is fs.ErrNotExist, fs.ErrInvalid or fs.ErrPermission reaches
// the agent under its own code; see errorCode.
type FS interface {
	ReadTextFile(wire.ReadTextFileRequest) func(context.Context) (string, error)
	WriteTextFile(wire.WriteTextFileRequest) func(context.Context) error
}

// Terminals serves terminal/*. Create follows the same rule as FS; the others
// are called on a goroutine of their own.
type Terminals interface {
	Create(wire.CreateTerminalRequest) func(context.Context) (id string, err error)
	Output(wire.TerminalRef) (wire.TerminalOutputResponse, error)
	WaitForExit(context.Context, wire.TerminalRef) (wire.ExitStatus, error)
	Kill(wire.TerminalRef) error
	Release(wire.TerminalRef) error
}

// SpanOf is the message that asked for some work, by the context that FS and
// Terminals are given with it: for events of the service's own.
func SpanOf(ctx context.Context) event.Span {
	asked, _ := ctx.Value(spanKey{}).(event.Span)
	return asked
}

type spanKey struct{}

// Permissions answers session/request_permission.
type Permissions interface {
	// Ask takes a question on the reader goroutine, in the order of the wire,
	// and returns at once.
	Ask(Question) Asked
	// CancelSession ends every open question of the session as cancelled.
	CancelSession(session string)
}

// Sessions is told which sessions live, so that services can keep their own
// state for them. The methods return at once.
type Sessions interface {
	// OpenSession comes before anything else of that session.
	OpenSession(session string, roots []string) error
	// EndTurn comes when a turn is over: what was allowed in it is no longer.
	EndTurn(session string)
	CloseSession(session string)
}

// Question is session/request_permission as it came: nothing in it has been
// made safe for a terminal yet.
type Question struct {
	Session string
	// Tool is the tool call with everything known of it so far. In v2 it is a
	// copy for reading: Title is the question's, a Description leads its Content,
	// and changes of files are spelled out there as text. A Command is its
	// RawInput; parley never runs it.
	Tool    wire.ToolCall
	Options []wire.PermissionOption

	// Of v2 alone. Subject: tool_call, command, something newer, or "".
	Title, Description, Subject string
	Command, Cwd                string // of the subject command
}

// Asked is a question that waits.
type Asked interface {
	// Key names the question to the front end.
	Key() uint64
	// Wait blocks until it is settled or ctx ends, which cancels it.
	Wait(ctx context.Context) Decision
}

// Decision settles a question.
type Decision struct {
	OptionID  string // valid unless Cancelled
	Cancelled bool
	By        string // who decided: "you", or what rule
	Subject   string // the command or the files that were shown; "": the title of the call
}

// Services are what an agent gets from this machine. A nil FS or Terminals is
// not advertised and not served.
type Services struct {
	FS          FS
	Terminals   Terminals
	Tools       Tools       // of v2 alone; nil: nothing is offered
	Permissions Permissions // nil: every question is answered "cancelled"
	Sessions    Sessions    // may be nil
	// Forbids tells whether the user's rules deny what a tool call did, which has
	// ended. It is called on the reader goroutine and may be nil.
	Forbids func(session string, tool wire.ToolCall) bool
	// Locate finds out where in its file a change is, whose texts are as they came;
	// nil where it cannot look. It is called on the reader goroutine, reads no more
	// than a small file, and may be nil.
	Locate func(session, path, before, after string) *event.Place
}

func (s *Session) endTurn() {
	if told := s.client.opts.Services.Sessions; told != nil {
		told.EndTurn(s.id)
	}
}

// forbids judges a change to a tool call, of which whole is all that is known. Only
// what ended has been done.
func (s *Session) forbids(change, whole wire.ToolCall) bool {
	judge := s.client.opts.Services.Forbids
	return judge != nil && change.Status != nil && final(*change.Status) && judge(s.id, whole)
}
