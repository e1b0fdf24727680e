package gateway

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf8"

	"parley/internal/jsonscan"
)

// envelope is what routing has to know of one message; its slices point into it.
type envelope struct {
	id, method, params, result []byte // raw, nil where absent
	session                    []byte // the sessionId of params, the same
	failure                    bool   // it has an error
}

// parse takes one pass: most of what passes here is long, and none of it is for us.
// Of several members of one name the last counts, as it does for whoever decodes it.
func parse(msg []byte) (envelope, error) {
	var e envelope
	at := jsonscan.CursorOf(msg)
	if !at.Enter() {
		return e, jsonscan.ErrSyntax
	}
	for at.Key() {
		switch string(at.Name) {
		case "id":
			e.id = at.Value()
		case "method":
			e.method = at.Value()
		case "params":
			e.takeParams(&at)
		case "result":
			e.result = at.Value()
		case "error":
			e.failure = true
			at.Value()
		default:
			at.Value()
		}
	}
	if !at.End() {
		return e, jsonscan.ErrSyntax
	}
	return e, nil
}

func (e *envelope) takeParams(at *jsonscan.Cursor) {
	start := at.Pos()
	if e.session = nil; !at.Enter() {
		e.params = at.Value()
		return
	}
	for at.Key() {
		if value := at.Value(); string(at.Name) == "sessionId" {
			e.session = value
		}
	}
	e.params = at.From(start)
}

// isAnswer tells a message by the members it has, not by their values (PROTOCOL
// 1.1).
func (e *envelope) isAnswer() bool {
	return e.method == nil && (e.id != nil || e.result != nil || e.failure)
}

// named tells whether the method is this one, however it is escaped.
func (e *envelope) named(method string) bool {
	if jsonscan.Is(e.method, method) {
		return true
	}
	return bytes.IndexByte(e.method, '\\') >= 0 && e.name() == method
}

func (e *envelope) name() string {
	name, _ := jsonscan.Text(e.method)
	return name
}

// member finds a member of an object that is a string; "" without one. Of
// several of one name the last counts, as it does for whoever decodes it.
func member(object []byte, name string) string {
	return text(rawMember(object, name))
}

// text decodes a raw string; "" for anything else.
func text(raw []byte) string {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return ""
	}
	s, _ := jsonscan.Text(raw)
	return s
}

func rawMember(object []byte, name string) []byte {
	if jsonscan.KindOf(object) != jsonscan.Object {
		return nil
	}
	var found []byte
	m := jsonscan.MembersOf(object)
	for m.Next() {
		if string(m.Key) == name {
			found = m.Value
		}
	}
	return found
}

// maxID is the most bytes that an id may have, of a session or of a request.
const maxID = 1024

// idKey makes ids of requests comparable: numbers by value, strings by content,
// since peers may write them differently in an answer. "" stands for null, for
// none, and for what is no id.
func idKey(raw []byte) string {
	switch jsonscan.KindOf(raw) {
	case jsonscan.Number:
		if n, ok := jsonscan.Int(raw); ok {
			return strconv.FormatInt(n, 10)
		}
		return string(raw)
	case jsonscan.String:
		if text, ok := jsonscan.Text(raw); ok {
			return `"` + text
		}
	}
	return ""
}

// headerSafe tells whether a session's id can stand in a header: printable
// ASCII, no blank at either end, not endless.
func headerSafe(id string) bool {
	if id == "" || len(id) > maxID || id[0] == ' ' || id[len(id)-1] == ' ' {
		return false
	}
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

var errNoJSON = errors.New("no JSON text")

// relayed makes a copy of a line of the agent that can be sent on: a carriage
// return, which between tokens is a blank, would end a line of an event; bytes
// that are no UTF-8 would end a WebSocket.
func relayed(line []byte) ([]byte, error) {
	switch jsonscan.KindOf(line) {
	case jsonscan.Object, jsonscan.Array:
	default:
		return nil, errNoJSON
	}
	if !utf8.Valid(line) {
		line = bytes.ToValidUTF8(line, []byte("\uFFFD"))
	} else {
		line = bytes.Clone(line)
	}
	for rest := line; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return line, nil
		}
		rest[i] = ' '
		rest = rest[i+1:]
	}
}
