package wire

import (
	"errors"
	"math"
	"strconv"

	"parley/internal/jsonscan"
)

// SessionNotification is the params of session/update. Update points into the
// bytes it was decoded from.
type SessionNotification struct {
	SessionID string
	Update    []byte
}

// DecodeSessionNotification needs both members.
func DecodeSessionNotification(params []byte) (SessionNotification, error) {
	var n SessionNotification
	found := false
	m := jsonscan.MembersOf(params)
	for m.Next() {
		switch string(m.Key) {
		case "sessionId":
			n.SessionID, found = jsonscan.Text(m.Value)
		case "update":
			n.Update = m.Value
		}
	}
	if m.Err() != nil {
		return n, m.Err()
	}
	if !found || n.Update == nil {
		return n, need("sessionId or update")
	}
	return n, nil
}

// The kinds of session/update that v1 knows.
const (
	UserMessageChunk        = "user_message_chunk"
	AgentMessageChunk       = "agent_message_chunk"
	AgentThoughtChunk       = "agent_thought_chunk"
	ToolCallStarted         = "tool_call"
	ToolCallUpdate          = "tool_call_update"
	Plan                    = "plan"
	AvailableCommandsUpdate = "available_commands_update"
	CurrentModeUpdate       = "current_mode_update"
	ConfigOptionUpdate      = "config_option_update"
	SessionInfoUpdate       = "session_info_update"
	UsageUpdate             = "usage_update"
	NoticeUpdate            = "notice"
	CompactionUpdate        = "compaction_update"
	CompactionSummaryChunk  = "compaction_summary_chunk"
	SubagentUpdate          = "subagent_update"
)

// Update is one session/update, flat: Kind tells which fields count. A kind
// that is not known has only Raw.
type Update struct {
	Kind string
	Raw  []byte // the whole update; points into the bytes decoded

	// The message chunks, and compaction_summary_chunk.
	MessageID string
	Content   ContentBlock

	Tool     *ToolCall         // tool_call, tool_call_update
	Entries  []PlanEntry       // plan
	Commands []Command         // available_commands_update
	ModeID   string            // current_mode_update
	Config   []ConfigOption    // config_option_update
	Info     *SessionInfo      // session_info_update
	Usage    *Usage            // usage_update
	Notice   *Notice           // notice
	Compact  *CompactionChange // compaction_update, compaction_summary_chunk
	Subagent *Subagent         // subagent_update
}

// PlanEntry is one step of a plan.
type PlanEntry struct{ Content, Priority, Status string }

// Command is a slash command of the agent; Name is without the slash.
type Command struct{ Name, Description, Hint string }

// SessionInfo patches what is known of a session.
type SessionInfo struct{ Title, UpdatedAt Opt[string] }

// Usage is the state of the context window, in tokens, and the cost so far.
type Usage struct {
	Used, Size uint64
	Cost       *Cost
}

// Cost is cumulative. Currency is an ISO 4217 code or a word like "credits".
type Cost struct {
	Amount   float64
	Currency string
}

// Notice is for the user, once; never part of the history.
type Notice struct{ Severity, Title, Description string }

// CompactionChange patches one compaction of the context.
type CompactionChange struct {
	ID      string
	Status  string
	Summary Opt[[]ContentBlock]
	Error   Opt[string]
}

// Subagent patches what a session says of one that it has begun itself. State is that of
// the other session, with the reason where it stopped.
type Subagent struct {
	ID                        string
	Title, Description, State Opt[string]
	StopReason                string
}

var errNoKind = errors.New("the update has no sessionUpdate")

// DecodeUpdate decodes one update. An error means that a known kind is
// malformed where it counts, or that there is no kind.
func DecodeUpdate(raw []byte) (Update, error) {
	u := Update{Raw: raw}
	head, err := decodeHead(raw, &u.Content)
	u.Kind, u.MessageID = head.kind, head.messageID
	switch {
	case err != nil || head.chunk:
		return u, err
	case u.Kind == ToolCallStarted || u.Kind == ToolCallUpdate:
		t, err := DecodeToolCall(raw)
		u.Tool = &t
		return u, err
	}
	return u, u.decodeRest(raw, head.content)
}

// head is what every update has, or may have.
type head struct {
	kind, messageID string
	content         []byte
	chunk           bool // it is a piece of a message, and its block was decoded
}

// decodeHead reads it in one pass, and the block of a message's piece with it:
// those come in thousands.
func decodeHead(raw []byte, block *ContentBlock) (head, error) {
	var h head
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "sessionUpdate":
			h.kind = kindOf(m.Value)
		case "content":
			h.content = m.Value
		case "messageId":
			h.messageID = str(m.Value)
		}
	}
	if err := m.Err(); err != nil {
		return h, err
	}
	switch h.kind {
	case "":
		return h, errNoKind
	case AgentMessageChunk, AgentThoughtChunk, UserMessageChunk:
		if *block, h.chunk = DecodeContentBlock(h.content); !h.chunk {
			return h, need("content")
		}
	}
	return h, nil
}

