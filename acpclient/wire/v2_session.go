package wire

import "parley/internal/jsonscan"

// InitializeRequestV2 is the first message of a v2 connection. Markers are
// objects: present is yes.
type InitializeRequestV2 struct {
	ProtocolVersion int                  `json:"protocolVersion"`
	Info            Implementation       `json:"info"`
	Capabilities    ClientCapabilitiesV2 `json:"capabilities"`
}

// ClientCapabilitiesV2 says what this client can do; there are no files and no
// commands of the client's in v2.
type ClientCapabilitiesV2 struct {
	Auth        *ClientAuthV2            `json:"auth,omitempty"`
	Elicitation *ElicitationCapabilities `json:"elicitation,omitempty"`
}

// ClientAuthV2 says that logins may need a terminal.
type ClientAuthV2 struct {
	Terminal *struct{} `json:"terminal,omitempty"`
}

// DecodeVersion finds what an agent answered as protocolVersion, whatever the
// version; nil where it is absent or null.
func DecodeVersion(raw []byte) (version Raw) {
	fields(raw, func(key string, v []byte) {
		if key == "protocolVersion" {
			version = keep(v)
		}
	})
	return version
}

// InitializeResponseV2 is what an agent of v2 is and can do. Everything absent
// or malformed counts as "cannot".
type InitializeResponseV2 struct {
	Info          Implementation
	Sessions      bool // without it there is no session method at all
	Prompt        PromptCapabilities
	MCPStdio      bool
	MCPHTTP       bool
	Delete, Roots bool
	AuthMethods   []AuthMethod
}

// UnmarshalJSON is lenient.
func (r *InitializeResponseV2) UnmarshalJSON(data []byte) error {
	*r = InitializeResponseV2{}
	return fields(data, func(key string, v []byte) {
		switch key {
		case "info":
			fields(v, func(key string, v []byte) {
				switch key {
				case "name":
					r.Info.Name = str(v)
				case "title":
					r.Info.Title = str(v)
				case "version":
					r.Info.Version = str(v)
				}
			})
		case "capabilities":
			fields(v, func(key string, v []byte) {
				if key == "session" && jsonscan.KindOf(v) == jsonscan.Object {
					r.Sessions = true
					r.decodeSession(v)
				}
			})
		case "authMethods":
			r.AuthMethods, _ = list(v, decodeAuthMethodV2)
		}
	})
}

func (r *InitializeResponseV2) decodeSession(raw []byte) {
	flags := func(raw []byte, of map[string]*bool) {
		fields(raw, func(key string, v []byte) {
			if flag := of[key]; flag != nil {
				*flag = marker(v)
			}
		})
	}
	flags(raw, map[string]*bool{"delete": &r.Delete, "additionalDirectories": &r.Roots})
	fields(raw, func(key string, v []byte) {
		switch key {
		case "prompt":
			flags(v, map[string]*bool{"image": &r.Prompt.Image, "audio": &r.Prompt.Audio, "embeddedContext": &r.Prompt.EmbeddedContext})
		case "mcp":
			flags(v, map[string]*bool{"stdio": &r.MCPStdio, "http": &r.MCPHTTP})
		}
	})
}

// ResumeSessionRequestV2 is session/resume of v2, which replaces session/load.
type ResumeSessionRequestV2 struct {
	OpenSessionRequest
	ReplayFrom *ReplayFrom `json:"replayFrom,omitempty"` // nil: no replay
}

// ReplayFrom says from where the conversation is to be replayed; "start" is all
// of it.
type ReplayFrom struct {
	Type string `json:"type"`
}

// MCPServerStdioV2 is an MCP server started by the agent. In v2 it has a type.
type MCPServerStdioV2 struct {
	Type string `json:"type"`
	MCPStdio
}

// SetOptionRequestV2 is session/set_config_option of v2. Type is "id" or
// "boolean", and says what Value is.
type SetOptionRequestV2 struct {
	SessionID string `json:"sessionId"`
	ConfigID  string `json:"configId"`
	Type      string `json:"type"`
	Value     any    `json:"value"`
}

// ToolCallRef and TerminalRefV2 are the params of tool_call/cancel and
// terminal/cancel.
type ToolCallRef struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId"`
}

// TerminalRefV2 names a terminal of the agent's.
type TerminalRefV2 struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// PromptResponseV2 says that the prompt has become this message of the
// conversation. Older agents leave the id out.
type PromptResponseV2 struct{ MessageID string }

// UnmarshalJSON is lenient.
func (r *PromptResponseV2) UnmarshalJSON(data []byte) error {
	*r = PromptResponseV2{}
	return fields(data, func(key string, v []byte) {
		if key == "messageId" {
			r.MessageID = str(v)
		}
	})
}

// OfferedV2 is what the results of session/new, session/resume and
// session/set_config_option tell of a session besides its id. Nil is untold.
type OfferedV2 struct {
	Config   []ConfigOption
	Commands []Command
}

// UnmarshalJSON is lenient, also about a null.
func (r *OfferedV2) UnmarshalJSON(data []byte) error {
	*r = OfferedV2{}
	if isNull(data) {
		return nil
	}
	return fields(data, func(key string, v []byte) {
		switch key {
		case "configOptions":
			r.Config, _ = list(v, decodeConfigOptionV2)
		case "availableCommands":
			r.Commands, _ = list(v, decodeCommand)
		}
	})
}

func decodeConfigOptionV2(raw []byte) (ConfigOption, bool) {
	return decodeConfigOption(raw, "configId")
}
