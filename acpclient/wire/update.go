package wire

import (
	"encoding/json"
	"errors"

	"parley/internal/jsonscan"
)

// Notification is the params of session/update. It can be reused for the next one, which
// saves allocations.
type Notification struct {
	SessionID string
	Update    Update

	last string // the session id decoded before
	at   jsonscan.Cursor
}

// Update is one session/update, flat: Kind says which fields are set. For kinds unknown
// to the version only Unknown and Raw are.
type Update struct {
	Kind    string // "" if unknown
	Unknown string // the name of an unknown kind
	Raw     []byte // the whole update; points into the decoded bytes
	Err     error  // the kind is missing, or a required member is missing or malformed

	// For messages: Content of a chunk, Blocks of an upsert of v2, nil if it leaves them
	// unchanged.
	MessageID string
	Content   ContentBlock
	Blocks    *[]ContentBlock
	// Sender and Recipient are the sessions of a message between sessions; "" if unchanged.
	Sender, Recipient string

	Tool     ToolCall          // tool_call, tool_call_update
	Piece    *ToolPiece        // tool_call_content_chunk
	Terminal *TerminalPatch    // terminal_update
	Output   *TerminalChunk    // terminal_output_chunk
	Plan     *PlanChange       // plan, plan_update, plan_removed
	Commands []Command         // available_commands_update
	ModeID   string            // current_mode_update
	Config   []ConfigOption    // config_option_update
	Title    *string           // session_info_update; nil means unchanged
	Usage    *Usage            // usage_update
	Notice   *Notice           // notice
	Compact  *CompactionChange // compaction_update, compaction_summary_chunk
	Subagent *Subagent         // subagent_update
	State    *StateUpdate      // state_update
}

// ToolPiece is tool_call_content_chunk: one more item of a tool call's content.
type ToolPiece struct {
	ID      string
	Content ToolContent
}

// PlanEntry is one step of a plan.
type PlanEntry struct{ Content, Priority, Status string }

// Command is a slash command of the agent; Name is without the slash.
type Command struct{ Name, Description, Hint string }

// Usage is the state of the context window, in tokens, and the cost so far.
type Usage struct {
	Used, Size uint64
	Cost       *Cost
	Origin     string     // claude: what began the model's work that this report ends; "" if it does not say
	Limit      *RateLimit // claude: nil if it says nothing about it
}

// RateLimit is what claude's account may still use. Status: allowed, allowed_warning, rejected.
type RateLimit struct {
	Status, Type string
	ResetsAt     int64   // seconds since 1970; 0 if unknown
	Utilization  float64 // the share of the limit that is used; 0 if unknown
}

// Cost is cumulative. Currency is an ISO 4217 code or a word such as "credits".
type Cost struct {
	Amount   float64
	Currency string
	None     bool // v2: the cost reported before is no longer valid
}

// Notice is shown to the user once and is never part of the history.
type Notice struct{ Severity, Title, Description string }

// CompactionChange changes one compaction of the context. A nil field is unchanged.
type CompactionChange struct {
	ID      string
	Status  string
	Summary *[]ContentBlock
	Error   *string
	Piece   ContentBlock // in compaction_summary_chunk
}

// Subagent changes what a session reports about a subagent session that it has started.
// A nil field is unchanged.
type Subagent struct {
	ID                 string
	Title, Description *string
	State              *SubagentState
	Cwd                string           // "" if unset: its parent's
	Can                *SubagentAllowed // nil if unchanged
}

// SubagentAllowed is what may be done with a subagent.
type SubagentAllowed struct{ Cancel bool }

// SubagentState is the state of the subagent, with the reason if it stopped.
type SubagentState struct{ State, StopReason string }

// StateUpdate is a report of the session's state. State: running, requires_action, idle;
// open. An idle state may have the reason why the work ended.
type StateUpdate struct {
	State, StopReason string
	Usage             *TurnUsage // of an idle state: of the turn that has ended
	Error             *ErrorObject
	Background        *[]BackgroundWork // nil if absent
}

// ErrorObject is a JSON-RPC error inside a message.
type ErrorObject struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// BackgroundWork continues in any state. Type: terminal, tool_call; other types have no
// ID.
type BackgroundWork struct{ Type, ID string }

// PlanChange replaces one plan. Type "items" has entries, "markdown" a text; other types
// are unknown.
type PlanChange struct {
	ID, Type string
	Entries  []PlanEntry
	Markdown *string
}

var notifications = inBoth(func(v2 bool) *shape[Notification] {
	update := updates[1].update
	if v2 {
		update = updates[2].update
	}
	return object(
		member[Notification]{"sessionId", needed, func(c *jsonscan.Cursor, n *Notification) (ok bool) {
			n.SessionID, ok = jsonscan.InternText(c.Value(), n.last)
			return ok
		}},
		member[Notification]{"update", needed, func(c *jsonscan.Cursor, n *Notification) bool { return update(c, &n.Update) }},
	)
})

// Decode decodes the params of a version in one pass. An error means that the session is
// unknown; problems of the update itself are in Update.Err.
func (n *Notification) Decode(version int, params []byte) error {
	n.last, n.at = n.SessionID, jsonscan.CursorOf(params)
	err := notifications[version].decode(&n.at, n)
	switch {
	case err == jsonscan.ErrSyntax, err == nil && !n.at.End():
		return jsonscan.ErrSyntax
	case err != nil:
		return need("sessionId or update")
	}
	return nil
}

var errNoKind = errors.New("the update has no sessionUpdate")

// update decodes an update by its kind, which is usually its first member. Of several
// kinds the first counts.
func (k kinds) update(c *jsonscan.Cursor, u *Update) bool {
	before := *c
	*u = Update{}
	u.Err = k.decode(c, u)
	if u.Err != nil || !c.WellFormed() {
		*c = before
		u.Raw = c.Value()
		return c.WellFormed()
	}
	u.Raw = c.From(before.Pos())
	return true
}

func (k kinds) decode(c *jsonscan.Cursor, u *Update) error {
	raw, err := kindOf(*c)
	if err != nil {
		return err
	}
	if name, ok := jsonscan.UnescapedText(raw); ok {
		if kind, known := k[string(name)]; known {
			u.Kind = kind.name
			return kind.decode(c, u)
		}
	}
	name, _ := jsonscan.Text(raw)
	if kind, known := k[name]; known {
		u.Kind = kind.name
		return kind.decode(c, u)
	}
	if u.Unknown = name; name == "" {
		return errNoKind
	}
	c.Value()
	return nil
}

// kindOf finds the kind of the update that is the next value.
func kindOf(c jsonscan.Cursor) ([]byte, error) {
	c.Enter()
	for c.Key() {
		if raw := c.Value(); string(c.Name) == "sessionUpdate" {
			return raw, nil
		}
	}
	if !c.WellFormed() {
		return nil, jsonscan.ErrSyntax
	}
	return nil, errNoKind
}
