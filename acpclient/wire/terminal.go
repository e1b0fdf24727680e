package wire

import (
	"encoding/base64"

	"parley/internal/jsonscan"
)

// TerminalPatch is terminal_update of v2: a change of one of the agent's terminals. A
// nil field is unchanged.
type TerminalPatch struct {
	ID           string
	Command, Cwd *string
	Output       *[]byte // replaces all output; null clears it
	Exit         *TerminalExit
	Cols, Rows   int // 0 if absent
	Cancel       *bool
}

// TerminalExit is the exit of one of the agent's terminals.
type TerminalExit struct {
	TerminalID string // in v1
	ExitCode   *int64
	Signal     string
	Cleared    bool // the earlier exit status is no longer valid
}

// TerminalChunk is terminal_output_chunk of v2: more output. Data is nil if it cannot be
// decoded.
type TerminalChunk struct {
	ID   string
	Data []byte
}

var terminalPatch = object(
	required("terminalId", text, func(t *TerminalPatch) *string { return &t.ID }),
	optional("command", change(true, text, ""), func(t *TerminalPatch) **string { return &t.Command }),
	optional("cwd", change(true, text, ""), func(t *TerminalPatch) **string { return &t.Cwd }),
	optional("output", change(true, object(required("data", base64Data, self[[]byte])).value, nil), func(t *TerminalPatch) **[]byte { return &t.Output }),
	optional("exitStatus", change(true, object(
		optional("exitCode", pointer(integer), func(t *TerminalExit) **int64 { return &t.ExitCode }),
		optional("signal", text, func(t *TerminalExit) *string { return &t.Signal }),
	).value, TerminalExit{Cleared: true}), func(t *TerminalPatch) **TerminalExit { return &t.Exit }),
	nested("size",
		optional("cols", positive(10_000), func(t *TerminalPatch) *int { return &t.Cols }),
		optional("rows", positive(10_000), func(t *TerminalPatch) *int { return &t.Rows }),
	),
	optional("capabilities", cancelable, func(t *TerminalPatch) **bool { return &t.Cancel }),
)

var terminalChunk = object(
	required("terminalId", text, func(t *TerminalChunk) *string { return &t.ID }),
	optional("data", base64Data, func(t *TerminalChunk) *[]byte { return &t.Data }),
)

// base64Data decodes one piece. Pieces are encoded separately.
func base64Data(c *jsonscan.Cursor, into *[]byte) bool {
	raw := c.Value()
	encoded, ok := jsonscan.UnescapedText(raw)
	if !ok {
		var s string
		s, ok = jsonscan.Text(raw)
		encoded = []byte(s)
	}
	data, err := base64.StdEncoding.AppendDecode([]byte{}, encoded)
	*into = data
	return ok && err == nil
}
