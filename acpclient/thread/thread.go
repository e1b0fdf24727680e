// Package thread is a conversation as plain data: the items that a transcript
// shows, in order, built from the events of one session.
//
// A Thread has one owner, who calls Apply with every event of the session in order;
// it has no locks. The same events make the same thread, however they are merged.
// Text grows in place, so the cost of a chunk depends on the chunk and not on the
// message.
package thread

import (
	"cmp"
	"time"

	"parley/acpclient/event"
)

// State is what the session is doing.
type State int

// The states of a session.
const (
	Idle State = iota
	Running
	Waiting    // a question waits for the user
	Cancelling // the user has stopped the turn, the agent has not ended it yet
	Ended      // the connection has ended
	Loading    // the history of the session is being replayed
)

func (s State) String() string {
	return [...]string{"idle", "running", "waiting for you", "stopping", "disconnected", "loading"}[s]
}

// Kind is the type of an item.
type Kind int

// The kinds of items.
const (
	UserMessage Kind = iota
	AgentMessage
	ThoughtMessage
	ToolCall
	Decision     // the answer to a question
	TurnEnd      // why a turn ended, if that is worth a line
	Notice       // a quiet line: compaction, sub-agents, unknown updates, notices of the agent
	Attachment   // a block of a message that is not text
	ShellCommand // the user's own command
)

// Item is one entry of the transcript. Items are never removed or moved.
type Item struct {
	Kind    Kind
	Index   int
	Turn    int // 1-based; 0 before the first prompt
	Version int // incremented by every change

	MessageID string
	Text      []byte // while Generation is unchanged, changes only by appending; except for compactions
	At, Until time.Time
	// Generation is incremented when Text is replaced.
	Generation int

	Tool       *Tool
	Shell      *Shell
	Attachment *event.Content
	Answer     *event.PermissionAnswered
	OnCall     bool // for a Decision: the row of a call says it (Tool.Answer)
	End        *End
	Detail     string    // for a Notice: what opening it shows
	Severity   string    // for a Notice of the agent: info, warning, error, or a newer value
	Subagent   *Subagent // for a Notice that is the row of a sub-agent

	// Wire holds the received messages that the item is made of, as far as known, in
	// order. Of more than maxSpans the last one covers the rest, possibly with messages
	// of other items. For a Decision they are those of the question. Request is the
	// JSON-RPC id of the session/prompt of a UserMessage, 0 for other items.
	Wire    []event.Span
	Request int64

	Excluded           bool // refused, so no longer in the agent's context
	Steered            bool // a prompt that was put into a running turn
	MissingFromHistory bool // a prompt that is missing from the agent's history

	terminals  map[string]*Terminal // for a ToolCall of an earlier session; nil: those of the thread
	former     map[string]*Terminal // for a ToolCall: terminals whose ids now belong to others
	local      bool                 // Text is what was sent; the agent has not sent its copy yet
	grown      bool                 // the thread owns the list Tool.Content
	lastAnswer Trust                // for a ToolCall: the last answer about it
	unanswered bool                 // for a ToolCall: the last question about it is open, or was cancelled with its turn
	forbidden  bool                 // for a ToolCall: a rule denies what it did
	examined   []*event.Diff        // for a ToolCall: changes of which the disk said more than the agent
	began      bool                 // for a ToolCall: its turn ended while it was running
	prompt     uint64               // the key of the prompt that it is; 0: none or unknown
}

// Blank reports whether a message is empty, or an attachment was taken back.
func (it *Item) Blank() bool {
	switch it.Kind {
	case UserMessage, AgentMessage, ThoughtMessage:
		return len(it.Text) == 0 && it.MessageID != ""
	case Attachment:
		return it.Attachment == nil || *it.Attachment == event.Content{}
	}
	return false
}

// IsPrompt reports whether the item is a prompt that says something.
func (it *Item) IsPrompt() bool { return it.Kind == UserMessage && !it.Blank() }

// Tool is the state of a tool call.
type Tool struct {
	ID, Title, Name, Kind string
	Status                string // as reported by the agent; "pending" by default
	Cancelable            bool   // Session.CancelTool may be used
	Stopped               bool   // the user stopped the turn before a final status arrived
	Unfinished            bool   // the turn ended before a final status arrived
	StillRunning          bool   // the agent continued it after its turn
	Rejected              bool   // the user or a rule said no to it
	Asked                 bool   // an open question shows what it would do
	Content               []event.ToolContent
	Locations             []event.Location
	RawInput, RawOutput   string
	Steps                 []event.PlanEntry // of the todo list that it wrote, nil if it is no such call
	ExitCode              *int              // of its command, nil if the agent has not said it in the output
	Started, Ended        time.Time
	Trust                 Trust                     // who allowed it
	Answer                *event.PermissionAnswered // the answer to the question about it, nil if there was none

	replayed bool          // it is part of a loaded history
	waited   time.Duration // for the user's answers
	asked    int           // open questions about it
	since    time.Time     // when the first of these arrived
}

