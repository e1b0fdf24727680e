package wire

import "parley/internal/jsonscan"

// OpenSessionRequest is session/load, session/resume or session/fork.
type OpenSessionRequest struct {
	SessionID             string   `json:"sessionId"`
	Cwd                   string   `json:"cwd"`
	MCPServers            []any    `json:"mcpServers"`
	AdditionalDirectories []string `json:"additionalDirectories,omitempty"`
}

// OpenSessionResponse is the result of session/load and session/resume. It
// need not name the session, and may be null.
type OpenSessionResponse struct {
	Modes  *Modes
	Config []ConfigOption
	Models *Modes
}

// UnmarshalJSON is lenient.
func (r *OpenSessionResponse) UnmarshalJSON(data []byte) error {
	*r = OpenSessionResponse{}
	if isNull(data) {
		return nil
	}
	return fields(data, func(key string, v []byte) {
		switch key {
		case "modes":
			r.Modes = decodeModes(v, "availableModes", "currentModeId", "id")
		case "models":
			r.Models = decodeModes(v, "availableModels", "currentModelId", "modelId")
		case "configOptions":
			r.Config = DecodeConfigOptions(v)
		}
	})
}

// ListSessionsRequest is session/list. A nil cursor asks for the first page; an
// empty one is a cursor.
type ListSessionsRequest struct {
	Cwd    string  `json:"cwd,omitempty"`
	Cursor *string `json:"cursor,omitempty"`
}

// ListSessionsResponse is one page.
type ListSessionsResponse struct {
	Sessions   []ListedSession
	NextCursor *string
}

// ListedSession is a session that the agent knows.
type ListedSession struct {
	ID, Cwd, Title, UpdatedAt string
	AdditionalDirectories     []string
}

// UnmarshalJSON drops sessions without an id.
func (r *ListSessionsResponse) UnmarshalJSON(data []byte) error {
	*r = ListSessionsResponse{}
	return fields(data, func(key string, v []byte) {
		switch key {
		case "sessions":
			r.Sessions, _ = list(v, decodeListed)
		case "nextCursor":
			r.NextCursor = optStr(v)
		}
	})
}

func decodeListed(raw []byte) (ListedSession, bool) {
	var s ListedSession
	found := false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "sessionId":
			s.ID, found = jsonscan.Text(v)
		case "cwd":
			s.Cwd = str(v)
		case "title":
			s.Title = str(v)
		case "updatedAt":
			s.UpdatedAt = str(v)
		case "additionalDirectories":
			s.AdditionalDirectories, _ = list(v, jsonscan.Text)
		}
	})
	return s, err == nil && found
}

// SetConfigOptionResponse carries the complete new list; nil where the agent
// only says that all is well.
type SetConfigOptionResponse struct{ Config []ConfigOption }

// UnmarshalJSON is lenient.
func (r *SetConfigOptionResponse) UnmarshalJSON(data []byte) error {
	*r = SetConfigOptionResponse{}
	if isNull(data) {
		return nil
	}
	return fields(data, func(key string, v []byte) {
		if key == "configOptions" {
			r.Config = DecodeConfigOptions(v)
		}
	})
}
