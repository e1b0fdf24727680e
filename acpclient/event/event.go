// Package event is what the engine says: the events of a connection, the queue
// in which they wait for a front end, the log beside them, and the errors that
// they carry. Whoever only listens needs nothing else of the engine.
//
// The engine posts to the Sink of its options: what the agent sends from the
// reader goroutine of the connection, what the user does from the goroutine of
// the caller. Services that work for the agent post to the same Sink. One
// goroutine of the front end takes: it waits for Queue.Ready and calls
// Queue.Take, which returns everything that waits.
//
// Events of one session come in the order of the messages that caused them, and
// TurnEnded after every update of its turn. Sessions have no order between them.
//
// Nothing is dropped but the oldest output of a terminal, which then says so. A
// Queue joins neighbouring pieces of one text, terminal or tool call; when the
// messages that nobody has taken exceed its bound, the connection ends with
// ErrUntaken.
package event

import (
	"strconv"
	"time"

	"parley/internal/safetext"
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

// LegacyModels is the id of the option for the models member that
// older agents have instead of an option; no agent calls one of its own that.
const LegacyModels = "parley/models"

// Choice is one value that a mode, a model or an option can have. Group is what
// the choices around it are called together, "" for nothing.
type Choice struct{ ID, Name, Description, Group string }

// NameOf is what the choice with an id is called: by its name, or else by the id.
func NameOf(id string, choices []Choice) string {
	for _, ch := range choices {
		if ch.ID == id && ch.Name != "" {
			return ch.Name
		}
	}
	return safetext.Line(id, 30) // an id is the agent's own and not safe as it is
}

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

// PermissionRequested says that the agent, or parley itself, has asked for something:
// where in the conversation, about which tool call, and when. It is for the record,
// and comes of every question, those that a rule answers at once among them. What a
// user is to answer reaches the front end from whoever asks it (permissions.Asked).
type PermissionRequested struct {
	For
	Key    uint64
	ToolID string
	At     time.Time
}

// PermissionAnswered says what became of it, for the record, too. Allowed is what the
// answer meant.
type PermissionAnswered struct {
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

// LogGap says that a log from which a conversation is replayed lacks something
// here. It is posted by nobody but a Replay.
type LogGap struct {
	For
	Missing int  // messages; 0 where their number is not known
	Full    bool // the log came to its limit: the rest is missing
}

// String is a sentence for the user.
func (g LogGap) String() string {
	switch {
	case g.Full:
		return "the log was full: what followed is not in it"
	case g.Missing == 1:
		return "a message is missing from the log here"
	case g.Missing > 0:
		return strconv.Itoa(g.Missing) + " messages are missing from the log here"
	}
	return "something is missing from the log here"
}

// Disconnected ends the connection and all of its sessions.
type Disconnected struct{ Err error }

// EventSession implements Event.
func (Disconnected) EventSession() string { return "" }
