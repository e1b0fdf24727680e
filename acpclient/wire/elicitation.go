package wire

import (
	"errors"
	"fmt"

	"parley/internal/jsonscan"
)

// ElicitationRequest is elicitation/create, the same in v1 and v2. It belongs to
// a session or to a request that is open, by its id as JSON.
type ElicitationRequest struct {
	SessionID, ToolCallID string
	RequestID             string
	Mode                  string // form or url
	Message               string
	Schema                Raw    // of a form
	ElicitationID, URL    string // of a page
}

// ElicitationResponse answers it.
type ElicitationResponse struct {
	Action  string `json:"action"` // accept, decline or cancel
	Content Raw    `json:"content,omitempty"`
}

// ElicitationCapabilities says which modes are served.
type ElicitationCapabilities struct {
	Form *struct{} `json:"form,omitempty"`
	URL  *struct{} `json:"url,omitempty"`
}

// DecodeElicitation is strict about what it is, and refuses modes that are
// neither form nor url.
func DecodeElicitation(params []byte) (ElicitationRequest, error) {
	var r ElicitationRequest
	err := fields(params, func(key string, v []byte) {
		switch key {
		case "sessionId":
			r.SessionID = str(v)
		case "toolCallId":
			r.ToolCallID = str(v)
		case "requestId":
			if !isNull(v) {
				r.RequestID = string(v)
			}
		case "mode":
			r.Mode = str(v)
		case "message":
			r.Message = str(v)
		case "requestedSchema":
			r.Schema = keep(v)
		case "elicitationId":
			r.ElicitationID = str(v)
		case "url":
			r.URL = str(v)
		}
	})
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
		return r, errors.New("mode is missing or malformed")
	case r.Mode != "form" && r.Mode != "url":
		return r, fmt.Errorf("the mode is not supported")
	}
	return r, nil
}

// DecodeElicitationComplete returns the id of elicitation/complete, "" where it
// cannot be read.
func DecodeElicitationComplete(params []byte) string {
	id := ""
	fields(params, func(key string, v []byte) {
		if key == "elicitationId" {
			id = str(v)
		}
	})
	return id
}
