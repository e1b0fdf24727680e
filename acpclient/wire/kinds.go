package wire

import (
	"cmp"
	"encoding/json"
	"math"
	"strconv"

	"parley/internal/jsonscan"
)

// The kinds of session/update in v1.
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
	SessionMessage          = "session_message"
	SessionMessageChunk     = "session_message_chunk"
)

// The kinds of session/update that only v2 has.
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

// kinds maps the kinds of session/update of one version by name.
type kinds map[string]kind

type kind struct {
	name   string
	decode func(c *jsonscan.Cursor, u *Update) error
}

// add adds kinds that are decoded alike.
func (k kinds) add(decode func(c *jsonscan.Cursor, u *Update) error, names ...string) {
	for _, name := range names {
		k[name] = kind{name, decode}
	}
}

// In v2 null clears what it leaves unchanged in v1, and some kinds have other members.
// Kinds that only v1 has are accepted in v2, too.
var updates = inBoth(func(v2 bool) kinds {
	id, plan, tool := "id", "", toolCalls[1]
	if v2 {
		id, plan, tool = "configId", "main", toolCalls[2]
	}
	k := kinds{}
	k.add(chunk.decode, UserMessageChunk, AgentMessageChunk, AgentThoughtChunk)
	k.add(func(c *jsonscan.Cursor, u *Update) error { return tool.decode(c, &u.Tool) }, ToolCallStarted, ToolCallUpdate)
	k.add(planOf(plan), Plan)
	k.add(object(optional("availableCommands", list(command.value), func(u *Update) *[]Command { return &u.Commands })).decode, AvailableCommandsUpdate)
	k.add(modeChanged, CurrentModeUpdate)
	k.add(object(optional("configOptions", list(configOption(id)), func(u *Update) *[]ConfigOption { return &u.Config })).decode, ConfigOptionUpdate)
	k.add(object(optional("title", change(true, text, ""), func(u *Update) **string { return &u.Title })).decode, SessionInfoUpdate)
	k.add(part(usage(v2), func(u *Update) **Usage { return &u.Usage }), UsageUpdate)
	k.add(part(notice, func(u *Update) **Notice { return &u.Notice }), NoticeUpdate)
	k.add(part(compaction, func(u *Update) **CompactionChange { return &u.Compact }), CompactionUpdate)
	k.add(part(compactionPiece, func(u *Update) **CompactionChange { return &u.Compact }), CompactionSummaryChunk)
	k.add(part(subagent, func(u *Update) **Subagent { return &u.Subagent }), SubagentUpdate)
	k.add(message.with(sender).with(recipient).decode, SessionMessage)
	k.add(chunk.decode, SessionMessageChunk)
	if !v2 {
		return k
	}
	k.add(message.decode, UserMessage, AgentMessage, AgentThought)
	k.add(part(state, func(u *Update) **StateUpdate { return &u.State }), StateUpdated)
	k.add(part(toolPiece, func(u *Update) **ToolPiece { return &u.Piece }), ToolCallContentChunk)
	k.add(part(terminalPatch, func(u *Update) **TerminalPatch { return &u.Terminal }), TerminalUpdated)
	k.add(part(terminalChunk, func(u *Update) **TerminalChunk { return &u.Output }), TerminalOutputChunk)
	k.add(planUpdated, PlanUpdate)
	k.add(planRemoved, PlanRemoved)
	return k
})

// sender and recipient are the sessions of a message between sessions.
var (
	sender    = optional("senderSessionId", text, func(u *Update) *string { return &u.Sender })
	recipient = optional("recipientSessionId", text, func(u *Update) *string { return &u.Recipient })
)

// part decodes the whole update into a part of Update.
func part[T any](s *shape[T], at func(*Update) **T) func(c *jsonscan.Cursor, u *Update) error {
	return func(c *jsonscan.Cursor, u *Update) error {
		t := new(T)
		*at(u) = t
		return s.decode(c, t)
	}
}

var chunk = object(
	optional("messageId", text, func(u *Update) *string { return &u.MessageID }),
	required("content", block, func(u *Update) *ContentBlock { return &u.Content }),
)

