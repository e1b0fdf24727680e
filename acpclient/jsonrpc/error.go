package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Codes of JSON-RPC 2.0 and of ACP.
const (
	CodeParseError         = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternalError      = -32603
	CodeRequestCancelled   = -32800
	CodeAuthRequired       = -32000
	CodeResourceNotFound   = -32002
	CodeUnsupportedVersion = -32022
)

// Error is a JSON-RPC error object. errors.Is compares errors by code.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`

	text bool // see AsText
}

// AsText returns a copy of e that is sent as a string, its message, instead of an
// object. Some peers turn any error into a string.
func (e *Error) AsText() *Error {
	out := *e
	out.text = true
	return &out
}

func (e *Error) Error() string {
	if detail := e.Detail(); detail != "" && detail != e.Message {
		return fmt.Sprintf("%s: %s (%d)", e.Message, detail, e.Code)
	}
	return fmt.Sprintf("%s (%d)", e.Message, e.Code)
}

// Is compares by code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Detail returns the readable part of Data, which is a string or the member "details" or
// "message" of an object, or "".
func (e *Error) Detail() string {
	var s string
	if json.Unmarshal(e.Data, &s) == nil {
		return s
	}
	var o struct {
		Details any    `json:"details"`
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Data, &o) == nil {
		if d, ok := o.Details.(string); ok && d != "" {
			return d
		}
		return o.Message
	}
	return ""
}

// Errorf returns an error with the given code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithData returns a copy of e with v as its data.
func (e *Error) WithData(v any) *Error {
	c := *e
	c.Data, _ = json.Marshal(v)
	return &c
}

// For errors.Is: the codes that callers check.
var (
	ErrMethodNotFound   = &Error{Code: CodeMethodNotFound, Message: "Method not found"}
	ErrInvalidParams    = &Error{Code: CodeInvalidParams, Message: "Invalid params"}
	ErrRequestCancelled = &Error{Code: CodeRequestCancelled, Message: "Request cancelled"}
)

// ErrClosed is the error of calls when the connection has ended, unless Options.Closed
// names another. It wraps the cause, if there is one.
var ErrClosed = errors.New("connection closed")