// Final reports whether the agent has said that the call has ended.
func (t *Tool) Final() bool {
	return t.Status == "completed" || t.Status == "failed" || t.Status == "cancelled"
}

// End says how a turn ended.
type End struct {
	StopReason string
	Err        error
	Duration   time.Duration
	Empty      bool // the agent has answered a prompt with no output at all, also not after the turn
	NoReason   bool // the agent has not said why it ended the turn, as version 1 requires
	Arrived    bool // the agent has got the prompt: it has accepted it or begun to answer
}

// Terminal is the output of a command.
type Terminal struct {
	ID, Command, Cwd string
	Foreign          bool   // run by the agent, only shown by parley
	Output           []byte // raw, the newest bytes
	Total            int64  // bytes ever received; Output holds the last of them
	Exited           bool
	Code             *int
	Signal           string
	Cols, Rows       int   // of a foreign terminal; 0 if unknown
	Cancelable       bool  // Session.CancelTerminal may be used
	Gap              bool  // output is missing, and not only at its start
	items            []int // tool calls that show it
}

// maxTerminal bounds the output bytes kept for a terminal.
const maxTerminal = 1 << 20

// Thread is one conversation.
type Thread struct {
	Session string
	State   State
	transcript

	Title string
	plans
	Commands []event.Command
	Mode     string // id
	Modes    []event.Choice
	Config   []event.ConfigOption
	Usage    event.UsageChanged
	LastTurn *event.TurnUsage // nil if the agent has not reported what the last turn took
	Spent    event.TurnUsage  // the sum of what it has reported of turns

	TurnStarted    time.Time
	Added, Removed int // lines that parley wrote for the agent
	Unasked        int // tool calls that ran without a permission
	RanDenied      int // tool calls that ran although they were denied
	Err            error

	// For v2.
	prompts
	Background []event.BackgroundWork // continues in any state

	terminals   terminals
	tools       calls
	messages    map[messageKey]*Item
	attachments map[messageKey][]*Item // of messages (v2)
	compactions map[string]*Item
	relays      map[string]*relay
	family      *family               // never nil
	parent      *Thread               // of a sub-agent: the session that has started it
	live        map[*Item]bool        // tool calls that have not ended
	questions   map[uint64]event.Span // where they arrived
	holds       map[hold]*Item        // calls that wait for the user, by what they wait for
	cancelled   bool
	running     bool
	waits       bool  // the agent reports that it waits for the user (v2)
	separate    bool  // prompts have events of their own, as in TurnStarted.SeparatePrompts (v2)
	output      bool  // the agent has sent some since the turn began
	byItself    bool  // the agent has begun the turn, and has sent nothing yet
	ownTurn     *Item // says that the agent has begun the turn
	emptyEnd    *Item // the end of the last turn, if there was none
	loading     bool
	history     bool // no prompt was sent since the history was loaded, so updates belong to it
	first       int  // items before this one belong to other sessions
	parted      int  // items before this one are not continued by text without an id
	echo        echo
}

type messageKey struct {
	role event.Role
	id   string
}

// New returns an empty thread.
func New(session string) *Thread {
	return &Thread{Session: session, terminals: map[string]*Terminal{}, messages: map[messageKey]*Item{}, attachments: map[messageKey][]*Item{},
		compactions: map[string]*Item{}, relays: map[string]*relay{}, family: &family{byID: map[string]*Subagent{}}, live: map[*Item]bool{}, questions: map[uint64]event.Span{}, holds: map[hold]*Item{}}
}

// Terminal returns the terminal with this id, nil if there is none. Those that parley runs for a
// sub-agent are in the thread at the root.
func (t *Thread) Terminal(id string) *Terminal {
	for ; t != nil; t = t.parent {
		if term := t.terminals[id]; term != nil {
			return term
		}
	}
	return nil
}

// TerminalOf returns the terminal that an item shows under this id. Items of a session
// before Attach keep their terminals, whatever has that id now.
func (t *Thread) TerminalOf(it *Item, id string) *Terminal {
	if term := it.former[id]; term != nil {
		return term
	}
	if it.terminals != nil {
		return it.terminals[id]
	}
	return t.Terminal(id)
}

// call returns the item of the tool call with this id, nil if there is none.
func (t *Thread) call(id string) *Item { return t.tools.find(t.Items, id) }

// Tool returns the tool call with this id, nil if there is none.
func (t *Thread) Tool(id string) *Tool {
	if it := t.call(id); it != nil {
		return it.Tool
	}
	return nil
}

