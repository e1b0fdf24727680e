package wire

import (
	"parley/internal/jsonscan"
)

// Implementation names a program.
type Implementation struct {
	Name    string `json:"name"`
	Title   string `json:"title,omitempty"`
	Version string `json:"version"`
}

// InitializeRequest is the first message of a v1 connection.
type InitializeRequest struct {
	ProtocolVersion    int                `json:"protocolVersion"`
	ClientCapabilities ClientCapabilities `json:"clientCapabilities"`
	ClientInfo         Implementation     `json:"clientInfo"`
}

// ClientCapabilities says what this client really serves.
type ClientCapabilities struct {
	FS       FSCapabilities       `json:"fs"`
	Terminal bool                 `json:"terminal"`
	Session  *SessionCapabilities `json:"session,omitempty"`
	Auth     *AuthCapabilities    `json:"auth,omitempty"`
	// Elicitation names the modes that are served; nil serves none.
	Elicitation *ElicitationCapabilities `json:"elicitation,omitempty"`
	Meta        map[string]any           `json:"_meta,omitempty"`
}

// AuthCapabilities says whether logins can run in a real terminal.
type AuthCapabilities struct {
	Terminal bool `json:"terminal"`
}

// FSCapabilities gates fs/*.
type FSCapabilities struct {
	ReadTextFile  bool `json:"readTextFile"`
	WriteTextFile bool `json:"writeTextFile"`
}

// SessionCapabilities announces optional kinds of session/update.
type SessionCapabilities struct {
	Notices       *struct{}           `json:"notices,omitempty"`
	Compaction    *struct{}           `json:"compaction,omitempty"`
	ConfigOptions *ConfigCapabilities `json:"configOptions,omitempty"`
}

// ConfigCapabilities says that options may be booleans.
type ConfigCapabilities struct {
	Boolean struct{} `json:"boolean"`
}

// InitializeResponse is what the agent is and can do. Everything absent or
// malformed counts as "cannot".
type InitializeResponse struct {
	ProtocolVersion Raw // a number from any agent of today; kept raw to say what else came
	AgentInfo       Implementation
	LoadSession     bool
	Prompt          PromptCapabilities
	MCP             MCPCapabilities
	Sessions        AgentSessionCapabilities
	Logout          bool
	AuthMethods     []AuthMethod
}

// PromptCapabilities tells what a prompt may hold besides text and links.
type PromptCapabilities struct{ Image, Audio, EmbeddedContext bool }

// MCPCapabilities tells which MCP servers besides stdio may be passed on.
type MCPCapabilities struct{ HTTP, SSE bool }

// AgentSessionCapabilities tells the optional session methods.
type AgentSessionCapabilities struct {
	List, Delete, Resume, Close, Fork, AdditionalDirectories bool
}

// UnmarshalJSON is lenient.
func (r *InitializeResponse) UnmarshalJSON(data []byte) error {
	*r = InitializeResponse{}
	return fields(data, func(key string, v []byte) {
		switch key {
		case "protocolVersion":
			r.ProtocolVersion = keep(v)
		case "agentInfo":
			fields(v, func(key string, v []byte) {
				switch key {
				case "name":
					r.AgentInfo.Name = str(v)
				case "title":
					r.AgentInfo.Title = str(v)
				case "version":
					r.AgentInfo.Version = str(v)
				}
			})
		case "agentCapabilities":
			r.decodeCapabilities(v)
		case "authMethods":
			r.AuthMethods, _ = list(v, decodeAuthMethodV1)
		}
	})
}

func (r *InitializeResponse) decodeCapabilities(raw []byte) {
	fields(raw, func(key string, v []byte) {
		switch key {
		case "loadSession":
			r.LoadSession = marker(v)
		case "promptCapabilities":
			fields(v, func(key string, v []byte) {
				switch key {
				case "image":
					r.Prompt.Image = marker(v)
				case "audio":
					r.Prompt.Audio = marker(v)
				case "embeddedContext":
					r.Prompt.EmbeddedContext = marker(v)
				}
			})
		case "mcpCapabilities":
			fields(v, func(key string, v []byte) {
				switch key {
				case "http":
					r.MCP.HTTP = marker(v)
				case "sse":
					r.MCP.SSE = marker(v)
				}
			})
		case "auth":
			fields(v, func(key string, v []byte) {
				if key == "logout" {
					r.Logout = marker(v)
				}
			})
		case "sessionCapabilities":
			s := &r.Sessions
			of := map[string]*bool{"list": &s.List, "delete": &s.Delete, "resume": &s.Resume, "close": &s.Close,
				"fork": &s.Fork, "additionalDirectories": &s.AdditionalDirectories}
			fields(v, func(key string, v []byte) {
				if flag := of[key]; flag != nil {
					*flag = marker(v)
				}
			})
		}
	})
}

