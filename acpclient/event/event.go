// Package event declares what the engine tells front ends: the events of a connection,
// the queue in which they wait, the log, and the errors they carry. A package that
// only listens to the engine needs nothing else of it.
//
// The engine posts to the Sink in its options: what the agent sends from the reader
// goroutine of the connection, what the user does from the caller's goroutine.
// Services that work for the agent post to the same Sink. One goroutine of the front
// end waits for Queue.Ready and calls Queue.Drain, which returns everything that waits.
//
// Events of one session arrive in the order of the messages that caused them, and
// TurnEnded after every update of its turn. There is no order between sessions.
//
// Nothing is dropped except the oldest output of a terminal, which is then marked as
// cut. A Queue joins adjacent pieces of one text, terminal or tool call. When the
// waiting messages exceed its bound, the connection ends with ErrQueueFull.
package event

import (
	"strconv"
	"strings"
	"time"

	"parley/internal/safetext"
)

// Event is something that happened on a connection. Events of one session arrive in wire
// order; see Sink. All text in an event has been made safe for a terminal, whoever sent
// it.
type Event interface {
	// EventSession returns the id of its session, or "" for an event of the connection.
	EventSession() string
}

// Sink receives events. Post is called from the reader goroutine and others; it must not
// block and must not drop events.
type Sink interface{ Post(Event) }

// Bounded is a Sink with a limit. Reserve is called on the reader goroutine with the size
// in bytes of every message, before its events are posted. If it returns false the
// connection ends with ErrQueueFull.
type Bounded interface {
	Sink
	Reserve(n int) bool
}

// For is embedded in the events of a session.
type For struct {
	Session string
	// Wire is the received message that caused the event. If a Queue has joined several
	// events it spans their messages, and messages of others may lie between. It is zero
	// if no received message caused the event or the message is unknown.
	Wire Span
}

// EventSession implements Event.
func (f For) EventSession() string { return f.Session }

// Span is a range of messages received on one connection, by ordinals that count from 1.
// Each line is one message; so is a batch. The zero Span is empty.
type Span struct{ First, Last uint64 }

// Join returns the smallest span that contains both.
func (s Span) Join(o Span) Span {
	switch {
	case s.First == 0:
		return o
	case o.First == 0:
		return s
	}
	return Span{min(s.First, o.First), max(s.Last, o.Last)}
}

// Role says who wrote a message.
type Role int

// The roles of messages.
const (
	Agent Role = iota
	User
	Thought
)

// TextArrived appends text to a message (…_message_chunk, agent_thought_chunk). If
// MessageID is "" the text belongs to the last message of that role, unless something
// else arrived in between.
type TextArrived struct {
	For
	Role      Role
	MessageID string
	Text      string
	Whole     string    // the text that Text is a piece of; "" if it was not cut
	At        time.Time // for thoughts only; zero otherwise
	Until     time.Time // when the last of several joined pieces arrived
}

// ContentArrived appends something that is not text to a message.
type ContentArrived struct {
	For
	Role      Role
	MessageID string
	Content   Content
}

