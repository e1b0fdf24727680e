package wire

import (
	"encoding/json"
	"errors"

	"parley/internal/jsonscan"
)

// Notification is the params of session/update. It may be decoded into again, which
// spares most of what comes the memory of another one.
type Notification struct {
	SessionID string
	Update    Update

	last string // the session of the one before
	at   jsonscan.Cursor
}

// Update is one session/update, flat: Kind tells which fields count. Of a kind that
// the version does not have there is only Raw.
type Update struct {
	Kind    string // "" where it is not known
	Unknown string // its name then
	Raw     []byte // the whole update; points into the bytes decoded
	Err     error  // a known kind is malformed where it counts, or there is no kind

	// The messages: Content of a chunk, Blocks of an upsert of v2, nil where it
	// leaves them as they are.
	MessageID string
	Content   ContentBlock
	Blocks    *[]ContentBlock

	Tool     ToolCall          // tool_call, tool_call_update
	Piece    *ToolPiece        // tool_call_content_chunk
	Terminal *TerminalPatch    // terminal_update
	Output   *TerminalChunk    // terminal_output_chunk
	Plan     *PlanChange       // plan, plan_update, plan_removed
	Commands []Command         // available_commands_update
	ModeID   string            // current_mode_update
	Config   []ConfigOption    // config_option_update
	Title    *string           // session_info_update; nil leaves it as it is
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
}

// Cost is cumulative. Currency is an ISO 4217 code or a word like "credits".
type Cost struct {
	Amount   float64
	Currency string
	None     bool // v2: what was known of the cost is no longer true
}

// Notice is for the user, once; never part of the history.
type Notice struct{ Severity, Title, Description string }

// CompactionChange patches one compaction of the context: a nil field is unchanged.
type CompactionChange struct {
	ID      string
	Status  string
	Summary *[]ContentBlock
	Error   *string
	Piece   ContentBlock // of compaction_summary_chunk
}

// Subagent patches what a session says of one that it has begun itself: a nil field
// is unchanged.
type Subagent struct {
	ID                 string
	Title, Description *string
	State              *SubagentState
}

// SubagentState is the state of the other session, with the reason where it stopped.
type SubagentState struct{ State, StopReason string }

// StateUpdate is a snapshot of what the session does. State: running,
// requires_action, idle; open. An idle one may say how the work ended.
type StateUpdate struct {
	State, StopReason string
	Error             *ErrorObject
	Background        *[]BackgroundWork // nil where it was not told
}

// ErrorObject is a JSON-RPC error inside a message.
type ErrorObject struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// BackgroundWork goes on whatever the state is. Type: terminal, tool_call; of
// any other only the type is known.
type BackgroundWork struct{ Type, ID string }

// PlanChange replaces one plan. Type "items" has entries, "markdown" a text; a plan
// of another type is not known.
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
			n.SessionID, ok = jsonscan.Again(c.Value(), n.last)
			return ok
		}},
		member[Notification]{"update", needed, func(c *jsonscan.Cursor, n *Notification) bool { return update(c, &n.Update) }},
	)
})

// Decode decodes the params of a version in one pass. An error means that it cannot
// be known of which session they are; what is wrong with the update is in
// Update.Err.
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

// update decodes an update by its kind, which is mostly its first member. Of several
// kinds the first counts.
func (k kinds) update(c *jsonscan.Cursor, u *Update) bool {
	before := *c
	*u = Update{}
	u.Err = k.decode(c, u)
	if u.Err != nil || !c.Sound() {
		*c = before
		u.Raw = c.Value()
		return c.Sound()
	}
	u.Raw = c.From(before.Pos())
	return true
}

func (k kinds) decode(c *jsonscan.Cursor, u *Update) error {
	raw, err := kindOf(*c)
	if err != nil {
		return err
	}
	if name, ok := jsonscan.Plain(raw); ok {
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
	if !c.Sound() {
		return nil, jsonscan.ErrSyntax
	}
	return nil, errNoKind
}
