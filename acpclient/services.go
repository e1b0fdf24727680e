package acpclient

import (
	"context"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/wire"
)

// FS serves fs/read_text_file and fs/write_text_file. The methods are called on the
// reader goroutine in wire order and return at once. The function that they return
// does the work, on a separate goroutine.
//
// The services are interfaces so that the engine knows neither files nor commands: it works without
// them, as in the tests of the protocol.
//
// An error that is fs.ErrNotExist, fs.ErrInvalid or fs.ErrPermission has its own code
// for the agent; see errorCode.
type FS interface {
	ReadTextFile(wire.ReadTextFileRequest) func(context.Context) (string, error)
	WriteTextFile(wire.WriteTextFileRequest) func(context.Context) error
}

// Terminals serves terminal/*. Create works like the methods of FS; the others are
// called on a separate goroutine. It is an interface for the reason of FS.
type Terminals interface {
	Create(wire.CreateTerminalRequest) func(context.Context) (id string, err error)
	Output(wire.TerminalRef) (wire.TerminalOutputResponse, error)
	WaitForExit(context.Context, wire.TerminalRef) (wire.ExitStatus, error)
	Kill(wire.TerminalRef) error
	Release(wire.TerminalRef) error
}

// SpanOf returns the message that requested some work, from the context that FS and
// Terminals get with the work. Services use it for the events that they post.
func SpanOf(ctx context.Context) event.Span {
	asked, _ := ctx.Value(spanKey{}).(event.Span)
	return asked
}

type spanKey struct{}

// Permissions answers session/request_permission.
type Permissions interface {
	// Ask is called on the reader goroutine, in wire order, and returns at once. Judge
	// follows.
	Ask(Question) PendingQuestion
	// CancelSession cancels every open question of the session.
	CancelSession(session string)
}

// Sessions is told which sessions are open, so that services can keep state for them.
// The methods return at once. It is an interface for the reason of FS.
type Sessions interface {
	// OpenSession is called before anything else happens in that session. A resumed one
	// existed before: the agent was asked for it by its id.
	OpenSession(session string, roots []string, resumed bool) error
	// BeginTurn is called before a prompt that begins a turn is sent. The prompt waits until
	// ready is closed, unless that is nil, but at most for PromptDelay.
	BeginTurn(session string) (ready <-chan struct{})
	// EndTurn is called when a turn has ended, and with it what was allowed for the
	// turn.
	EndTurn(session string)
	CloseSession(session string)
}

// Question is a session/request_permission, verbatim: nothing in it is safe for a
// terminal.
type Question struct {
	Session  string
	Subagent string // the title of the sub-agent of the session that asks, safe to show; "" if none does
	// Tool is the tool call with everything known about it. In v2 it is a copy for
	// reading: Title is that of the question, a Description is the first item of
	// Content, and file changes are spelled out as text. A Command is in RawInput;
	// parley never runs it.
	Tool    wire.ToolCall
	Options []wire.PermissionOption

	// In v2 only. Subject: tool_call, command, a newer value, or "".
	Title, Description, Subject string
	Command, Cwd                string // for the subject command
}

// PendingQuestion is an open question.
type PendingQuestion interface {
	// Key identifies the question for the front end.
	Key() uint64
	// Judge decides the question without the user or asks. It may wait for the disk: it is
	// called once, like Services.Forbids.
	Judge()
	// Wait blocks until the question is answered or ctx ends, which cancels it.
	Wait(ctx context.Context) Decision
}

// Decision answers a question.
type Decision struct {
	OptionID  string // valid unless Cancelled
	Cancelled bool
	By        string // who decided: "you", or the rule
	Subject   string // the command or the files that were shown; "": the title of the tool call
}

// Services are what this machine does for an agent. A nil FS or Terminals is not
// advertised and not served.
//
// What may wait for the disk is called on a goroutine of its own, one call at a time and in
// wire order: Forbids, Locate, OldTexts and PendingQuestion.Judge.
type Services struct {
	FS          FS
	Terminals   Terminals
	Tools       Tools       // for v2 only; may be nil
	Permissions Permissions // nil: every question is cancelled
	Sessions    Sessions    // may be nil
	// Forbids reports whether the user's rules deny what a finished tool call did. It may be
	// nil.
	Forbids func(session string, tool wire.ToolCall) bool
	// Names is told what a tool call says, whenever that changes; the call has the fields that
	// changed, and its kind. It is called on the reader goroutine, must not wait for the
	// disk, and may be nil.
	Names func(session string, tool wire.ToolCall)
	// Locate finds the position of a change in its file, nil if it cannot look. The
	// texts are verbatim. It reads no more than a small file, and may be nil.
	Locate func(session, path, before, after string) *event.DiffContext
	// OldTexts returns the content of a tool call that the user is asked about, with the
	// old texts that the agent left out: those of files that would be overwritten. It may be
	// nil.
	OldTexts func(session string, content []wire.ToolContent) []wire.ToolContent
}

// PromptDelay is how long a prompt waits for Sessions.BeginTurn.
const PromptDelay = 100 * time.Millisecond

func (s *Session) beginTurn() (ready <-chan struct{}) {
	if sessions := s.client.opts.Services.Sessions; sessions != nil {
		return sessions.BeginTurn(s.id)
	}
	return nil
}

func (s *Session) endTurn() {
	if sessions := s.client.opts.Services.Sessions; sessions != nil {
		sessions.EndTurn(s.id)
	}
}
