package wire

import "parley/internal/jsonscan"

// NewSessionRequest is session/new. MCPServers is required in v1: send an
// empty list, not nil.
type NewSessionRequest struct {
	Cwd                   string        `json:"cwd"`
	MCPServers            []any         `json:"mcpServers"`
	AdditionalDirectories []string      `json:"additionalDirectories,omitempty"`
	SystemPrompt          *SystemPrompt `json:"systemPrompt,omitempty"`
}

// SystemPrompt is instructions for the agent. Mode is append or override.
type SystemPrompt struct {
	Mode    string `json:"mode"`
	Content []any  `json:"content"`
}

// MCPStdio is an MCP server started by the agent. In v1 it has no type.
type MCPStdio struct {
	Name    string   `json:"name"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Env     []EnvVar `json:"env"`
}

// MCPRemote is an MCP server that the agent dials; Type is http or sse.
type MCPRemote struct {
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Headers []EnvVar `json:"headers"`
}

// EnvVar is a name with its value: an environment variable or a header.
type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// NewSessionResponse names the new session.
type NewSessionResponse struct{ SessionID string }

var newSessionResponse = object(required("sessionId", filled, func(r *NewSessionResponse) *string { return &r.SessionID }))

// UnmarshalJSON needs a sessionId.
func (r *NewSessionResponse) UnmarshalJSON(data []byte) error {
	*r = NewSessionResponse{}
	return newSessionResponse.all(data, r)
}

// OpenSessionRequest is session/load, session/resume or session/fork.
type OpenSessionRequest struct {
	SessionID string `json:"sessionId"`
	NewSessionRequest
}

// ResumeSessionRequestV2 is session/resume of v2, which replaces session/load.
type ResumeSessionRequestV2 struct {
	OpenSessionRequest
	ReplayFrom *ReplayFrom `json:"replayFrom,omitempty"` // nil: no replay
}

// ReplayFrom says where the replay of the conversation starts. "start" means all of it.
type ReplayFrom struct {
	Type string `json:"type"`
}

// Offered holds what the results of session/set_config_option and of the methods that
// open a session say about the session. Nil means absent.
type Offered struct {
	Version  int // of the protocol; set it before decoding
	Modes    *Modes
	Models   *Modes // the legacy models member, in the shape of modes
	Config   []ConfigOption
	Commands []Command
}

// Modes are the modes of a session.
type Modes struct {
	Current   string
	Available []Mode
}

// Mode is one of them.
type Mode struct {
	ID, Name, Description string
	Group                 string // for an option's value: the heading of its group
}

var offers = inBoth(func(v2 bool) *shape[Offered] {
	if v2 {
		return object(
			optional("configOptions", list(configOption("configId")), func(o *Offered) *[]ConfigOption { return &o.Config }),
			optional("availableCommands", list(command.value), func(o *Offered) *[]Command { return &o.Commands }),
		)
	}
	return object(
		optional("configOptions", list(configOption("id")), func(o *Offered) *[]ConfigOption { return &o.Config }),
		optional("modes", pointer(switches("availableModes", "currentModeId", "id").value), func(o *Offered) **Modes { return &o.Modes }),
		optional("models", pointer(switches("availableModels", "currentModelId", "modelId").value), func(o *Offered) **Modes { return &o.Models }),
	)
})

// UnmarshalJSON is lenient and accepts null.
func (o *Offered) UnmarshalJSON(data []byte) error {
	*o = Offered{Version: o.Version}
	if isNull(data) {
		return nil
	}
	return offers[o.Version].all(data, o)
}

func switches(available, current, id string) *shape[Modes] {
	return object(
		optional(current, text, func(m *Modes) *string { return &m.Current }),
		optional(available, list(object(
			required(id, filled, func(m *Mode) *string { return &m.ID }),
			optional("name", text, func(m *Mode) *string { return &m.Name }),
			optional("description", text, func(m *Mode) *string { return &m.Description }),
		).value), func(m *Modes) *[]Mode { return &m.Available }),
	)
}

// ConfigOption is a setting of a session with its value.
type ConfigOption struct {
	ID, Name, Category, Type string
	Current                  string // the value of a select, "on" or "off" of a boolean
	Options                  []Mode // the values of a select, groups flattened
}

// configOption declares an option. The versions differ only in the name of its id. An
// option of unknown type is malformed, because it could not be set.
func configOption(id string) value[ConfigOption] {
	members := object(
		required(id, filled, func(o *ConfigOption) *string { return &o.ID }),
		optional("name", text, func(o *ConfigOption) *string { return &o.Name }),
		optional("category", text, func(o *ConfigOption) *string { return &o.Category }),
		required("type", text, func(o *ConfigOption) *string { return &o.Type }),
		optional("currentValue", onOff, func(o *ConfigOption) *string { return &o.Current }),
		optional("options", choices, func(o *ConfigOption) *[]Mode { return &o.Options }),
	)
	return func(c *jsonscan.Cursor, o *ConfigOption) bool {
		return members.value(c, o) && (o.Type == "select" || o.Type == "boolean")
	}
}

func onOff(c *jsonscan.Cursor, s *string) bool {
	switch raw := c.Value(); string(raw) {
	case "true":
		*s = "on"
	case "false":
		*s = "off"
	default:
		*s, _ = jsonscan.Text(raw)
	}
	return true
}

// choice is a value of a select, or a group of values.
type choice struct {
	Mode
	group []Mode // nil if it is not a group
}

var choiceShape = object(
	optional("value", text, func(m *choice) *string { return &m.ID }),
	optional("name", text, func(m *choice) *string { return &m.Name }),
	optional("description", text, func(m *choice) *string { return &m.Description }),
	optional("options", list(object(
		required("value", filled, func(m *Mode) *string { return &m.ID }),
		optional("name", text, func(m *Mode) *string { return &m.Name }),
		optional("description", text, func(m *Mode) *string { return &m.Description }),
	).value), func(m *choice) *[]Mode { return &m.group }),
)

// choices are the values of a select, groups flattened.
func choices(c *jsonscan.Cursor, into *[]Mode) bool {
	var all []choice
	if !list(choiceShape.value)(c, &all) {
		return false
	}
	for _, m := range all {
		for _, inner := range m.group {
			inner.Group = m.Name
			*into = append(*into, inner)
		}
		if m.group == nil && m.ID != "" {
			*into = append(*into, m.Mode)
		}
	}
	return true
}

// MCPServerStdioV2 is an MCP server started by the agent. In v2 it has a type.
type MCPServerStdioV2 struct {
	Type string `json:"type"`
	MCPStdio
}

// SetOptionRequestV2 is session/set_config_option of v2. Type is "id" or "boolean", the
// type of Value.
type SetOptionRequestV2 struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Type      string `json:"type"`
	Value     any    `json:"value"`
}

// ToolCallRef is the params of tool_call/cancel.
type ToolCallRef struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId"`
}

