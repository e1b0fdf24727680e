package wire

import "parley/internal/jsonscan"

// PermissionRequestV2 is session/request_permission of v2. Title and
// Description speak of the question only, never of the tool call.
type PermissionRequestV2 struct {
	SessionID, Title, Description string
	Subject                       string         // tool_call, command, anything else, or ""
	Tool                          *ToolCallPatch // of tool_call
	Command, Cwd                  string         // of command
	ToolCallID, TerminalID        string         // what a command belongs to, where told
	RawSubject                    Raw            // of a subject that is not known
	Options                       []PermissionOption
}

// DecodePermissionRequestV2 needs a session; a subject of a known type must be
// whole, options that are malformed are dropped alone.
func DecodePermissionRequestV2(params []byte) (PermissionRequestV2, error) {
	var r PermissionRequestV2
	var subject []byte
	found := false
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			r.SessionID, found = jsonscan.Text(v)
		case "title":
			r.Title = str(v)
		case "description":
			r.Description = str(v)
		case "subject":
			subject = v
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
	if subject == nil || isNull(subject) {
		return r, nil
	}
	return r, r.decodeSubject(subject)
}

func (r *PermissionRequestV2) decodeSubject(raw []byte) error {
	var tool []byte
	command, cwd := false, false
	err := fields(raw, func(key string, v []byte) {
		switch key {
		case "type":
			r.Subject = str(v)
		case "toolCall":
			tool = v
		case "command":
			r.Command, command = jsonscan.Text(v)
		case "cwd":
			r.Cwd, cwd = jsonscan.Text(v)
		case "toolCallId":
			r.ToolCallID = str(v)
		case "terminalId":
			r.TerminalID = str(v)
		}
	})
	switch {
	case err != nil || r.Subject == "":
		return need("subject")
	case r.Subject == "tool_call":
		t, err := DecodeToolCallPatch(tool)
		if err != nil {
			return need("subject.toolCall")
		}
		r.Tool = &t
	case r.Subject == "command":
		if !command || !cwd {
			return need("subject.command or cwd")
		}
	default:
		r.Command, r.Cwd, r.RawSubject = "", "", keep(raw)
	}
	return nil
}