var message = object(
	required("messageId", filled, func(u *Update) *string { return &u.MessageID }),
	optional("content", change(true, list(block), nil), func(u *Update) **[]ContentBlock { return &u.Blocks }),
)

var toolPiece = object(
	required("toolCallId", text, func(p *ToolPiece) *string { return &p.ID }),
	required("content", toolContents[2], func(p *ToolPiece) *ToolContent { return &p.Content }),
)

var planEntry = object(
	required("content", text, func(e *PlanEntry) *string { return &e.Content }),
	optional("priority", text, func(e *PlanEntry) *string { return &e.Priority }),
	optional("status", text, func(e *PlanEntry) *string { return &e.Status }),
)

// planOf decodes plan, the only plan of v1.
func planOf(id string) func(c *jsonscan.Cursor, u *Update) error {
	entries := object(required("entries", list(planEntry.value), func(p *PlanChange) *[]PlanEntry { return &p.Entries }))
	return func(c *jsonscan.Cursor, u *Update) error {
		u.Plan = &PlanChange{ID: id, Type: "items"}
		return entries.decode(c, u.Plan)
	}
}

var planMembers = object(
	required("planId", filled, func(p *PlanChange) *string { return &p.ID }),
	optional("type", text, func(p *PlanChange) *string { return &p.Type }),
	optional("entries", list(planEntry.value), func(p *PlanChange) *[]PlanEntry { return &p.Entries }),
	optional("content", pointer(text), func(p *PlanChange) **string { return &p.Markdown }),
)

var planShape = object(required("plan", planMembers.value, self[PlanChange]))

func planUpdated(c *jsonscan.Cursor, u *Update) error {
	u.Plan = &PlanChange{}
	err := planShape.decode(c, u.Plan)
	switch {
	case err != nil:
		return err
	case u.Plan.Type == "items" && u.Plan.Entries == nil:
		return need("entries")
	case u.Plan.Type == "markdown" && u.Plan.Markdown == nil:
		return need("content")
	}
	return nil
}

func planRemoved(c *jsonscan.Cursor, u *Update) error {
	u.Plan = &PlanChange{}
	err := planMembers.decode(c, u.Plan)
	*u.Plan = PlanChange{ID: u.Plan.ID, Type: "items"}
	return err
}

var command = object(
	required("name", filled, func(m *Command) *string { return &m.Name }),
	optional("description", text, func(m *Command) *string { return &m.Description }),
	nested("input", optional("hint", text, func(m *Command) *string { return &m.Hint })),
)

// modes declares the mode of current_mode_update, including its name in older agents.
var modes = object(
	optional("currentModeId", text, func(m *[2]string) *string { return &m[0] }),
	optional("modeId", text, func(m *[2]string) *string { return &m[1] }),
)

func modeChanged(c *jsonscan.Cursor, u *Update) error {
	var m [2]string
	err := modes.decode(c, &m)
	u.ModeID = cmp.Or(m[:]...)
	return err
}

func usage(v2 bool) *shape[Usage] {
	cost := object(
		required("amount", amount, func(c *Cost) *float64 { return &c.Amount }),
		optional("currency", text, func(c *Cost) *string { return &c.Currency }),
	)
	return object(
		optional("used", tokens, func(u *Usage) *uint64 { return &u.Used }),
		optional("size", tokens, func(u *Usage) *uint64 { return &u.Size }),
		optional("cost", change(v2, cost.value, Cost{None: true}), func(u *Usage) **Cost { return &u.Cost }),
		nested("_meta",
			nested("_claude/origin", optional("kind", text, func(u *Usage) *string { return &u.Origin })),
			optional("_claude/rateLimit", pointer(rateLimit.value), func(u *Usage) **RateLimit { return &u.Limit }),
		),
	)
}

var rateLimit = object(
	required("status", filled, func(l *RateLimit) *string { return &l.Status }),
	optional("rateLimitType", text, func(l *RateLimit) *string { return &l.Type }),
	optional("resetsAt", integer, func(l *RateLimit) *int64 { return &l.ResetsAt }),
	optional("utilization", amount, func(l *RateLimit) *float64 { return &l.Utilization }),
)