// Apply applies the next event and returns the indexes of the items that it changed or
// added. The slice is valid until the next call.
func (t *Thread) Apply(e event.Event) []int {
	t.changed = t.changed[:0]
	if t.isOutput(e) {
		t.heard()
	}
	if s := t.family.byID[e.EventSession()]; s != nil && t.parent == nil {
		t.applySubagent(s, e)
		return t.changed
	}
	switch e := e.(type) {
	case event.TextArrived:
		t.text(e)
	case event.ContentArrived:
		t.attach(e)
	case event.ToolChanged:
		t.tool(e)
	case event.ToolExamined:
		t.examined(e)
	case event.TerminalStarted, event.TerminalOutput, event.TerminalExited, event.TerminalChanged, event.TerminalReplaced:
		t.terminal(e)
	case event.MessageReplaced:
		t.replaced(e)
	case event.PromptHeld:
		t.history = false
		t.Held = append(t.Held, HeldPrompt{Key: e.Key, Text: e.Text, At: e.At, Request: e.Request})
	case event.PromptAccepted:
		t.accepted(e)
	case event.PromptFailed:
		t.release(e.Key)
	case event.StateChanged:
		t.stateChanged(e)
	case event.TurnStarted:
		t.turnStarted(e)
	case event.PromptSteered:
		t.steered(e)
	case event.TurnCancelled:
		t.turnCancelled()
	case event.TurnEnded:
		t.turnEnded(e)
	case event.PermissionRequested:
		t.asked(e)
	case event.PermissionAnswered:
		asked := t.questions[e.Key]
		delete(t.questions, e.Key)
		t.unblockCall(hold{key: e.Key}, e.At)
		t.answered(e)
		t.add(&Item{Kind: Decision, Answer: &e, OnCall: t.onCall(&e), At: e.At}).from(asked)
	case event.ElicitationAsked:
		t.blockCall(hold{form: true, key: e.Key}, e.ToolID, e.At)
	case event.ElicitationEnded:
		t.unblockCall(hold{form: true, key: e.Key}, e.At)
	case event.Disconnected:
		t.disconnected(e.Err)
		return t.changed
	case ShellAsked, ShellStarted, ShellOutput, ShellEnded:
		t.shell(e)
		return t.changed
	default:
		t.session(e)
	}
	t.updateState()
	return t.changed
}

// session applies the events that concern the session as a whole.
func (t *Thread) session(e event.Event) {
	switch e := e.(type) {
	case event.PlanChanged:
		t.planned(e)
	case event.CommandsChanged:
		t.Commands = e.Commands
	case event.ModesOffered:
		t.Mode, t.Modes = e.Current, e.Available
	case event.ModeChanged:
		t.part()
		t.Mode = e.ModeID
	case event.ConfigChanged:
		t.part()
		t.Config = e.Options
	case event.ModelChanged:
		t.part()
		for i := range t.Config {
			if t.Config[i].ID == event.LegacyModels {
				t.Config[i].Current = e.ModelID
			}
		}
	case event.HistoryBegan:
		t.loading, t.history, t.parted = true, true, len(t.Items)
	case event.HistoryEnded:
		t.loading = false
		t.giveUp(false)
		if e.Err != nil && len(t.Items) > 0 {
			t.add(&Item{Kind: Notice, Text: []byte("the conversation could not be loaded whole: " + e.Err.Error())}).from(e.Wire)
		}
	case event.SessionInfoChanged:
		if e.Title != nil {
			t.Title = *e.Title
		}
	case event.UsageChanged:
		if e.Currency == "" && !e.NoCost {
			e.Cost, e.Currency = t.Usage.Cost, t.Usage.Currency
		}
		e.Limit = cmp.Or(e.Limit, t.Usage.Limit)
		t.Usage = e
	case event.FileWritten:
		t.Added += e.Added
		t.Removed += e.Removed
	case event.CompactionChanged:
		t.compaction(e)
	case event.SessionMessage:
		t.relayed(e)
	case event.SubagentChanged:
		t.subagent(e)
	case event.NoticeArrived:
		text := e.Title
		if e.Description != "" {
			text += ": " + e.Description
		}
		t.add(&Item{Kind: Notice, Text: []byte(text), Severity: e.Severity}).from(e.Wire)
	case event.UnknownArrived:
		t.add(&Item{Kind: Notice, Text: []byte("an update of a kind that parley does not know: " + e.Kind), Detail: e.JSON}).from(e.Wire)
	case event.LogGap:
		t.add(&Item{Kind: Notice, Text: []byte(e.String())})
	}
}

// part ends a remark that the agent has made between turns, so that its next one becomes
// another item.
func (t *Thread) part() {
	if !t.running && !t.loading {
		t.parted = len(t.Items)
	}
}

// updateState derives the state.
func (t *Thread) updateState() {
	switch {
	case t.State == Ended:
	case len(t.questions) > 0:
		t.State = Waiting
	case t.running && t.cancelled:
		t.State = Cancelling
	case t.running && t.waits:
		t.State = Waiting
	case t.running:
		t.State = Running
	case t.loading:
		t.State = Loading
	default:
		t.State = Idle
	}
}

// maxSpans bounds the spans of an item.
const maxSpans = 256

// from records a message that an item is made of. Messages come in order; one that does
// not belongs to another connection.
func (it *Item) from(w event.Span) {
	if w.First == 0 {
		return
	}
	if n := len(it.Wire); n > 0 {
		last := &it.Wire[n-1]
		if w.First < last.First {
			return
		}
		if w.First <= last.Last+1 || n == maxSpans {
			last.Last = max(last.Last, w.Last)
			return
		}
	}
	it.Wire = append(it.Wire, w)
}