// NewSessionRequest is session/new. MCPServers is required in v1: send an
// empty list, not nil.
type NewSessionRequest struct {
	Cwd                   string   `json:"cwd"`
	MCPServers            []any    `json:"mcpServers"`
	AdditionalDirectories []string `json:"additionalDirectories,omitempty"`
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
type NewSessionResponse struct {
	SessionID string
	Modes     *Modes
	Config    []ConfigOption
	Models    *Modes // the legacy models member, in the shape of modes
}

// Modes is what a session may be switched between.
type Modes struct {
	Current   string
	Available []Mode
}

// Mode is one of them.
type Mode struct {
	ID, Name, Description string
	Group                 string // of an option's value: what the values around it are called together
}

// UnmarshalJSON needs a sessionId and is lenient about the rest.
func (r *NewSessionResponse) UnmarshalJSON(data []byte) error {
	*r = NewSessionResponse{}
	err := fields(data, func(key string, v []byte) {
		switch key {
		case "sessionId":
			r.SessionID, _ = jsonscan.Text(v)
		case "modes":
			r.Modes = decodeModes(v, "availableModes", "currentModeId", "id")
		case "models":
			r.Models = decodeModes(v, "availableModels", "currentModelId", "modelId")
		case "configOptions":
			r.Config = DecodeConfigOptions(v)
		}
	})
	if err == nil && r.SessionID == "" {
		return need("sessionId")
	}
	return err
}

func decodeModes(raw []byte, items, current, id string) *Modes {
	var m Modes
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case current:
			m.Current = str(v)
		case items:
			m.Available, _ = list(v, func(raw []byte) (Mode, bool) {
				var mode Mode
				err := fields(raw, func(key string, v []byte) {
					switch key {
					case id:
						mode.ID = str(v)
					case "name":
						mode.Name = str(v)
					case "description":
						mode.Description = str(v)
					}
				})
				return mode, err == nil && mode.ID != ""
			})
		}
	})
	if err != nil {
		return nil
	}
	return &m
}

// ConfigOption is a setting of a session: what is needed to show its value.
type ConfigOption struct {
	ID, Name, Category, Type string
	Current                  string // the value of a select, "on" or "off" of a boolean
	Options                  []Mode // of a select, those of groups in their place
}

// DecodeConfigOptions drops items that are malformed or of unknown type: nobody
// could set them.
func DecodeConfigOptions(raw []byte) []ConfigOption {
	out, _ := list(raw, func(raw []byte) (ConfigOption, bool) { return decodeConfigOption(raw, "id") })
	return out
}

// decodeConfigOption reads one; the versions only differ in the name of its id.
func decodeConfigOption(raw []byte, id string) (ConfigOption, bool) {
	var o ConfigOption
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case id:
			o.ID = str(v)
		case "name":
			o.Name = str(v)
		case "category":
			o.Category = str(v)
		case "type":
			o.Type = str(v)
		case "currentValue":
			switch string(v) {
			case "true":
				o.Current = "on"
			case "false":
				o.Current = "off"
			default:
				o.Current = str(v)
			}
		case "options":
			o.Options = decodeOptions(v, "", true)
		}
	})
	return o, err == nil && o.ID != "" && (o.Type == "select" || o.Type == "boolean")
}

// decodeOptions reads the values of a select. Groups hold values, and no groups.
func decodeOptions(raw []byte, group string, groups bool) []Mode {
	var out []Mode
	it := jsonscan.ItemsOf(raw)
	for it.Next() {
		m := Mode{Group: group}
		var inner []byte
		fields(it.Value, func(key string, v []byte) {
			switch key {
			case "value":
				m.ID = str(v)
			case "name":
				m.Name = str(v)
			case "description":
				m.Description = str(v)
			case "options":
				inner = v
			}
		})
		switch {
		case inner != nil && groups:
			out = append(out, decodeOptions(inner, m.Name, false)...)
		case m.ID != "":
			out = append(out, m)
		}
	}
	return out
}

// PromptRequest is session/prompt.
type PromptRequest struct {
	SessionID string `json:"sessionId"`
	Prompt    []any  `json:"prompt"`
}

// PromptResponse ends a turn of v1.
type PromptResponse struct{ StopReason string }

// UnmarshalJSON is lenient.
func (r *PromptResponse) UnmarshalJSON(data []byte) error {
	*r = PromptResponse{}
	return fields(data, func(key string, v []byte) {
		if key == "stopReason" {
			r.StopReason = str(v)
		}
	})
}

// SessionRef is the params of methods that need only a session.
type SessionRef struct {
	SessionID string `json:"sessionId"`
}
