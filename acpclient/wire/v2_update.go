package wire

import (
	"encoding/json"

	"parley/internal/jsonscan"
)

// The kinds of session/update that v2 has and v1 has not.
const (
	UserMessage          = "user_message"
	AgentMessage         = "agent_message"
	AgentThought         = "agent_thought"
	StateUpdated         = "state_update"
	ToolCallContentChunk = "tool_call_content_chunk"
	TerminalUpdated      = "terminal_update"
	TerminalOutputChunk  = "terminal_output_chunk"
	PlanUpdate           = "plan_update"
	PlanRemoved          = "plan_removed"
)

// UpdateV2 is one session/update of v2, flat: Kind tells which fields count. A
// kind that is not known has only Raw.
type UpdateV2 struct {
	Kind string
	Raw  []byte // the whole update; points into the bytes decoded

	// The messages: Content of a chunk, Blocks of an upsert.
	MessageID string
	Content   ContentBlock
	Blocks    Opt[[]ContentBlock]

	State *StateUpdate   // state_update
	Tool  *ToolCallPatch // tool_call_update; of tool_call_content_chunk only the ID counts
	Piece ToolContent    // tool_call_content_chunk

	Terminal *TerminalPatch // terminal_update; of terminal_output_chunk only the ID counts
	Data     []byte         // terminal_output_chunk, decoded
	Gap      bool           // its data could not be decoded

	Plan     *PlanChange       // plan_update, plan_removed
	Commands []Command         // available_commands_update
	Config   []ConfigOption    // config_option_update
	Info     *SessionInfo      // session_info_update
	Usage    *Usage            // usage_update
	NoCost   bool              // its cost was null
	Notice   *Notice           // notice
	Compact  *CompactionChange // compaction_update, compaction_summary_chunk
	Subagent *Subagent         // subagent_update
}

// StateUpdate is a snapshot of what the session does. State: running,
// requires_action, idle; open. An idle one may say how the work ended.
type StateUpdate struct {
	State, StopReason string
	Error             *ErrorObject
	Background        Opt[[]BackgroundWork]
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
	Markdown Opt[string]
}

// DecodeUpdateV2 decodes one update. An error means that a known kind is
// malformed where it counts, or that there is no kind.
func DecodeUpdateV2(raw []byte) (UpdateV2, error) {
	u := UpdateV2{Raw: raw}
	head, err := decodeHead(raw, &u.Content)
	u.Kind, u.MessageID = head.kind, head.messageID
	if err != nil || head.chunk {
		return u, err
	}
	switch u.Kind {
	case UserMessage, AgentMessage, AgentThought:
		if u.MessageID == "" {
			return u, need("messageId")
		}
		if head.content != nil {
			u.Blocks = patchList(head.content, DecodeContentBlock)
		}
		return u, nil
	case ToolCallUpdate, ToolCallStarted:
		t, err := DecodeToolCallPatch(raw)
		u.Tool = &t
		return u, err
	}
	return u, u.decodeRest(raw, head.content)
}

// decodeRest decodes the kinds that come less often.
func (u *UpdateV2) decodeRest(raw, content []byte) error {
	switch u.Kind {
	case StateUpdated:
		return u.decodeState(raw)
	case ToolCallContentChunk:
		t, err := DecodeToolCallPatch(raw)
		if err != nil {
			return err
		}
		var ok bool
		u.Tool = &ToolCallPatch{ID: t.ID}
		if u.Piece, ok = decodeToolContentV2(content); !ok {
			return need("content")
		}
	case TerminalUpdated:
		t, err := DecodeTerminalPatch(raw)
		u.Terminal = &t
		return err
	case TerminalOutputChunk:
		return u.decodeOutput(raw)
	case PlanUpdate, PlanRemoved:
		return u.decodePlan(raw)
	case ConfigOptionUpdate, AvailableCommandsUpdate:
		var o OfferedV2
		err := o.UnmarshalJSON(raw)
		u.Config, u.Commands = o.Config, o.Commands
		return err
	case SessionInfoUpdate, UsageUpdate, NoticeUpdate, CompactionUpdate, CompactionSummaryChunk, SubagentUpdate, Plan, CurrentModeUpdate:
		return u.asBefore(raw)
	}
	return nil
}

// asBefore decodes the kinds that v2 shares with v1, and those that only v1
// has: a mode is in Content.Name.
func (u *UpdateV2) asBefore(raw []byte) error {
	v, err := DecodeUpdate(raw)
	if err != nil {
		return err
	}
	u.Info, u.Usage, u.Notice, u.Compact, u.Subagent, u.Content = v.Info, v.Usage, v.Notice, v.Compact, v.Subagent, v.Content
	switch u.Kind {
	case Plan:
		u.Plan = &PlanChange{ID: "main", Type: "items", Entries: v.Entries}
	case CurrentModeUpdate:
		u.Content.Name = v.ModeID
	case UsageUpdate:
		fields(raw, func(key string, v []byte) { u.NoCost = u.NoCost || key == "cost" && isNull(v) })
	}
	return nil
}

func (u *UpdateV2) decodeState(raw []byte) error {
	u.State = &StateUpdate{}
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "state":
			u.State.State = str(v)
		case "stopReason":
			u.State.StopReason = str(v)
		case "error":
			var e ErrorObject
			if jsonscan.KindOf(v) == jsonscan.Object && json.Unmarshal(v, &e) == nil {
				u.State.Error = &e
			}
		case "background":
			u.State.Background = patchList(v, decodeBackground)
		}
	})
	if err == nil && u.State.State == "" {
		return need("state")
	}
	return err
}

// decodeBackground keeps what it cannot name: something is still going on.
func decodeBackground(raw []byte) (BackgroundWork, bool) {
	var b BackgroundWork
	var tool, terminal string
	fields(raw, func(key string, v []byte) {
		switch key {
		case "type":
			b.Type = str(v)
		case "toolCallId":
			tool = str(v)
		case "terminalId":
			terminal = str(v)
		}
	})
	switch b.Type {
	case "tool_call":
		b.ID = tool
	case "terminal":
		b.ID = terminal
	}
	return b, true
}

func (u *UpdateV2) decodeOutput(raw []byte) error {
	found, ok := false, false
	u.Terminal = &TerminalPatch{}
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "terminalId":
			u.Terminal.ID, found = jsonscan.Text(v)
		case "data":
			u.Data, ok = decodeBase64(v)
		}
	})
	u.Gap = !ok
	if err == nil && !found {
		return need("terminalId")
	}
	return err
}

func (u *UpdateV2) decodePlan(raw []byte) error {
	u.Plan = &PlanChange{}
	plan, entries := raw, false
	err := fields(raw, func(key string, v []byte) {
		if key == "plan" && u.Kind == PlanUpdate {
			plan = v
		}
	})
	if err != nil {
		return err
	}
	err = fields(plan, func(key string, v []byte) {
		switch key {
		case "planId":
			u.Plan.ID = str(v)
		case "type":
			u.Plan.Type = str(v)
		case "entries":
			u.Plan.Entries, entries = list(v, decodePlanEntry)
		case "content":
			u.Plan.Markdown = patchStr(v)
		}
	})
	switch {
	case err != nil:
		return err
	case u.Plan.ID == "":
		return need("planId")
	case u.Kind == PlanRemoved:
		u.Plan.Type = "items"
	case u.Plan.Type == "items" && !entries:
		return need("entries")
	case u.Plan.Type == "markdown" && (!u.Plan.Markdown.Set || u.Plan.Markdown.Null):
		return need("content")
	}
	return nil
}
