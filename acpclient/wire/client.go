package wire

import (
	"parley/internal/jsonscan"
)

// PermissionRequest is session/request_permission.
type PermissionRequest struct {
	SessionID string
	Tool      ToolCall
	Options   []PermissionOption
}

// PermissionOption is one possible answer. ID is sent back verbatim.
type PermissionOption struct {
	ID   string
	Name string
	Kind string // allow_once allow_always reject_once reject_always; open
}

// DecodePermissionRequest needs a session and a tool call; options that are
// malformed are dropped alone.
func DecodePermissionRequest(params []byte) (PermissionRequest, error) {
	var r PermissionRequest
	var tool []byte
	found := false
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			r.SessionID, found = jsonscan.Text(v)
		case "toolCall":
			tool = v
		case "options":
			r.Options, _ = list(v, decodePermissionOption)
		}
	})
	if err != nil {
		return r, err
	}
	if !found {
		return r, need("sessionId")
	}
	if r.Tool, err = DecodeToolCall(tool); err != nil {
		return r, need("toolCall")
	}
	return r, nil
}

func decodePermissionOption(raw []byte) (PermissionOption, bool) {
	var o PermissionOption
	found := false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "optionId":
			o.ID, found = jsonscan.Text(v)
		case "name":
			o.Name = str(v)
		case "kind":
			o.Kind = str(v)
		}
	})
	return o, err == nil && found
}

// PermissionResponse answers it.
type PermissionResponse struct {
	Outcome PermissionOutcome `json:"outcome"`
}

// PermissionOutcome is "selected" with the option, or "cancelled".
type PermissionOutcome struct {
	Outcome  string  `json:"outcome"`
	OptionID *string `json:"optionId,omitempty"`
}

// Selected and Cancelled are the two outcomes.
func Selected(optionID string) PermissionResponse {
	return PermissionResponse{PermissionOutcome{Outcome: "selected", OptionID: &optionID}}
}

// Cancelled says that the turn was cancelled or nobody chose.
func Cancelled() PermissionResponse {
	return PermissionResponse{PermissionOutcome{Outcome: "cancelled"}}
}

// ReadTextFileRequest is fs/read_text_file. Line is 1-based.
type ReadTextFileRequest struct {
	SessionID, Path string
	Line, Limit     *int
}

// DecodeReadTextFile is strict: what was meant is read or nothing.
func DecodeReadTextFile(params []byte) (ReadTextFileRequest, error) {
	var r ReadTextFileRequest
	s := strict{}
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			s.str(key, v, &r.SessionID)
		case "path":
			s.str(key, v, &r.Path)
		case "line":
			r.Line = s.optInt(key, v)
		case "limit":
			r.Limit = s.optInt(key, v)
		}
	})
	return r, s.result(err, "sessionId", "path")
}

// WriteTextFileRequest is fs/write_text_file.
type WriteTextFileRequest struct{ SessionID, Path, Content string }

// DecodeWriteTextFile is strict.
func DecodeWriteTextFile(params []byte) (WriteTextFileRequest, error) {
	var r WriteTextFileRequest
	s := strict{}
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			s.str(key, v, &r.SessionID)
		case "path":
			s.str(key, v, &r.Path)
		case "content":
			s.str(key, v, &r.Content)
		}
	})
	return r, s.result(err, "sessionId", "path", "content")
}

// CreateTerminalRequest is terminal/create. Command is an executable, or a
// shell line where there are no args.
type CreateTerminalRequest struct {
	SessionID, Command string
	Args               []string
	Env                []EnvVar
	Cwd                string
	OutputByteLimit    *uint64
}

// DecodeCreateTerminal is strict: a malformed argument must not run something
// else than was meant.
func DecodeCreateTerminal(params []byte) (CreateTerminalRequest, error) {
	var r CreateTerminalRequest
	s := strict{}
	err := fields(params, func(key string, v []byte) {
		if isNull(v) {
			return
		}
		switch key {
		case "sessionId":
			s.str(key, v, &r.SessionID)
		case "command":
			s.str(key, v, &r.Command)
		case "cwd":
			s.str(key, v, &r.Cwd)
		case "args":
			r.Args = strictList(&s, key, v, jsonscan.Text)
		case "env":
			r.Env = strictList(&s, key, v, decodeEnvVar)
		case "outputByteLimit":
			if n, ok := jsonscan.Int(v); ok && n >= 0 {
				limit := uint64(n)
				r.OutputByteLimit = &limit
			} else if k := jsonscan.KindOf(v); k == jsonscan.Number && len(v) > 15 && v[0] != '-' {
				limit := ^uint64(0) // larger than any limit of ours
				r.OutputByteLimit = &limit
			} else {
				s.bad(key)
			}
		}
	})
	return r, s.result(err, "sessionId", "command")
}

func decodeEnvVar(raw []byte) (EnvVar, bool) {
	var e EnvVar
	s := strict{}
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "name":
			s.str(key, v, &e.Name)
		case "value":
			s.str(key, v, &e.Value)
		}
	})
	return e, s.result(err, "name", "value") == nil
}

// TerminalRef is the params of the other terminal methods.
type TerminalRef struct{ SessionID, TerminalID string }

// DecodeTerminalRef is strict.
func DecodeTerminalRef(params []byte) (TerminalRef, error) {
	var r TerminalRef
	s := strict{}
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			s.str(key, v, &r.SessionID)
		case "terminalId":
			s.str(key, v, &r.TerminalID)
		}
	})
	return r, s.result(err, "sessionId", "terminalId")
}

// ReadTextFileResponse answers fs/read_text_file.
type ReadTextFileResponse struct {
	Content string `json:"content"`
}

// CreateTerminalResponse answers terminal/create.
type CreateTerminalResponse struct {
	TerminalID string `json:"terminalId"`
}

// ExitStatus tells how a command ended; both nil while unknown.
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

// strict collects the first complaint of a strict decoder.
type strict struct {
	seen map[string]bool
	err  error
}

func (s *strict) bad(key string) {
	if s.err == nil {
		s.err = need(key)
	}
}

func (s *strict) str(key string, raw []byte, into *string) {
	v, ok := jsonscan.Text(raw)
	if !ok {
		s.bad(key)
		return
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[key], *into = true, v
}

func (s *strict) optInt(key string, raw []byte) *int {
	if isNull(raw) {
		return nil
	}
	n, ok := jsonscan.Int(raw)
	if !ok || n < 0 {
		s.bad(key)
		return nil
	}
	v := int(min(n, 1<<31-1))
	return &v
}

func (s *strict) result(err error, required ...string) error {
	if err != nil {
		return err
	}
	for _, key := range required {
		if !s.seen[key] {
			s.bad(key)
		}
	}
	return s.err
}

func strictList[T any](s *strict, key string, raw []byte, item func([]byte) (T, bool)) []T {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		s.bad(key)
		return nil
	}
	var out []T
	it := jsonscan.ItemsOf(raw)
	for it.Next() {
		v, ok := item(it.Value)
		if !ok {
			s.bad(key)
			return nil
		}
		out = append(out, v)
	}
	return out
}
