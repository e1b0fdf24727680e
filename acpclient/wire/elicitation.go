package wire

import (
	"errors"

	"parley/internal/jsonscan"
)

// ElicitationRequest is elicitation/create, the same in v1 and v2. It belongs to a
// session, or to an open request by its id as JSON.
type ElicitationRequest struct {
	SessionID, ToolCallID string
	RequestID             string
	Mode                  string // form or url
	Message               string
	Schema                Raw    // for a form
	ElicitationID, URL    string // for a page
}

// ElicitationResponse answers it.
type ElicitationResponse struct {
	Action  string `json:"action"` // accept, decline or cancel
	Content Raw    `json:"content,omitempty"`
}

// ElicitationCapabilities lists the supported modes.
type ElicitationCapabilities struct {
	Form *struct{} `json:"form,omitempty"`
	URL  *struct{} `json:"url,omitempty"`
}

var elicitation = object(
	optional("sessionId", text, func(r *ElicitationRequest) *string { return &r.SessionID }),
	optional("toolCallId", text, func(r *ElicitationRequest) *string { return &r.ToolCallID }),
	optional("requestId", asWritten, func(r *ElicitationRequest) *string { return &r.RequestID }),
	optional("mode", text, func(r *ElicitationRequest) *string { return &r.Mode }),
	optional("message", text, func(r *ElicitationRequest) *string { return &r.Message }),
	optional("requestedSchema", verbatim, func(r *ElicitationRequest) *Raw { return &r.Schema }),
	optional("elicitationId", text, func(r *ElicitationRequest) *string { return &r.ElicitationID }),
	optional("url", text, func(r *ElicitationRequest) *string { return &r.URL }),
)

// DecodeElicitation is strict, and refuses modes other than form and url.
func DecodeElicitation(params []byte) (ElicitationRequest, error) {
	var r ElicitationRequest
	err := elicitation.all(params, &r)
	switch {
	case err != nil:
		return r, err
	case r.SessionID == "" && r.RequestID == "":
		return r, need("sessionId or requestId")
	case r.Mode == "form" && jsonscan.KindOf(r.Schema) != jsonscan.Object:
		return r, need("requestedSchema")
	case r.Mode == "url" && (r.URL == "" || r.ElicitationID == ""):
		return r, need("url or elicitationId")
	case r.Mode == "":
		return r, need("mode")
	case r.Mode != "form" && r.Mode != "url":
		return r, errors.New("the mode is not supported")
	}
	return r, nil
}

// DecodeElicitationComplete returns the id of elicitation/complete, or "" if it cannot
// be decoded.
func DecodeElicitationComplete(params []byte) string {
	var r ElicitationRequest
	elicitation.all(params, &r)
	return r.ElicitationID
}

// asWritten is any value except null, as JSON.
func asWritten(c *jsonscan.Cursor, s *string) bool {
	raw := c.Value()
	*s = string(raw)
	return !isNull(raw)
}
