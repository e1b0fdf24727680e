package acpclient

import (
	"strings"
	"time"
)

// Event is something that happened on a connection. Events of one session come
// in the order of the wire; see Sink. All text in an event has been made safe
// for a terminal, whoever sent it.
type Event interface {
	// EventSession is the session it belongs to, "" for the connection's own.
	EventSession() string
}

// Sink takes events. Post is called from the reader goroutine and others; it
// must not block and must not drop.
type Sink interface{ Post(Event) }

// Bounded is a Sink that says when too much waits in it: Hold is told the size
// of every message, in bytes, before its events are posted. After false the
// connection ends with ErrUntaken. Reader goroutine.
type Bounded interface {
	Sink
	Hold(n int) bool
}

// For is embedded in the events of a session.
type For struct {
	Session string
	// Wire is the received message that caused the event, or the messages, where
	// a Queue has joined several events: then others may lie between. It is zero
	// where no received message caused it, or where that is not known.
	Wire Span
}

// EventSession implements Event.
func (f For) EventSession() string { return f.Session }

// Span is received messages of one connection by their ordinals, which count from
// 1: one for each line, a batch is one. The zero Span is none.
type Span struct{ First, Last uint64 }

// Join is the span that begins with the first of the two and ends with the last.
func (s Span) Join(o Span) Span {
	switch {
	case s.First == 0:
		return o
	case o.First == 0:
		return s
	}
	return Span{min(s.First, o.First), max(s.Last, o.Last)}
}

// Role says whose words a message is.
type Role int

// The roles of messages.
const (
	Agent Role = iota
	User
	Thought
)

// TextArrived appends text to a message (…_message_chunk, agent_thought_chunk).
// MessageID may be "": then the text goes to the last message of that role, if
// nothing else came between.
type TextArrived struct {
	For
	Role      Role
	MessageID string
	Text      string
	At        time.Time // of thoughts only; zero otherwise
	Until     time.Time // when the last piece came, where a Queue has joined several
}

// ContentArrived appends something that is not text to a message.
type ContentArrived struct {
	For
	Role      Role
	MessageID string
	Content   Content
}

// Content is a block that is not shown as running text, or text inside a tool
// call. Data of images and sounds is not kept, only its size.
type Content struct {
	Kind     ContentKind
	Text     string // of Text, Resource (its text) and Unknown (its JSON)
	Name     string
	URI      string
	MimeType string
	Bytes    int // size of the data, of images, audio and binary resources
}

// ContentKind is the type of a content block.
type ContentKind int

// The content blocks of ACP.
const (
	TextContent ContentKind = iota
	ImageContent
	AudioContent
	LinkContent
	ResourceContent
	UnknownContent
)

// ToolChanged creates or changes a tool call (tool_call, tool_call_update, the
// toolCall of a permission request). Nil means unchanged.
type ToolChanged struct {
	For
	ID                  string
	Title, Name, Kind   *string
	Status              *string
	Content             *[]ToolContent
	AppendContent       []ToolContent // v2: behind what is there
	Locations           *[]Location
	RawInput, RawOutput *string // JSON
	Cancelable          *bool   // v2: Session.CancelTool may be used, now
	Forbidden           bool    // it has ended, and the user's rules deny what it did
	At                  time.Time
	Until               time.Time // when the last came, where a Queue has joined several
}

// bare tells whether it says nothing but that the call goes on.
func (e *ToolChanged) bare() bool {
	return e.Title == nil && e.Name == nil && e.Kind == nil && e.Status == nil && e.Content == nil && e.AppendContent == nil &&
		e.Locations == nil && e.RawInput == nil && e.RawOutput == nil && e.Cancelable == nil
}

// ToolContent is one piece of a tool call's content: exactly one of the fields
// is set.
type ToolContent struct {
	Content  *Content
	Diff     *Diff
	Terminal string // id
	Changes  *Changes
}

// Changes is the diff of v2: Files says what happens to which file and is the
// whole truth, Patch may show it, or a part of it. A Patch of another format
// than "git_patch" is text.
type Changes struct {
	Files              []FileChange
	PatchFormat, Patch string // both "" where there is none
}

// FileChange is one file of Changes. Operation: add, delete, modify, move, copy,
// or something newer. FileType: text, binary, directory, symlink, or "".
type FileChange struct {
	Operation, Path, OldPath, FileType string
}

// Diff is a change of a file as the agent tells it. Old need not be the whole
// file, and a missing Old does not prove that the file is new.
type Diff struct {
	Path       string
	Old, New   string
	OldMissing bool
	Deleted    bool
	Place      *Place // nil: nobody could look
}

// Place is where in its file a Diff is.
type Place struct {
	First         int    // lines of the file before Before; -1: the texts are a part of it, and it is not known which
	Before, After string // what the file holds around the texts: a few lines, the first and the last of them whole
}

// Texts are the old and the new text as they are to be compared, and how many lines of
// the file come before them: -1 where that is not known. Agents that send a part of a
// file cut it wherever they like, so the file's own lines around it are added.
func (d *Diff) Texts() (before, after string, first int) {
	p := d.Place
	switch {
	case p != nil && p.First >= 0:
		return p.Before + d.Old + p.After, p.Before + d.New + p.After, p.First
	case d.Old != "" && d.New != "" && !strings.HasSuffix(d.Old, "\n") && !strings.HasSuffix(d.New, "\n"): // hardly whole files
		return d.Old + "\n", d.New + "\n", -1
	case p != nil:
		return d.Old, d.New, -1
	}
	return d.Old, d.New, 0
}

