package wire

import "parley/internal/jsonscan"

// PermissionRequest is session/request_permission. Title and Description exist in v2 and
// describe the question, never the tool call.
type PermissionRequest struct {
	SessionID, Title, Description string
	Subject                       Subject
	Options                       []PermissionOption
}

// Subject is what a question is about: in v1 a tool call, in v2 what Type says.
type Subject struct {
	Type                   string    // tool_call, command, or anything else; "" in v1, and if the question has no subject
	Tool                   *ToolCall // in v1, and for tool_call
	Command, Cwd           string    // for command
	ToolCallID, TerminalID string    // what a command belongs to, if given
	Raw                    Raw       // for unknown types
}

// PermissionOption is one possible answer. ID is sent back verbatim.
type PermissionOption struct {
	ID   string
	Name string
	Kind string // allow_once allow_always reject_once reject_always; open
}

// permissionRequests declares the request. Malformed options are dropped; a malformed
// subject makes the request malformed.
var permissionRequests = inBoth(func(v2 bool) *shape[PermissionRequest] {
	s := object(
		required("sessionId", text, func(r *PermissionRequest) *string { return &r.SessionID }),
		optional("options", list(permissionOption.value), func(r *PermissionRequest) *[]PermissionOption { return &r.Options }),
	)
	if !v2 {
		return s.with(required("toolCall", pointer(toolCalls[1].value), func(r *PermissionRequest) **ToolCall { return &r.Subject.Tool }))
	}
	return s.with(
		optional("title", text, func(r *PermissionRequest) *string { return &r.Title }),
		optional("description", text, func(r *PermissionRequest) *string { return &r.Description }),
		strict("subject", subject, func(r *PermissionRequest) *Subject { return &r.Subject }),
	)
})

var permissionOption = object(
	required("optionId", text, func(o *PermissionOption) *string { return &o.ID }),
	optional("name", text, func(o *PermissionOption) *string { return &o.Name }),
	optional("kind", text, func(o *PermissionOption) *string { return &o.Kind }),
)

// subjectMembers are all members that a Subject may have, before its type is known.
type subjectMembers struct {
	Subject
	command, cwd *string
}

var subjectShape = object(
	required("type", filled, func(s *subjectMembers) *string { return &s.Type }),
	optional("toolCall", pointer(toolCalls[2].value), func(s *subjectMembers) **ToolCall { return &s.Tool }),
	optional("command", pointer(text), func(s *subjectMembers) **string { return &s.command }),
	optional("cwd", pointer(text), func(s *subjectMembers) **string { return &s.cwd }),
	optional("toolCallId", text, func(s *subjectMembers) *string { return &s.ToolCallID }),
	optional("terminalId", text, func(s *subjectMembers) *string { return &s.TerminalID }),
)

// subject decodes the subject of a v2 question. Known types must be complete.
func subject(c *jsonscan.Cursor, into *Subject) bool {
	var s subjectMembers
	start := c.Pos()
	if !subjectShape.value(c, &s) {
		return false
	}
	switch s.Type {
	case "tool_call":
		*into = s.Subject
		return s.Tool != nil
	case "command":
		if s.command == nil || s.cwd == nil {
			return false
		}
		*into = s.Subject
		into.Tool, into.Command, into.Cwd = nil, *s.command, *s.cwd
	default:
		*into = Subject{Type: s.Type, Raw: keep(c.From(start))}
	}
	return true
}

// DecodePermissionRequest decodes the params of session/request_permission of a version.
func DecodePermissionRequest(version int, params []byte) (PermissionRequest, error) {
	return decoded(permissionRequests[version], params)
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

// Selected and Cancelled build the two outcomes.
func Selected(optionID string) PermissionResponse {
	return PermissionResponse{PermissionOutcome{Outcome: "selected", OptionID: &optionID}}
}

// Cancelled means that the turn was cancelled or nothing was chosen.
func Cancelled() PermissionResponse {
	return PermissionResponse{PermissionOutcome{Outcome: "cancelled"}}
}
