package wire

import "parley/internal/jsonscan"

// ToolCall is a tool_call, a tool_call_update or the toolCall of a permission request. A
// nil field is unchanged; a list replaces the earlier one. In v1 null leaves a field
// unchanged. In v2 null clears it: to the zero value, RawInput and RawOutput to the JSON
// null.
type ToolCall struct {
	ID        string
	Title     *string
	Name      *string
	Kind      *string // read edit delete move search execute think fetch switch_mode other; open
	Status    *string // pending in_progress completed failed; open
	Content   *[]ToolContent
	Locations *[]Location
	RawInput  Raw
	RawOutput Raw
	Meta      ToolMeta // in v1
	Cancel    *bool    // in v2: capabilities.cancel
}

// ToolContent is one item of a tool call's content.
type ToolContent struct {
	Type       string // content, diff, terminal, ChangesContent; others are in Raw
	Block      ContentBlock
	Path       string
	OldText    *string // nil: no old text (which does not prove that the file is new)
	NewText    string
	Deleted    bool
	Partial    bool // OldText and NewText are part of the file, even if they end with a newline; set by the engine
	Overwrites bool // OldText is what the file holds; the agent sent none; set by the services
	Asked      bool // a change that came with a question; set by the engine
	Kept       bool // a change that the agent's last update has replaced by something else; set by the engine
	TerminalID string
	Raw        Raw

	// For ChangesContent, the diff of v2. Patch is a text in PatchFormat (git_patch;
	// open) and may be absent.
	Changes            []FileChange
	PatchFormat, Patch string
}

// FileChange is one entry of a v2 diff. Operation: add, delete, modify, move, copy;
// open. OldPath is set for moves and copies.
type FileChange struct {
	Operation, Path, OldPath string
	FileType, MimeType       string // "" if absent
}

// ChangesContent is the ToolContent.Type of a v2 diff. The type "diff" is that of v1.
const ChangesContent = "changes"

// Location is a position in a file. Line counts from 1, 0 if absent.
type Location struct {
	Path string
	Line int
}

// ToolMeta is what agents put into _meta of tool calls for terminals that they run
// themselves: terminal_info, terminal_output (or terminal_output_delta) and
// terminal_exit.
type ToolMeta struct {
	Info   *TerminalInfo
	Output *TerminalOutput
	Exit   *TerminalExit
}

// TerminalInfo announces a terminal that the agent runs.
type TerminalInfo struct{ TerminalID, Cwd string }

// TerminalOutput is more output of such a terminal.
type TerminalOutput struct{ TerminalID, Data string }

// toolCalls declares a tool call.
var toolCalls = inBoth(func(v2 bool) *shape[ToolCall] {
	patched := func(unknown string) value[*string] { return change(v2, text, unknown) }
	contents, raw := toolContents[1], value[Raw](verbatim)
	if v2 {
		contents, raw = toolContents[2], verbatimOrNull
	}
	s := object(
		required("toolCallId", text, func(t *ToolCall) *string { return &t.ID }),
		optional("title", patched(""), func(t *ToolCall) **string { return &t.Title }),
		optional("name", patched(""), func(t *ToolCall) **string { return &t.Name }),
		optional("kind", usually(patched("other"), "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"), func(t *ToolCall) **string { return &t.Kind }),
		optional("status", usually(patched("pending"), "pending", "in_progress", "completed", "failed"), func(t *ToolCall) **string { return &t.Status }),
		optional("content", change(v2, list(contents), []ToolContent{}), func(t *ToolCall) **[]ToolContent { return &t.Content }),
		optional("locations", change(v2, list(location.value), []Location{}), func(t *ToolCall) **[]Location { return &t.Locations }),
		optional("rawInput", raw, func(t *ToolCall) *Raw { return &t.RawInput }),
		optional("rawOutput", raw, func(t *ToolCall) *Raw { return &t.RawOutput }),
	)
	if v2 {
		return s.with(optional("capabilities", cancelable, func(t *ToolCall) **bool { return &t.Cancel }))
	}
	return s.with(optional("_meta", toolMeta.value, func(t *ToolCall) *ToolMeta { return &t.Meta }))
})

// cancelable decodes whether capabilities have cancel. Null, or an object without it,
// means no.
var cancelable = change(true, object(optional("cancel", marker, self[bool])).value, false)

// contentMembers are an item of the content with the members that complete it.
type contentMembers struct {
	*ToolContent
	newText, patch *string
	patchFormat    string
}