// kindOf avoids allocating for the kinds that come in thousands.
func kindOf(raw []byte) string {
	for _, k := range [...]string{AgentMessageChunk, AgentThoughtChunk, ToolCallUpdate, ToolCallStarted} {
		if jsonscan.Is(raw, k) {
			return k
		}
	}
	return str(raw)
}

// decodeRest decodes the kinds that are rare.
func (u *Update) decodeRest(raw, content []byte) error {
	var err error
	switch u.Kind {
	case Plan:
		err = fields(raw, func(key string, v []byte) {
			if key == "entries" {
				u.Entries, _ = list(v, decodePlanEntry)
			}
		})
		if u.Entries == nil {
			return need("entries")
		}
	case AvailableCommandsUpdate:
		err = fields(raw, func(key string, v []byte) {
			if key == "availableCommands" {
				u.Commands, _ = list(v, decodeCommand)
			}
		})
	case CurrentModeUpdate:
		err = fields(raw, func(key string, v []byte) {
			if key == "currentModeId" || key == "modeId" && u.ModeID == "" {
				u.ModeID = str(v)
			}
		})
	case ConfigOptionUpdate:
		err = fields(raw, func(key string, v []byte) {
			if key == "configOptions" {
				u.Config = DecodeConfigOptions(v)
			}
		})
	case SessionInfoUpdate:
		u.Info = &SessionInfo{}
		err = fields(raw, func(key string, v []byte) {
			switch key {
			case "title":
				u.Info.Title = patchStr(v)
			case "updatedAt":
				u.Info.UpdatedAt = patchStr(v)
			}
		})
	case UsageUpdate:
		u.Usage = &Usage{}
		err = fields(raw, func(key string, v []byte) {
			switch key {
			case "used":
				u.Usage.Used = tokens(v)
			case "size":
				u.Usage.Size = tokens(v)
			case "cost":
				u.Usage.Cost = decodeCost(v)
			}
		})
	case NoticeUpdate:
		u.Notice = &Notice{}
		err = fields(raw, func(key string, v []byte) {
			switch key {
			case "severity":
				u.Notice.Severity = str(v)
			case "title":
				u.Notice.Title = str(v)
			case "description":
				u.Notice.Description = str(v)
			}
		})
		if err == nil && u.Notice.Title == "" {
			return need("title")
		}
	case CompactionUpdate, CompactionSummaryChunk:
		return u.decodeCompaction(raw, content)
	case SubagentUpdate:
		return u.decodeSubagent(raw)
	}
	return err
}

func (u *Update) decodeSubagent(raw []byte) error {
	u.Subagent = &Subagent{}
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "sessionId":
			u.Subagent.ID = str(v)
		case "title":
			u.Subagent.Title = patchStr(v)
		case "description":
			u.Subagent.Description = patchStr(v)
		case "state":
			u.Subagent.State = Opt[string]{Set: true, Null: true}
			fields(v, func(key string, v []byte) {
				switch key {
				case "state":
					u.Subagent.State = patchStr(v)
				case "stopReason":
					u.Subagent.StopReason = str(v)
				}
			})
		}
	})
	if err == nil && u.Subagent.ID == "" {
		return need("sessionId")
	}
	return err
}

func (u *Update) decodeCompaction(raw, content []byte) error {
	u.Compact = &CompactionChange{}
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "compactionId":
			u.Compact.ID = str(v)
		case "status":
			u.Compact.Status = str(v)
		case "summary":
			if isNull(v) {
				u.Compact.Summary = Opt[[]ContentBlock]{Set: true, Null: true}
			} else if blocks, ok := list(v, DecodeContentBlock); ok {
				u.Compact.Summary = Some(blocks)
			}
		case "error":
			u.Compact.Error = patchStr(v)
		}
	})
	if err != nil {
		return err
	}
	if u.Compact.ID == "" {
		return need("compactionId")
	}
	if u.Kind == CompactionSummaryChunk {
		var ok bool
		if u.Content, ok = DecodeContentBlock(content); !ok {
			return need("content")
		}
	}
	return nil
}

func decodePlanEntry(raw []byte) (PlanEntry, bool) {
	var e PlanEntry
	found := false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "content":
			e.Content, found = jsonscan.Text(v)
		case "priority":
			e.Priority = str(v)
		case "status":
			e.Status = str(v)
		}
	})
	return e, err == nil && found
}

func decodeCommand(raw []byte) (Command, bool) {
	var c Command
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "name":
			c.Name = str(v)
		case "description":
			c.Description = str(v)
		case "input":
			fields(v, func(key string, v []byte) {
				if key == "hint" {
					c.Hint = str(v)
				}
			})
		}
	})
	return c, err == nil && c.Name != ""
}

func decodeCost(raw []byte) *Cost {
	c := &Cost{}
	found := false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "amount":
			f, err := strconv.ParseFloat(string(v), 64)
			c.Amount, found = f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
		case "currency":
			c.Currency = str(v)
		}
	})
	if err != nil || !found {
		return nil
	}
	return c
}

func tokens(raw []byte) uint64 {
	n, err := strconv.ParseUint(string(raw), 10, 64)
	if err != nil {
		if i, ok := jsonscan.Int(raw); ok && i > 0 {
			return uint64(i)
		}
	}
	return n
}
