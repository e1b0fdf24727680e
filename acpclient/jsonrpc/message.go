package jsonrpc

import (
	"bytes"
	"encoding/json"

	"parley/internal/envelope"
	"parley/internal/jsonscan"
)

// methodOf decodes the method of a request or a notification. last is the method of the
// message before, which is often the same. It returns false if the message is not a
// valid call.
func methodOf(e *envelope.Envelope, last string) (string, bool) {
	if !jsonscan.Is(e.Version, "2.0") {
		return "", false
	}
	switch jsonscan.KindOf(e.ID) {
	case jsonscan.Object, jsonscan.Array, jsonscan.Bool:
		return "", false
	}
	return jsonscan.InternText(e.Method, last)
}

// Message is one recorded message: a request, a notification, or an answer.
type Message struct {
	ID     json.RawMessage // nil for a notification
	Method string          // "" for an answer
	Params json.RawMessage // valid JSON in a request; nil if absent
	// Result or Err is the content of an answer. Err is the error that the caller of the
	// request gets.
	Result json.RawMessage
	Err    error
}

// Key makes the ids of requests and answers comparable.
func (m Message) Key() string { return envelope.Key(m.ID) }

// Session returns params.sessionId, or "".
func (m Message) Session() string { return envelope.Session(m.Params) }

// Each calls f for a recorded message, or for each message of a batch in order. It skips
// what a Peer would not accept. In text that is not JSON it finds the answer at its end,
// as a Peer does. The slices of a Message point into data.
func Each(data []byte, f func(Message)) {
	switch jsonscan.KindOf(data) {
	case jsonscan.Object:
		e, ok := envelope.Open(data)
		if !ok || len(e.ID) > 0 && !json.Valid(data) {
			glued(data, f)
			return
		}
		deliver(&e, f)
	case jsonscan.Array:
		if !json.Valid(data) {
			glued(data, f)
			return
		}
		n := 0
		for it := jsonscan.ItemsOf(data); it.Next(); {
			n++
		}
		for it := jsonscan.ItemsOf(data); n <= maxBatch && it.Next(); {
			if e, ok := envelope.Open(it.Value); ok {
				deliver(&e, f)
			}
		}
	case jsonscan.String:
		if text, ok := jsonscan.Text(data); ok {
			data = []byte(text)
		}
		glued(data, f)
	default:
		glued(data, f)
	}
}

// glued finds what Peer.salvage does, whether or not it answers an open call.
func glued(data []byte, f func(Message)) {
	i := bytes.Index(data, []byte(`{"jsonrpc"`))
	if i <= 0 {
		return
	}
	if e, ok := envelope.Open(data[i:]); ok && e.IsAnswer() && json.Valid(data[i:]) {
		deliver(&e, f)
	}
}

func deliver(e *envelope.Envelope, f func(Message)) {
	m := Message{ID: e.ID}
	if e.IsAnswer() {
		m.Result, m.Err = outcome(e)
		f(m)
		return
	}
	if name, ok := methodOf(e, ""); ok {
		m.Method, m.Params = name, e.Params
		f(m)
	}
}
