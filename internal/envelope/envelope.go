// Package envelope splits a JSON-RPC message into the members of its outermost object
// and tells requests, notifications and answers apart. It reads a message once, copies
// nothing, and does not validate values.
//
// If a member occurs more than once the last one counts, as it does when the message
// is decoded.
package envelope

import (
	"bytes"
	"strconv"

	"parley/internal/jsonscan"
)

// Envelope is the outermost object of a message. Its slices are raw JSON that points
// into the message; they are nil for members that it does not have.
type Envelope struct {
	Version, ID, Method, Params, Result, Error []byte
}

// Open reads one message. It returns false if msg is not a well-formed object.
func Open(msg []byte) (Envelope, bool) {
	var e Envelope
	m := jsonscan.MembersOf(msg)
	for m.Next() {
		switch string(m.Key) {
		case "jsonrpc":
			e.Version = m.Value
		case "id":
			e.ID = m.Value
		case "method":
			e.Method = m.Value
		case "params":
			e.Params = m.Value
		case "result":
			e.Result = m.Value
		case "error":
			e.Error = m.Value
		}
	}
	return e, m.Err() == nil
}

// Each calls f for a message, or for each message of a batch. It skips what Open
// refuses.
func Each(data []byte, f func(Envelope)) {
	if jsonscan.KindOf(data) != jsonscan.Array {
		if e, ok := Open(data); ok {
			f(e)
		}
		return
	}
	for it := jsonscan.ItemsOf(data); it.Next(); {
		if e, ok := Open(it.Value); ok {
			f(e)
		}
	}
}

// IsAnswer reports whether the message is an answer: it has no method, but an id, a
// result or an error.
func (e *Envelope) IsAnswer() bool {
	return e.Method == nil && (e.ID != nil || e.Result != nil || e.Error != nil)
}

// Failed reports whether the message is an answer with an error. Some agents write
// "error":null next to the result; that is none.
func (e *Envelope) Failed() bool {
	return e.Error != nil && jsonscan.KindOf(e.Error) != jsonscan.Null
}

// HasMethod reports whether the message is a request or a notification of this method,
// whose name may be written with escapes.
func (e *Envelope) HasMethod(method string) bool {
	if jsonscan.Is(e.Method, method) {
		return true
	}
	return bytes.IndexByte(e.Method, '\\') >= 0 && Text(e.Method) == method
}

// Key makes the ids of requests comparable: numbers by value and strings by content,
// because a peer may write an id differently in its answer. It is "" for null, for a
// missing id, and for values that cannot be an id.
func Key(id []byte) string {
	switch jsonscan.KindOf(id) {
	case jsonscan.Number:
		if n, ok := jsonscan.Int(id); ok {
			return strconv.FormatInt(n, 10)
		}
		return string(id)
	case jsonscan.String:
		if text, ok := jsonscan.Text(id); ok {
			return `"` + text
		}
	}
	return ""
}

// Session returns the sessionId of params, "" if they have none.
func Session(params []byte) string { return Text(Member(params, "sessionId")) }

// Member returns the raw value of a member of an object, nil if it has none.
func Member(object []byte, name string) []byte {
	var found []byte
	for m := jsonscan.MembersOf(object); m.Next(); {
		if string(m.Key) == name {
			found = m.Value
		}
	}
	return found
}

// Text decodes a raw string; it is "" for anything else.
func Text(raw []byte) string {
	s, _ := jsonscan.Text(raw)
	return s
}