// Location is a place in a file; Line is 1-based, 0 when not given.
type Location struct {
	Path string
	Line int
}

// PlanChanged replaces a plan, which is steps or a text; neither clears it.
type PlanChanged struct {
	For
	PlanID   string // "" in v1, which has one
	Entries  []PlanEntry
	Markdown string
}

// PlanEntry is a step of a plan. Status: pending, in_progress, completed, or
// something newer.
type PlanEntry struct{ Content, Priority, Status string }

// CommandsChanged replaces the agent's slash commands.
type CommandsChanged struct {
	For
	Commands []Command
}

// Command is a slash command; Name is without the slash.
type Command struct{ Name, Description, Hint string }

// ModesOffered says what a new session can be switched between.
type ModesOffered struct {
	For
	Current   string
	Available []Choice
}

// ModeChanged says that the session's mode is another one now.
type ModeChanged struct {
	For
	ModeID string
}

// ModelChanged says that the legacy option LegacyModels has another value.
type ModelChanged struct {
	For
	ModelID string
}

// HistoryBegan says that what comes next for the session has happened before.
type HistoryBegan struct{ For }

// HistoryEnded ends the replay; with Err it is incomplete and the session is not
// open.
type HistoryEnded struct {
	For
	Err error
}

// ConfigChanged replaces the session's options.
type ConfigChanged struct {
	For
	Options []ConfigOption
}

// ConfigOption is a setting of a session. Category "mode" and "model" are what
// they say; others are hints.
type ConfigOption struct {
	ID, Name, Category, Type string
	Current                  string
	Choices                  []Choice
}

// Choice is one value that a mode, a model or an option can have. Group is what
// the choices around it are called together, "" for nothing.
type Choice struct{ ID, Name, Description, Group string }

// SessionInfoChanged changes what is known of a session: nil is unchanged, an
// empty title clears it.
type SessionInfoChanged struct {
	For
	Title *string
}

// UsageChanged tells the state of the context window in tokens. Size may be 0,
// Used may exceed it. Cost is cumulative; Currency "" means that none is known.
type UsageChanged struct {
	For
	Used, Size uint64
	Cost       float64
	Currency   string
	NoCost     bool // v2: what was known of the cost is no longer true
}

// NoticeArrived is for the user, now; it is not part of the history. Terminal is
// that of a command which waits for the user, who can take it over; "" for others.
type NoticeArrived struct {
	For
	Severity, Title, Description string
	Terminal                     string
}

// SubagentChanged creates or changes what a session says of one that it has begun
// itself, which ID names. Nil means unchanged, an empty State that it is not known.
// StopReason is how an idle one stopped.
type SubagentChanged struct {
	For
	ID                        string
	Title, Description, State *string
	StopReason                string
}

// CompactionChanged creates or changes one compaction of the context.
type CompactionChanged struct {
	For
	ID, Status string
	Summary    *string // replaces; nil unchanged
	Append     string  // appends
	Error      *string
}

// TerminalStarted announces a terminal: one that the agent had parley start, or
// one of the agent's own (Foreign). Attended: the user has asked for its keyboard,
// which the front end attaches now.
type TerminalStarted struct {
	For
	ID, Command, Cwd  string
	Foreign, Attended bool
}

// TerminalOutput carries more raw bytes of a terminal, control sequences and
// all: only an emulator may show them. Cut says that bytes before these were
// left out because nobody took them in time.
type TerminalOutput struct {
	For
	ID   string
	Data []byte
	Cut  bool
}

// TerminalExited says that the terminal's command has ended. Code is nil when
// a signal ended it, or when it is not known.
type TerminalExited struct {
	For
	ID      string
	Code    *int
	Signal  string
	Cleared bool // v2: it has not ended after all, or nobody knows
}

// FileWritten says that parley wrote a file for the agent.
type FileWritten struct {
	For
	Path           string
	Added, Removed int // lines
	Created        bool
}

// PermissionAsked says that a question waits for an answer. The question itself
// is the front end's business.
type PermissionAsked struct {
	For
	Key    uint64
	ToolID string
	At     time.Time
}

// PermissionSettled says what became of it. Allowed is what the answer meant.
type PermissionSettled struct {
	For
	Key      uint64
	ToolID   string
	Subject  string // what it was about, one line
	Decision string // the option's name, or "cancelled"
	Allowed  bool
	By       string // "you", "a rule", …; "" when cancelled
	At       time.Time
}

// TurnStarted says that a prompt went out.
type TurnStarted struct {
	For
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt; 0 with Told
	// Told is of v2: the prompts are told by events of their own (PromptHeld,
	// and the user's messages as the agent has them), and the turn may be the
	// agent's own idea.
	Told bool
}

// TurnCancelled says that the user stopped the turn; it ends with TurnEnded.
type TurnCancelled struct{ For }

// TurnEnded ends a turn: with a stop reason of ACP, or with an error.
type TurnEnded struct {
	For
	StopReason string
	Err        error
	At         time.Time
}

// UnknownArrived is an update of a kind that parley does not know, as JSON.
type UnknownArrived struct {
	For
	Kind, JSON string
}

// Disconnected ends the connection and all of its sessions.
type Disconnected struct{ Err error }

// EventSession implements Event.
func (Disconnected) EventSession() string { return "" }