// TerminalRefV2 is the params of terminal/cancel.
type TerminalRefV2 struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// ListSessionsRequest is session/list. A nil cursor asks for the first page; an
// empty one is a cursor.
type ListSessionsRequest struct {
	Cwd      string  `json:"cwd,omitempty"`
	Cursor   *string `json:"cursor,omitempty"`
	Archived string  `json:"archived,omitempty"` // include: those that are archived, too
}

// ListSessionsResponse is one page.
type ListSessionsResponse struct {
	Sessions   []ListedSession
	NextCursor *string
}

// ListedSession is a session that the agent has stored.
type ListedSession struct {
	ID, Cwd, Title, UpdatedAt string
	AdditionalDirectories     []string
	Archived                  bool
}

var listSessionsResponse = object(
	optional("sessions", list(listedSession.value), func(r *ListSessionsResponse) *[]ListedSession { return &r.Sessions }),
	optional("nextCursor", pointer(text), func(r *ListSessionsResponse) **string { return &r.NextCursor }),
)

var listedSession = object(
	required("sessionId", text, func(s *ListedSession) *string { return &s.ID }),
	optional("cwd", text, func(s *ListedSession) *string { return &s.Cwd }),
	optional("title", text, func(s *ListedSession) *string { return &s.Title }),
	optional("updatedAt", text, func(s *ListedSession) *string { return &s.UpdatedAt }),
	optional("additionalDirectories", list(text), func(s *ListedSession) *[]string { return &s.AdditionalDirectories }),
	optional("archived", isTrue, func(s *ListedSession) *bool { return &s.Archived }),
)

// UnmarshalJSON drops sessions without an id.
func (r *ListSessionsResponse) UnmarshalJSON(data []byte) error {
	*r = ListSessionsResponse{}
	return listSessionsResponse.all(data, r)
}

// PromptRequest is session/prompt.
type PromptRequest struct {
	SessionID string `json:"sessionId"`
	Prompt    []any  `json:"prompt"`
}

// SteerRequest is _session/steering: a prompt for the turn that runs. Without one the agent leaves it
// to the client.
type SteerRequest struct {
	PromptRequest
	Meta struct {
		Steering struct {
			IdleBehavior string `json:"idleBehavior"`
		} `json:"steering"`
	} `json:"_meta"`
}

// SetTitleRequest is session/set_title.
type SetTitleRequest struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
}

// PromptResponse ends a turn of v1 with a StopReason. In v2 it says that the prompt has
// become the message with this id; older agents leave the id out.
type PromptResponse struct {
	StopReason, MessageID string
	Usage                 *TurnUsage // of v1; nil if the agent reports none
}

// TurnUsage counts tokens. In v1 agents differ whether they are those of the turn or of the session.
type TurnUsage struct{ Total, Input, Output, Thought, CachedRead, CachedWrite uint64 }

var turnUsage = object(
	optional("totalTokens", tokens, func(u *TurnUsage) *uint64 { return &u.Total }),
	optional("inputTokens", tokens, func(u *TurnUsage) *uint64 { return &u.Input }),
	optional("outputTokens", tokens, func(u *TurnUsage) *uint64 { return &u.Output }),
	optional("thoughtTokens", tokens, func(u *TurnUsage) *uint64 { return &u.Thought }),
	optional("cachedReadTokens", tokens, func(u *TurnUsage) *uint64 { return &u.CachedRead }),
	optional("cachedWriteTokens", tokens, func(u *TurnUsage) *uint64 { return &u.CachedWrite }),
)

var promptResponse = object(
	optional("stopReason", text, func(r *PromptResponse) *string { return &r.StopReason }),
	optional("messageId", text, func(r *PromptResponse) *string { return &r.MessageID }),
	optional("usage", pointer(turnUsage.value), func(r *PromptResponse) **TurnUsage { return &r.Usage }),
)

// UnmarshalJSON is lenient.
func (r *PromptResponse) UnmarshalJSON(data []byte) error {
	*r = PromptResponse{}
	return promptResponse.all(data, r)
}

// SessionRef is the params of methods that need only a session.
type SessionRef struct {
	SessionID string `json:"sessionId"`
}
