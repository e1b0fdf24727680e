package wire

import (
	"parley/internal/jsonscan"
)

// ReadTextFileRequest is fs/read_text_file. Line is 1-based.
type ReadTextFileRequest struct {
	SessionID, Path string
	Line, Limit     *int
}

var readTextFile = object(
	required("sessionId", text, func(r *ReadTextFileRequest) *string { return &r.SessionID }),
	required("path", text, func(r *ReadTextFileRequest) *string { return &r.Path }),
	strict("line", pointer(count), func(r *ReadTextFileRequest) **int { return &r.Line }),
	strict("limit", pointer(count), func(r *ReadTextFileRequest) **int { return &r.Limit }),
)

// DecodeReadTextFile is strict: a malformed member makes the request malformed.
func DecodeReadTextFile(params []byte) (ReadTextFileRequest, error) {
	return decoded(readTextFile, params)
}

// count is a non-negative integer. It is capped at a number that no file has.
func count(c *jsonscan.Cursor, n *int) bool {
	v, ok := jsonscan.Int(c.Value())
	*n = int(min(v, 1<<31-1))
	return ok && v >= 0
}

// WriteTextFileRequest is fs/write_text_file.
type WriteTextFileRequest struct{ SessionID, Path, Content string }

var writeTextFile = object(
	required("sessionId", text, func(r *WriteTextFileRequest) *string { return &r.SessionID }),
	required("path", text, func(r *WriteTextFileRequest) *string { return &r.Path }),
	required("content", text, func(r *WriteTextFileRequest) *string { return &r.Content }),
)

// DecodeWriteTextFile is strict.
func DecodeWriteTextFile(params []byte) (WriteTextFileRequest, error) {
	return decoded(writeTextFile, params)
}

// CreateTerminalRequest is terminal/create. Command is an executable, or a shell command
// line if there are no args.
type CreateTerminalRequest struct {
	SessionID, Command string
	Args               []string
	Env                []EnvVar
	Cwd                string
	OutputByteLimit    *uint64
}

var createTerminal = object(
	required("sessionId", text, func(r *CreateTerminalRequest) *string { return &r.SessionID }),
	required("command", text, func(r *CreateTerminalRequest) *string { return &r.Command }),
	strict("args", every(text), func(r *CreateTerminalRequest) *[]string { return &r.Args }),
	strict("env", every(envVar.value), func(r *CreateTerminalRequest) *[]EnvVar { return &r.Env }),
	strict("cwd", text, func(r *CreateTerminalRequest) *string { return &r.Cwd }),
	strict("outputByteLimit", pointer(byteLimit), func(r *CreateTerminalRequest) **uint64 { return &r.OutputByteLimit }),
)

// DecodeCreateTerminal is strict: ignoring a malformed argument would run a command other
// than the one that was meant.
func DecodeCreateTerminal(params []byte) (CreateTerminalRequest, error) {
	return decoded(createTerminal, params)
}

// byteLimit is a non-negative number. It is capped at a number above every limit in
// parley.
func byteLimit(c *jsonscan.Cursor, limit *uint64) bool {
	raw := c.Value()
	if n, ok := jsonscan.Int(raw); ok {
		*limit = uint64(n)
		return n >= 0
	}
	*limit = ^uint64(0)
	return jsonscan.KindOf(raw) == jsonscan.Number && len(raw) > 15 && raw[0] != '-'
}

var envVar = object(
	required("name", text, func(e *EnvVar) *string { return &e.Name }),
	required("value", text, func(e *EnvVar) *string { return &e.Value }),
)

// TerminalRef is the params of the other terminal methods.
type TerminalRef struct{ SessionID, TerminalID string }

var terminalRef = object(
	required("sessionId", text, func(r *TerminalRef) *string { return &r.SessionID }),
	required("terminalId", text, func(r *TerminalRef) *string { return &r.TerminalID }),
)

// DecodeTerminalRef is strict.
func DecodeTerminalRef(params []byte) (TerminalRef, error) { return decoded(terminalRef, params) }

// ReadTextFileResponse answers fs/read_text_file.
type ReadTextFileResponse struct {
	Content string `json:"content"`
}

// CreateTerminalResponse answers terminal/create.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId"`
}

// ExitStatus says how a command ended. Both fields are nil while that is unknown.
type ExitStatus struct {
	ExitCode *int    `json:"exitCode"`
	Signal   *string `json:"signal"`
}

// TerminalOutputResponse answers terminal/output.
type TerminalOutputResponse struct {
	Output     string      `json:"output"`
	Truncated  bool        `json:"truncated"`
	ExitStatus *ExitStatus `json:"exitStatus,omitempty"`
}
