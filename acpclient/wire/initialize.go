package wire

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

// ClientCapabilities lists what this client serves.
type ClientCapabilities struct {
	FS       FSCapabilities       `json:"fs"`
	Terminal bool                 `json:"terminal"`
	Session  *SessionCapabilities `json:"session,omitempty"`
	Auth     *AuthCapabilities    `json:"auth,omitempty"`
	// Subagents means that updates and requests of sub-agents may bear their own session ids.
	Subagents *struct{} `json:"subagents,omitempty"`
	// Elicitation lists the supported modes; nil means none.
	Elicitation *ElicitationCapabilities `json:"elicitation,omitempty"`
	Meta        map[string]any           `json:"_meta,omitempty"`
}

// AuthCapabilities says whether logins can run in a real terminal.
type AuthCapabilities struct {
	Terminal bool `json:"terminal"`
}

// FSCapabilities says which fs methods are served.
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

// InitializeRequestV2 is the first message of a v2 connection. A marker object means
// yes.
type InitializeRequestV2 struct {
	ProtocolVersion int                  `json:"protocolVersion"`
	Info            Implementation       `json:"info"`
	Capabilities    ClientCapabilitiesV2 `json:"capabilities"`
}

// ClientCapabilitiesV2 says what this client can do. Clients have no files and commands
// in v2.
type ClientCapabilitiesV2 struct {
	Auth        *ClientAuthV2            `json:"auth,omitempty"`
	Elicitation *ElicitationCapabilities `json:"elicitation,omitempty"`
}

// ClientAuthV2 says that logins may need a terminal.
type ClientAuthV2 struct {
	Terminal *struct{} `json:"terminal,omitempty"`
}

// InitializeResponse says what the agent is and can do. Absent and malformed members
// count as "cannot".
type InitializeResponse struct {
	Version     int // of the protocol; set it before decoding
	Agent       Implementation
	AuthMethods []AuthMethod
	Logout      bool

	Sessions                                       bool // false: it has no session methods
	List, Load, Resume, Close, Delete, Fork, Roots bool
	Title, Archive, Status                         bool // sessions can be renamed, archived, asked about
	SystemPrompt, OverridePrompt                   bool // sessions take instructions, in addition or instead
	AuthStatus                                     bool
	Steering                                       bool // prompts can be put into the running turn
	Image, Audio, EmbeddedContext                  bool // what a prompt may contain besides text and links
	MCPStdio, MCPHTTP, MCPSSE                      bool // the MCP servers that it accepts
}

var implementation = object(
	optional("name", text, func(i *Implementation) *string { return &i.Name }),
	optional("title", text, func(i *Implementation) *string { return &i.Title }),
	optional("version", text, func(i *Implementation) *string { return &i.Version }),
)

var initializeResponses = inBoth(func(v2 bool) *shape[InitializeResponse] {
	can := optional[InitializeResponse, bool]
	prompt := []member[InitializeResponse]{
		can("image", marker, func(r *InitializeResponse) *bool { return &r.Image }),
		can("audio", marker, func(r *InitializeResponse) *bool { return &r.Audio }),
		can("embeddedContext", marker, func(r *InitializeResponse) *bool { return &r.EmbeddedContext }),
	}
	session := []member[InitializeResponse]{
		can("delete", marker, func(r *InitializeResponse) *bool { return &r.Delete }),
		can("additionalDirectories", marker, func(r *InitializeResponse) *bool { return &r.Roots }),
		can("fork", marker, func(r *InitializeResponse) *bool { return &r.Fork }),
		can("title", marker, func(r *InitializeResponse) *bool { return &r.Title }),
		can("archive", marker, func(r *InitializeResponse) *bool { return &r.Archive }),
		can("status", marker, func(r *InitializeResponse) *bool { return &r.Status }),
		nestedMark("systemPrompt", func(r *InitializeResponse) *bool { return &r.SystemPrompt },
			nested("mode", can("override", marker, func(r *InitializeResponse) *bool { return &r.OverridePrompt }))),
	}
	auth := can("status", marker, func(r *InitializeResponse) *bool { return &r.AuthStatus })
	steering := nested("_meta", nested("steering", can("supported", isTrue, func(r *InitializeResponse) *bool { return &r.Steering })))
	http := can("http", marker, func(r *InitializeResponse) *bool { return &r.MCPHTTP })
	logins := optional("authMethods", list(authMethod(v2)), func(r *InitializeResponse) *[]AuthMethod { return &r.AuthMethods })
	if v2 {
		stdio := can("stdio", marker, func(r *InitializeResponse) *bool { return &r.MCPStdio })
		session = append(session, nested("prompt", prompt...), nested("mcp", stdio, http))
		return object(logins, steering,
			optional("info", implementation.value, func(r *InitializeResponse) *Implementation { return &r.Agent }),
			nested("capabilities", nestedMark("session", func(r *InitializeResponse) *bool { return &r.Sessions }, session...), nested("auth", auth)),
		)
	}
	return object(logins, steering,
		optional("agentInfo", implementation.value, func(r *InitializeResponse) *Implementation { return &r.Agent }),
		nested("agentCapabilities",
			can("loadSession", marker, func(r *InitializeResponse) *bool { return &r.Load }),
			nested("promptCapabilities", prompt...),
			nested("mcpCapabilities", http, can("sse", marker, func(r *InitializeResponse) *bool { return &r.MCPSSE })),
			nested("auth", auth, can("logout", marker, func(r *InitializeResponse) *bool { return &r.Logout })),
			nested("sessionCapabilities", append(session,
				can("list", marker, func(r *InitializeResponse) *bool { return &r.List }),
				can("resume", marker, func(r *InitializeResponse) *bool { return &r.Resume }),
				can("close", marker, func(r *InitializeResponse) *bool { return &r.Close }))...),
		),
	)
})

// UnmarshalJSON is lenient. Abilities that every agent of the version has need no
// marker.
func (r *InitializeResponse) UnmarshalJSON(data []byte) error {
	*r = InitializeResponse{Version: r.Version}
	err := initializeResponses[r.Version].all(data, r)
	if r.Version == 2 {
		r.List, r.Load, r.Resume, r.Close, r.Logout = r.Sessions, r.Sessions, r.Sessions, r.Sessions, len(r.AuthMethods) > 0
	} else {
		r.Sessions, r.MCPStdio = true, true
	}
	return err
}

// DecodeVersion returns the protocolVersion of an answer of any version, nil if it is
// absent or null.
func DecodeVersion(raw []byte) (version Raw) {
	object(optional("protocolVersion", verbatim, self[Raw])).all(raw, &version)
	return version
}
