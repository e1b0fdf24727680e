package wire

import "parley/internal/jsonscan"

// ToolCall is a tool_call, a tool_call_update or the toolCall of a permission
// request. A nil field was absent, null or malformed, which all mean
// "unchanged" in v1; a list that is there replaces the one before.
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
	Meta      ToolMeta
}

// ToolContent is one item of a tool call's content.
type ToolContent struct {
	Type       string // content, diff, terminal, ChangesContent; anything else is in Raw
	Block      ContentBlock
	Path       string
	OldText    *string // nil: no text before (which does not prove a new file)
	NewText    string
	Deleted    bool
	Partial    bool // OldText and NewText are a part of the file, however they end; set by the engine
	TerminalID string
	Raw        Raw

	// Of ChangesContent, the diff of v2. Patch is a text in PatchFormat
	// (git_patch; open) and may be absent.
	Changes            []FileChange
	PatchFormat, Patch string
}

// Location is a place in a file. Line is 1-based, 0 where not given.
type Location struct {
	Path string
	Line int
}

// ToolMeta is what agents put under _meta of tool calls for terminals of their
// own: terminal_info, terminal_output (or terminal_output_delta) and
// terminal_exit.
type ToolMeta struct {
	Info   *TerminalInfo
	Output *TerminalOutput
	Exit   *TerminalExit
}

// TerminalInfo announces a terminal that the agent runs itself.
type TerminalInfo struct{ TerminalID, Cwd string }

// TerminalOutput carries more of such a terminal's bytes.
type TerminalOutput struct{ TerminalID, Data string }

// TerminalExit ends such a terminal.
type TerminalExit struct {
	TerminalID string
	ExitCode   *int64
	Signal     string
}

// DecodeToolCall needs a toolCallId and is lenient about all else.
func DecodeToolCall(raw []byte) (ToolCall, error) {
	var t ToolCall
	found := false
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		v := m.Value
		switch string(m.Key) {
		case "toolCallId":
			t.ID, found = jsonscan.Text(v)
		case "title":
			t.Title = optStr(v)
		case "name":
			t.Name = optStr(v)
		case "kind":
			t.Kind = optStr(v)
		case "status":
			t.Status = optStr(v)
		case "content":
			if items, ok := list(v, decodeToolContent); ok {
				t.Content = &items
			}
		case "locations":
			if items, ok := list(v, DecodeLocation); ok {
				t.Locations = &items
			}
		case "rawInput":
			t.RawInput = keep(v)
		case "rawOutput":
			t.RawOutput = keep(v)
		case "_meta":
			t.Meta = decodeToolMeta(v)
		}
	}
	if err := m.Err(); err != nil {
		return ToolCall{}, err
	}
	if !found {
		return ToolCall{}, need("toolCallId")
	}
	return t, nil
}

func decodeToolContent(raw []byte) (ToolContent, bool) {
	var c ToolContent
	var block []byte
	hasNew := false
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "type":
			c.Type = str(m.Value)
		case "content":
			block = m.Value
		case "path":
			c.Path = str(m.Value)
		case "oldText":
			c.OldText = optStr(m.Value)
		case "newText":
			c.NewText, hasNew = jsonscan.Text(m.Value)
		case "deleted":
			c.Deleted = string(m.Value) == "true"
		case "terminalId":
			c.TerminalID = str(m.Value)
		}
	}
	if m.Err() != nil {
		return c, false
	}
	var ok bool
	switch c.Type {
	case "content":
		c.Block, ok = DecodeContentBlock(block)
	case "diff":
		ok = c.Path != "" && (hasNew || c.Deleted)
	case "terminal":
		ok = c.TerminalID != ""
	case "text", "image", "audio", "resource_link", "resource":
		// A bare content block where a wrapped one belongs, as the
		// protocol's own documentation shows it.
		c.Type = "content"
		c.Block, ok = DecodeContentBlock(raw)
	case "":
	default:
		c.Raw, ok = keep(raw), true
	}
	return c, ok
}

// DecodeLocation is lenient; false where there is no path.
func DecodeLocation(raw []byte) (Location, bool) {
	var l Location
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "path":
			l.Path = str(m.Value)
		case "line":
			if n, ok := jsonscan.Int(m.Value); ok && n > 0 && n < 1<<31 {
				l.Line = int(n)
			}
		}
	}
	return l, m.Err() == nil && l.Path != ""
}

func decodeToolMeta(raw []byte) ToolMeta {
	var meta ToolMeta
	fields(raw, func(key string, v []byte) {
		if jsonscan.KindOf(v) != jsonscan.Object {
			return
		}
		switch key {
		case "terminal_info":
			meta.Info = &TerminalInfo{}
			fields(v, func(key string, v []byte) {
				switch key {
				case "terminal_id":
					meta.Info.TerminalID = str(v)
				case "cwd":
					meta.Info.Cwd = str(v)
				}
			})
		case "terminal_output", "terminal_output_delta":
			meta.Output = &TerminalOutput{}
			fields(v, func(key string, v []byte) {
				switch key {
				case "terminal_id":
					meta.Output.TerminalID = str(v)
				case "data":
					meta.Output.Data = str(v)
				}
			})
		case "terminal_exit":
			meta.Exit = decodeTerminalExit(v)
		}
	})
	return meta
}

func decodeTerminalExit(raw []byte) *TerminalExit {
	e := &TerminalExit{}
	fields(raw, func(key string, v []byte) {
		switch key {
		case "terminal_id":
			e.TerminalID = str(v)
		case "exit_code":
			e.ExitCode = optInt(v)
		case "signal":
			e.Signal = str(v)
		}
	})
	return e
}
