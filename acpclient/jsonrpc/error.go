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

// Error is a JSON-RPC error object. Two errors are the same to errors.Is when
// their codes are.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`

	text bool // of AsText
}

// AsText is the same error to be sent as its message alone, a string in the place of the
// object that JSON-RPC has: for a peer that makes a string of whatever it gets.
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

// Detail is the readable part of Data: peers put it there as a string, or
// under "details" or "message" of an object. "" where there is none.
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

// Errorf makes an error with the given code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithData returns a copy of e that carries v as its data.
func (e *Error) WithData(v any) *Error {
	c := *e
	c.Data, _ = json.Marshal(v)
	return &c
}

// For errors.Is: the codes that callers ask about.
var (
	ErrMethodNotFound   = &Error{Code: CodeMethodNotFound, Message: "Method not found"}
	ErrInvalidParams    = &Error{Code: CodeInvalidParams, Message: "Invalid params"}
	ErrRequestCancelled = &Error{Code: CodeRequestCancelled, Message: "Request cancelled"}
	ErrAuthRequired     = &Error{Code: CodeAuthRequired, Message: "Authentication required"}
)

// ErrClosed is what calls end with when the connection is over, unless the options
// name another error. The cause, if there is one, is wrapped beside it.
var ErrClosed = errors.New("connection closed")
