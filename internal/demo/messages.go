package demo

// The messages of ACP v1 that this agent reads and writes, with only the members it uses.

type initializeParams struct {
	ClientCapabilities clientCapabilities `json:"clientCapabilities"`
}

type clientCapabilities struct {
	FS struct {
		ReadTextFile  bool `json:"readTextFile"`
		WriteTextFile bool `json:"writeTextFile"`
	} `json:"fs"`
	Terminal bool `json:"terminal"`
}

type newSessionParams struct {
	Cwd string `json:"cwd"`
}

type newSessionResult struct {
	SessionID string    `json:"sessionId"`
	Modes     modeState `json:"modes"`
}

type modeState struct {
	CurrentModeID  string `json:"currentModeId"`
	AvailableModes []mode `json:"availableModes"`
}

type mode struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type setModeParams struct {
	SessionID string `json:"sessionId"`
	ModeID    string `json:"modeId"`
}

type promptParams struct {
	SessionID string        `json:"sessionId"`
	Prompt    []promptBlock `json:"prompt"`
}

type promptBlock struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"` // resource_link
	Resource struct {
		URI string `json:"uri"`
	} `json:"resource"`
}

type promptResult struct {
	StopReason string `json:"stopReason"`
}

type sessionNotification struct {
	SessionID string `json:"sessionId"`
	Update    update `json:"update"`
}

// update holds the members of every session/update this agent sends; sessionUpdate says which are
// set. Without sessionUpdate it is also the toolCall of a permission request.
type update struct {
	SessionUpdate string `json:"sessionUpdate,omitempty"`

	MessageID string `json:"messageId,omitempty"`
	Content   any    `json:"content,omitempty"` // textBlock in chunks, []any of tool content in tool calls

	ToolCallID string     `json:"toolCallId,omitempty"`
	Title      string     `json:"title,omitempty"` // of tool calls and session_info_update
	Kind       string     `json:"kind,omitempty"`
	Status     string     `json:"status,omitempty"`
	Locations  []location `json:"locations,omitempty"`
	RawInput   any        `json:"rawInput,omitempty"`
	RawOutput  any        `json:"rawOutput,omitempty"`

	Entries  []planEntry `json:"entries,omitempty"`
	Commands []command   `json:"availableCommands,omitempty"`
	Used     *int        `json:"used,omitempty"`
	Size     *int        `json:"size,omitempty"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func textOf(s string) textBlock { return textBlock{Type: "text", Text: s} }

type toolText struct {
	Type    string    `json:"type"`
	Content textBlock `json:"content"`
}

func toolTextOf(s string) []any { return []any{toolText{Type: "content", Content: textOf(s)}} }

type toolDiff struct {
	Type    string  `json:"type"`
	Path    string  `json:"path"`
	OldText *string `json:"oldText"` // null if the file does not exist yet
	NewText string  `json:"newText"`
}

type toolTerminal struct {
	Type       string `json:"type"`
	TerminalID string `json:"terminalId"`
}

type location struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty"` // 1-based
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

type command struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Input       *commandInput `json:"input,omitempty"`
}

type commandInput struct {
	Hint string `json:"hint"`
}

type permissionParams struct {
	SessionID string             `json:"sessionId"`
	ToolCall  update             `json:"toolCall"`
	Options   []permissionOption `json:"options"`
}

type permissionOption struct {
	OptionID string `json:"optionId"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
}

type permissionResult struct {
	Outcome struct {
		Outcome  string `json:"outcome"`
		OptionID string `json:"optionId"`
	} `json:"outcome"`
}

type readFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
}

type readFileResult struct {
	Content string `json:"content"`
}

type writeFileParams struct {
	SessionID string `json:"sessionId"`
	Path      string `json:"path"`
	Content   string `json:"content"`
}

type createTerminalParams struct {
	SessionID       string `json:"sessionId"`
	Command         string `json:"command"`
	Cwd             string `json:"cwd"`
	OutputByteLimit int    `json:"outputByteLimit"`
}

// terminalParams are the params of terminal/wait_for_exit, output and release, and the result of
// terminal/create.
type terminalParams struct {
	SessionID  string `json:"sessionId,omitempty"`
	TerminalID string `json:"terminalId"`
}

type exitResult struct {
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal"`
}

type outputResult struct {
	Output    string `json:"output"`
	Truncated bool   `json:"truncated"`
}
