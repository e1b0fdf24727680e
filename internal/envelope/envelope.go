// Package envelope says of a JSON-RPC message what those must know who pass it on
// or keep it: its method, its id, the session that it is about, and whether it is an
// answer. It reads a message once, copies nothing, and judges no value.
//
// Of several members of one name the last counts, as it does for those who decode
// the message.
package envelope

import (
	"bytes"
	"strconv"

	"parley/internal/jsonscan"
)

// Envelope is the outermost object of a message. Its slices are raw JSON, point into
// the message, and are nil where it has no such member.
type Envelope struct {
	ID, Method, Params, Result, Error []byte

	Session []byte // params.sessionId
}

// Open reads one message; false where it is not a sound object.
func Open(msg []byte) (Envelope, bool) {
	var e Envelope
	at := jsonscan.CursorOf(msg)
	if !at.Enter() {
		return e, false
	}
	for at.Key() {
		switch string(at.Name) {
		case "id":
			e.ID = at.Value()
		case "method":
			e.Method = at.Value()
		case "params":
			e.openParams(&at)
		case "result":
			e.Result = at.Value()
		case "error":
			e.Error = at.Value()
		default:
			at.Value()
		}
	}
	return e, at.End()
}

func (e *Envelope) openParams(at *jsonscan.Cursor) {
	start := at.Pos()
	if e.Session = nil; !at.Enter() {
		e.Params = at.Value()
		return
	}
	for at.Key() {
		if value := at.Value(); string(at.Name) == "sessionId" {
			e.Session = value
		}
	}
	e.Params = at.From(start)
}

// Each opens a message, or each message of a batch. What is not a sound message is
// left out.
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

// IsAnswer reports whether the message is an answer: it has no method, but something
// that only an answer has besides.
func (e *Envelope) IsAnswer() bool {
	return e.Method == nil && (e.ID != nil || e.Result != nil || e.Error != nil)
}

// Failed reports whether the message is an answer that says that the request failed.
// Some agents write an error of null beside the result.
func (e *Envelope) Failed() bool {
	return e.Error != nil && jsonscan.KindOf(e.Error) != jsonscan.Null
}

// Calls reports whether the message is a request or a notification of this method,
// however its name is written.
func (e *Envelope) Calls(method string) bool {
	if jsonscan.Is(e.Method, method) {
		return true
	}
	return bytes.IndexByte(e.Method, '\\') >= 0 && Text(e.Method) == method
}

// Key makes the id of a request comparable: numbers by value, strings by content,
// since a peer may write it differently in its answer. It is "" for null, for no id,
// and for what can be none.
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

// Member returns the raw value of a member of an object; nil where it has none.
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