// Content is a block that is not running text, or text inside a tool call. Of images and
// audio only the size is kept.
type Content struct {
	Kind     ContentKind
	Text     string // of TextContent, ResourceContent (its text) and UnknownContent (its JSON)
	Name     string
	URI      string
	MimeType string
	Bytes    int // data size of images, audio and binary resources
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

// PlanChanged replaces a plan with steps or a text. Without either it clears the plan.
type PlanChanged struct {
	For
	PlanID   string // "" in v1, which has one plan
	Entries  []PlanEntry
	Markdown string
}

// PlanEntry is a step of a plan. Status: pending, in_progress, completed, or a newer
// value.
type PlanEntry struct{ Content, Priority, Status string }

// CommandsChanged replaces the agent's slash commands.
type CommandsChanged struct {
	For
	Commands []Command
}

// Command is a slash command; Name is without the slash.
type Command struct{ Name, Description, Hint string }

// ModesOffered lists the modes of a new session.
type ModesOffered struct {
	For
	Current   string
	Available []Choice
}

// ModeChanged says that the session has another mode.
type ModeChanged struct {
	For
	ModeID string
}

// ModelChanged says that the legacy option LegacyModels has another value.
type ModelChanged struct {
	For
	ModelID string
}

// HistoryBegan says that the next events of the session are a replay.
type HistoryBegan struct{ For }

// HistoryEnded ends the replay. With Err the replay is incomplete and the session is not
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

// ConfigOption is a setting of a session. Categories "mode" and "model" have their ACP
// meaning; others are hints.
type ConfigOption struct {
	ID, Name, Category, Type string
	Current                  string
	Choices                  []Choice
}

// LegacyModels is the id of the option made from the models member that older agents
// have instead of an option. No agent uses it for an option.
const LegacyModels = "parley/models"

// Choice is a value that a mode, a model or an option can have. Group is the heading of
// the choices it belongs to, "" for none.
type Choice struct{ ID, Name, Description, Group string }

// NameOf returns the name of the choice with this id, or the id if it has none.
func NameOf(id string, choices []Choice) string {
	for _, ch := range choices {
		if ch.ID == id && ch.Name != "" {
			return ch.Name
		}
	}
	return safetext.Line(id, 30) // ids come from the agent and are not safe to show
}

// SessionInfoChanged changes the session's title. Nil means unchanged, "" clears it.
type SessionInfoChanged struct {
	For
	Title *string
}

// UsageChanged reports the use of the context window in tokens. Size may be 0, Used may
// exceed it. Cost is cumulative; Currency "" means that no cost is known.
type UsageChanged struct {
	For
	Used, Size uint64
	Cost       float64
	Currency   string
	NoCost     bool       // v2: the cost reported before is no longer valid
	Limit      *RateLimit // nil if the agent says nothing new about it
}

// RateLimit is what the agent's account may still use. Status: allowed, allowed_warning, rejected, or a newer
// value; Type names the limit. ResetsAt is zero and Utilization, the share that is used, is 0 if unknown.
type RateLimit struct {
	Status, Type string
	ResetsAt     time.Time
	Utilization  float64
}

// Allows reports whether the agent may still work.
func (l *RateLimit) Allows() bool { return strings.HasPrefix(l.Status, "allowed") }

// NoticeArrived is shown to the user at once and is not part of the history. Terminal is
// the id of a command that waits for the user, who can take it over; "" for other
// notices.
type NoticeArrived struct {
	For
	Severity, Title, Description string
	Terminal                     string
}

// SubagentChanged creates or changes what a session reports about a subagent session
// that it has started, which ID names. Nil means unchanged, an empty State that it is
// unknown. StopReason is why an idle subagent stopped.
type SubagentChanged struct {
	For
	ID                        string
	Title, Description, State *string
	StopReason                string
	Cancelable                *bool // Session.CancelSubagent may be used
	At                        time.Time
}

// SessionMessage creates or changes a message between sessions: one of them is the event's session, the other
// one of its sub-agents or the session that has started it. An empty From or To is unchanged. Text replaces that of
// the message, or is appended.
type SessionMessage struct {
	For
	ID, From, To string
	Text         string
	Replaces     bool
}

// CompactionChanged creates or changes a compaction of the context.
type CompactionChanged struct {
	For
	ID, Status string
	Summary    *string // replaces the summary; nil means unchanged
	Append     string  // appends to the summary
	Error      *string
}

// TerminalStarted announces a terminal: one that parley started for the agent, or one of
// the agent's (Foreign). Attended means that the user has asked for its keyboard and the
// front end connects it now.
type TerminalStarted struct {
	For
	ID, Command, Cwd  string
	Foreign, Attended bool
}

// TerminalOutput appends raw bytes to a terminal, including control sequences; only an
// emulator may show them. Cut means that bytes before these were dropped because they
// waited too long.
type TerminalOutput struct {
	For
	ID   string
	Data []byte
	Cut  bool
}

// TerminalExited says that the terminal's command has ended. Code is nil if a signal
// ended it or the code is unknown.
type TerminalExited struct {
	For
	ID      string
	Code    *int
	Signal  string
	Cleared bool // v2: the earlier exit status is no longer valid
}

// FileWritten says that parley wrote a file for the agent.
type FileWritten struct {
	For
	Path           string
	Added, Removed int // lines
}

// PermissionRequested records that the agent, or parley itself, has asked for
// permission: where in the conversation, about which tool call, and when. It is posted
// for every request, including those that a rule answers at once. Front ends get the
// question to show from permissions.Asked.
type PermissionRequested struct {
	For
	Key    uint64
	ToolID string
	At     time.Time
}

// PermissionAnswered records the answer. Allowed is what the answer meant.
type PermissionAnswered struct {
	For
	Key      uint64
	ToolID   string
	Subject  string // what the request was about, one line
	Decision string // the option's name, or "cancelled"
	Allowed  bool
	By       string // "you", "client: phone", "a rule", …; "" when cancelled
	At       time.Time
}

// ByClient begins PermissionAnswered.By if the user decided at another client, whose name follows.
const ByClient = "client: "

// plainAnswers are options that say no more than whether something was allowed.
var plainAnswers = map[string]bool{"allow": true, "allow once": true, "yes": true, "reject": true, "reject once": true, "no": true, "cancelled": true}

// Outcome says what was decided and by whom: "allowed by you", "rejected (--deny-all)".
func (e *PermissionAnswered) Outcome() string {
	words := "rejected"
	switch {
	case e.Allowed:
		words = "allowed"
	case e.Decision == "cancelled":
		words = "cancelled"
	}
	switch {
	case e.By == "":
	case strings.HasPrefix(e.By, "--"):
		words += " (" + e.By + ")"
	case strings.HasPrefix(e.By, "you, "):
		words += " by your earlier answer"
	default:
		words += " by " + strings.Replace(e.By, ByClient, "client ", 1)
	}
	if (e.By == "you" || e.By == "") && !plainAnswers[strings.ToLower(e.Decision)] {
		words += " (" + e.Decision + ")"
	}
	return words
}

// TurnStarted says that a prompt was sent, or that the agent has begun a turn by itself.
type TurnStarted struct {
	For
	Text    string
	At      time.Time
	Request int64 // the JSON-RPC id of its session/prompt; 0 with SeparatePrompts
	// ByItself means that no prompt of this client has begun it. In v2 one of another
	// client may have; its message follows.
	ByItself bool
	// SeparatePrompts means a turn of v2. Its prompts are reported by separate events (PromptHeld,
	// and the agent's copies of the user's messages), and the agent may have started it
	// without a prompt.
	SeparatePrompts bool
}

// PromptSteered says that a prompt was put into the running turn.
type PromptSteered struct {
	For
	Text string
	At   time.Time
}

// TurnCancelled says that the user stopped the turn; it ends with TurnEnded.
type TurnCancelled struct{ For }

// TurnEnded ends a turn with a stop reason of ACP or with an error.
type TurnEnded struct {
	For
	StopReason string
	Err        error
	At         time.Time
	Usage      *TurnUsage // nil if the agent has not reported it
	Origin     string     // why the agent began it by itself: a key of OwnTurnReasons; "" otherwise
}

// OwnTurnReasons says, by TurnEnded.Origin, why an agent has begun a turn by itself. Other origins mark no such turn.
var OwnTurnReasons = map[string]string{
	"task-notification": "a background task has ended", "peer": "another session sent it a message", "coordinator": "its coordinator asked for it",
	"observer": "an observer asked for it", "observer-activity": "an observer reported something",
}

// TurnUsage counts tokens: those of a turn in v2; in v1 agents differ whether they are those of the turn or of
// the session so far.
type TurnUsage struct {
	Total       uint64 `json:"total"`
	Input       uint64 `json:"input"`
	Output      uint64 `json:"output"`
	Thought     uint64 `json:"thought,omitempty"`
	CachedRead  uint64 `json:"cachedRead,omitempty"`
	CachedWrite uint64 `json:"cachedWrite,omitempty"`
}

// Add adds the tokens of another turn.
func (u *TurnUsage) Add(o TurnUsage) {
	u.Total += o.Total
	u.Input += o.Input
	u.Output += o.Output
	u.Thought += o.Thought
	u.CachedRead += o.CachedRead
	u.CachedWrite += o.CachedWrite
}

// UnknownArrived is an update of an unknown kind, as JSON.
type UnknownArrived struct {
	For
	Kind, JSON string
}

// LogGap says that messages are missing from the log that is being replayed. Only a
// Replay posts it.
type LogGap struct {
	For
	Missing int  // messages; 0 if the number is unknown
	Full    bool // the log reached its size limit: the rest is missing
}

// String describes the gap in a sentence for the user.
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
