package wire

import (
	"encoding/base64"

	"parley/internal/jsonscan"
)

// ToolCallPatch is tool_call_update of v2: members omitted (or malformed) stay
// as they are, null clears, a value replaces.
type ToolCallPatch struct {
	ID                        string
	Title, Name, Kind, Status Opt[string]
	Content                   Opt[[]ToolContent]
	Locations                 Opt[[]Location]
	RawInput, RawOutput       Opt[Raw]
	Cancel                    Opt[bool] // capabilities.cancel
}

// FileChange is one entry of the changes of a v2 diff. Operation: add, delete,
// modify, move, copy; open. OldPath is of moves and copies.
type FileChange struct {
	Operation, Path, OldPath string
	FileType, MimeType       string // "" where not told
}

// ChangesContent is the ToolContent.Type of a v2 diff: a "diff" of v1 is
// something else.
const ChangesContent = "changes"

// DecodeToolCallPatch needs a toolCallId and is lenient about all else.
func DecodeToolCallPatch(raw []byte) (ToolCallPatch, error) {
	var t ToolCallPatch
	found := false
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		v := m.Value
		switch string(m.Key) {
		case "toolCallId":
			t.ID, found = jsonscan.Text(v)
		case "title":
			t.Title = patchStr(v)
		case "name":
			t.Name = patchStr(v)
		case "kind":
			t.Kind = patchStr(v)
		case "status":
			t.Status = patchStr(v)
		case "content":
			t.Content = patchList(v, decodeToolContentV2)
		case "locations":
			t.Locations = patchList(v, DecodeLocation)
		case "rawInput":
			t.RawInput = patchRaw(v)
		case "rawOutput":
			t.RawOutput = patchRaw(v)
		case "capabilities":
			t.Cancel = patchCancel(v)
		}
	}
	if err := m.Err(); err != nil {
		return ToolCallPatch{}, err
	}
	if !found {
		return ToolCallPatch{}, need("toolCallId")
	}
	return t, nil
}

// patchList keeps null apart; no list counts as omitted, malformed items are
// dropped alone.
func patchList[T any](raw []byte, item func([]byte) (T, bool)) Opt[[]T] {
	if isNull(raw) {
		return Opt[[]T]{Set: true, Null: true}
	}
	if items, ok := list(raw, item); ok {
		return Some(items)
	}
	return Opt[[]T]{}
}

func patchRaw(raw []byte) Opt[Raw] {
	if isNull(raw) {
		return Opt[Raw]{Set: true, Null: true}
	}
	if kept := keep(raw); kept != nil {
		return Some(kept)
	}
	return Opt[Raw]{}
}

// patchCancel reads capabilities: null, or an object without cancel, means that
// there is nothing to cancel any more.
func patchCancel(raw []byte) Opt[bool] {
	if isNull(raw) {
		return Opt[bool]{Set: true, Null: true}
	}
	can := false
	if jsonscan.KindOf(raw) != jsonscan.Object || fields(raw, func(key string, v []byte) {
		if key == "cancel" {
			can = marker(v)
		}
	}) != nil {
		return Opt[bool]{}
	}
	return Some(can)
}

// decodeToolContentV2 differs from v1 in the diff alone.
func decodeToolContentV2(raw []byte) (ToolContent, bool) {
	var changes, patch []byte
	diff := false
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		switch string(m.Key) {
		case "type":
			diff = jsonscan.Is(m.Value, "diff")
		case "changes":
			changes = m.Value
		case "patch":
			patch = m.Value
		}
	}
	if m.Err() != nil || !diff || changes == nil {
		return decodeToolContent(raw)
	}
	c := ToolContent{Type: ChangesContent}
	var ok bool
	if c.Changes, ok = list(changes, decodeFileChange); !ok {
		return c, false
	}
	format, text, found := "", "", false
	if fields(patch, func(key string, v []byte) {
		switch key {
		case "format":
			format = str(v)
		case "text":
			text, found = jsonscan.Text(v)
		}
	}) == nil && found {
		c.PatchFormat, c.Patch = format, text
	}
	return c, true
}

// decodeFileChange keeps operations that are not known; known ones must be
// whole.
func decodeFileChange(raw []byte) (FileChange, bool) {
	var c FileChange
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "operation":
			c.Operation = str(v)
		case "path":
			c.Path = str(v)
		case "oldPath":
			c.OldPath = str(v)
		case "fileType":
			c.FileType = str(v)
		case "mimeType":
			c.MimeType = str(v)
		}
	})
	switch {
	case err != nil || c.Operation == "":
		return c, false
	case c.Operation == "add", c.Operation == "delete", c.Operation == "modify":
		return c, c.Path != ""
	case c.Operation == "move", c.Operation == "copy":
		return c, c.Path != "" && c.OldPath != ""
	}
	return c, true
}

// TerminalPatch is terminal_update: a terminal of the agent's own.
type TerminalPatch struct {
	ID           string
	Command, Cwd Opt[string]
	Output       Opt[[]byte] // replaces everything; null and [] clear
	Exit         Opt[TerminalExit]
	Cols, Rows   int // 0 where not told
	Cancel       Opt[bool]
}

// DecodeTerminalPatch needs a terminalId.
func DecodeTerminalPatch(raw []byte) (TerminalPatch, error) {
	var t TerminalPatch
	found := false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "terminalId":
			t.ID, found = jsonscan.Text(v)
		case "command":
			t.Command = patchStr(v)
		case "cwd":
			t.Cwd = patchStr(v)
		case "output":
			t.Output = patchOutput(v)
		case "exitStatus":
			t.Exit = patchExit(v)
		case "size":
			fields(v, func(key string, v []byte) {
				if n, ok := jsonscan.Int(v); ok && n > 0 && n <= 10_000 {
					switch key {
					case "cols":
						t.Cols = int(n)
					case "rows":
						t.Rows = int(n)
					}
				}
			})
		case "capabilities":
			t.Cancel = patchCancel(v)
		}
	})
	if err == nil && !found {
		err = need("terminalId")
	}
	return t, err
}

func patchOutput(raw []byte) Opt[[]byte] {
	if isNull(raw) {
		return Opt[[]byte]{Set: true, Null: true}
	}
	var out Opt[[]byte]
	fields(raw, func(key string, v []byte) {
		if key == "data" {
			if data, ok := decodeBase64(v); ok {
				out = Some(data)
			}
		}
	})
	return out
}

func patchExit(raw []byte) Opt[TerminalExit] {
	if isNull(raw) {
		return Opt[TerminalExit]{Set: true, Null: true}
	}
	var e TerminalExit
	if jsonscan.KindOf(raw) != jsonscan.Object || fields(raw, func(key string, v []byte) {
		switch key {
		case "exitCode":
			e.ExitCode = optInt(v)
		case "signal":
			e.Signal = str(v)
		}
	}) != nil {
		return Opt[TerminalExit]{}
	}
	return Some(e)
}

// decodeBase64 decodes one piece by itself: pieces are never joined encoded.
func decodeBase64(raw []byte) ([]byte, bool) {
	s, ok := jsonscan.Text(raw)
	if !ok {
		return nil, false
	}
	data, err := base64.StdEncoding.DecodeString(s)
	return data, err == nil
}