// amount is a sum of money. A negative one is none.
func amount(c *jsonscan.Cursor, f *float64) bool {
	v, err := strconv.ParseFloat(string(c.Value()), 64)
	*f = v
	return err == nil && v >= 0 && !math.IsInf(v, 0)
}

// tokens is a number of tokens. Anything else counts as 0.
func tokens(c *jsonscan.Cursor, n *uint64) bool {
	raw := c.Value()
	v, err := strconv.ParseUint(string(raw), 10, 64)
	if i, ok := jsonscan.Int(raw); err != nil && ok && i > 0 {
		v = uint64(i)
	}
	*n = v
	return true
}

var notice = object(
	optional("severity", text, func(n *Notice) *string { return &n.Severity }),
	required("title", filled, func(n *Notice) *string { return &n.Title }),
	optional("description", text, func(n *Notice) *string { return &n.Description }),
)

var compaction = object(
	required("compactionId", filled, func(k *CompactionChange) *string { return &k.ID }),
	optional("status", text, func(k *CompactionChange) *string { return &k.Status }),
	optional("summary", change(true, list(block), nil), func(k *CompactionChange) **[]ContentBlock { return &k.Summary }),
	optional("error", change(true, text, ""), func(k *CompactionChange) **string { return &k.Error }),
)

var compactionPiece = compaction.with(
	required("content", block, func(k *CompactionChange) *ContentBlock { return &k.Piece }),
)

var subagent = object(
	required("sessionId", filled, func(a *Subagent) *string { return &a.ID }),
	optional("title", change(true, text, ""), func(a *Subagent) **string { return &a.Title }),
	optional("cwd", text, func(a *Subagent) *string { return &a.Cwd }),
	optional("description", change(true, text, ""), func(a *Subagent) **string { return &a.Description }),
	optional("state", change(true, object(
		optional("state", text, func(s *SubagentState) *string { return &s.State }),
		optional("stopReason", text, func(s *SubagentState) *string { return &s.StopReason }),
	).value, SubagentState{}), func(a *Subagent) **SubagentState { return &a.State }),
	optional("capabilities", change(true, object(
		optional("cancel", marker, func(s *SubagentAllowed) *bool { return &s.Cancel }),
	).value, SubagentAllowed{}), func(a *Subagent) **SubagentAllowed { return &a.Can }),
)

var state = object(
	required("state", filled, func(s *StateUpdate) *string { return &s.State }),
	optional("stopReason", text, func(s *StateUpdate) *string { return &s.StopReason }),
	optional("usage", pointer(turnUsage.value), func(s *StateUpdate) **TurnUsage { return &s.Usage }),
	optional("error", pointer(errorObject), func(s *StateUpdate) **ErrorObject { return &s.Error }),
	optional("background", pointer(list(backgroundWork)), func(s *StateUpdate) **[]BackgroundWork { return &s.Background }),
)

func errorObject(c *jsonscan.Cursor, e *ErrorObject) bool {
	raw := c.Value()
	return jsonscan.KindOf(raw) == jsonscan.Object && json.Unmarshal(raw, e) == nil
}

// workMembers are the type of background work and the ids of the known types.
type workMembers struct{ typ, tool, terminal string }

var workShape = object(
	optional("type", text, func(w *workMembers) *string { return &w.typ }),
	optional("toolCallId", text, func(w *workMembers) *string { return &w.tool }),
	optional("terminalId", text, func(w *workMembers) *string { return &w.terminal }),
)

// backgroundWork keeps work of unknown types, because it also means that something is
// running.
func backgroundWork(c *jsonscan.Cursor, b *BackgroundWork) bool {
	var w workMembers
	before := *c
	if !workShape.value(c, &w) {
		*c = before
		return c.Value() != nil
	}
	switch b.Type = w.typ; w.typ {
	case "tool_call":
		b.ID = w.tool
	case "terminal":
		b.ID = w.terminal
	}
	return true
}