// toolContents decodes an item of the content.
var toolContents = inBoth(func(v2 bool) value[ToolContent] {
	members := object(
		optional("type", text, func(m *contentMembers) *string { return &m.Type }),
		optional("content", block, func(m *contentMembers) *ContentBlock { return &m.Block }),
		optional("path", text, func(m *contentMembers) *string { return &m.Path }),
		optional("oldText", pointer(text), func(m *contentMembers) **string { return &m.OldText }),
		optional("newText", pointer(text), func(m *contentMembers) **string { return &m.newText }),
		optional("deleted", isTrue, func(m *contentMembers) *bool { return &m.Deleted }),
		optional("terminalId", text, func(m *contentMembers) *string { return &m.TerminalID }),
	)
	if v2 {
		members = members.with(
			optional("changes", list(fileChange), func(m *contentMembers) *[]FileChange { return &m.Changes }),
			nested("patch",
				optional("format", text, func(m *contentMembers) *string { return &m.patchFormat }),
				optional("text", pointer(text), func(m *contentMembers) **string { return &m.patch }),
			),
		)
	}
	return func(c *jsonscan.Cursor, t *ToolContent) bool {
		m, before := contentMembers{ToolContent: t}, *c
		return members.value(c, &m) && m.complete(c, before)
	}
})

// complete completes an item after all members were read and reports whether it is
// valid. The item is the text from before to c.
func (m *contentMembers) complete(c *jsonscan.Cursor, before jsonscan.Cursor) bool {
	t := m.ToolContent
	if t.Type == "diff" && t.Changes != nil {
		if t.Type = ChangesContent; m.patch != nil {
			t.PatchFormat, t.Patch = m.patchFormat, *m.patch
		}
		return true
	}
	if t.Changes = nil; m.newText != nil {
		t.NewText = *m.newText
	}
	switch t.Type {
	case "content":
		return t.Block.Type != ""
	case "diff":
		return t.Path != "" && (m.newText != nil || t.Deleted)
	case "terminal":
		return t.TerminalID != ""
	case "text", "image", "audio", "resource_link", "resource":
		// A bare content block instead of a wrapped one, as the protocol's own
		// documentation shows it.
		t.Type, t.Block = "content", ContentBlock{}
		*c = before
		return block(c, &t.Block)
	case "":
		return false
	}
	t.Raw = keep(c.From(before.Pos()))
	return true
}

var fileChangeMembers = object(
	required("operation", filled, func(f *FileChange) *string { return &f.Operation }),
	optional("path", text, func(f *FileChange) *string { return &f.Path }),
	optional("oldPath", text, func(f *FileChange) *string { return &f.OldPath }),
	optional("fileType", text, func(f *FileChange) *string { return &f.FileType }),
	optional("mimeType", text, func(f *FileChange) *string { return &f.MimeType }),
)

// fileChange accepts unknown operations. Known ones must be complete.
func fileChange(c *jsonscan.Cursor, f *FileChange) bool {
	if !fileChangeMembers.value(c, f) {
		return false
	}
	switch f.Operation {
	case "add", "delete", "modify":
		return f.Path != ""
	case "move", "copy":
		return f.Path != "" && f.OldPath != ""
	}
	return true
}

var location = object(
	required("path", filled, func(l *Location) *string { return &l.Path }),
	optional("line", positive(1<<31-1), func(l *Location) *int { return &l.Line }),
)

var toolMeta = object(
	optional("terminal_info", pointer(object(
		optional("terminal_id", text, func(t *TerminalInfo) *string { return &t.TerminalID }),
		optional("cwd", text, func(t *TerminalInfo) *string { return &t.Cwd }),
	).value), func(m *ToolMeta) **TerminalInfo { return &m.Info }),
	optional("terminal_output", pointer(terminalOutput.value), func(m *ToolMeta) **TerminalOutput { return &m.Output }),
	optional("terminal_output_delta", pointer(terminalOutput.value), func(m *ToolMeta) **TerminalOutput { return &m.Output }),
	optional("terminal_exit", pointer(object(
		optional("terminal_id", text, func(t *TerminalExit) *string { return &t.TerminalID }),
		optional("exit_code", pointer(integer), func(t *TerminalExit) **int64 { return &t.ExitCode }),
		optional("signal", text, func(t *TerminalExit) *string { return &t.Signal }),
	).value), func(m *ToolMeta) **TerminalExit { return &m.Exit }),
)

var terminalOutput = object(
	optional("terminal_id", text, func(t *TerminalOutput) *string { return &t.TerminalID }),
	optional("data", text, func(t *TerminalOutput) *string { return &t.Data }),
)
