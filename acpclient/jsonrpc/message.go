package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"

	"parley/internal/jsonscan"
)

// Message is one message of a conversation that others had, taken apart: a
// request, a notification, or an answer.
type Message struct {
	ID     json.RawMessage // nil for a notification
	Method string          // "" for an answer
	Params json.RawMessage // sound JSON in a request; nil where absent
	// Result or Err is what an answer said. Err is as the caller would see it.
	Result json.RawMessage
	Err    error
}

// Key makes the ids of requests and their answers comparable.
func (m Message) Key() string { return idKey(m.ID) }

// IDKey is the Key of a number.
func IDKey(id int64) string { return strconv.FormatInt(id, 10) }

// Session is params.sessionId, "" without one.
func (m Message) Session() string { return sessionOf(m.Params) }

// Each takes apart what travelled as one: a message, or each of a batch, in
// order. What a Peer would not take for a message is passed over; of what is no
// JSON, as it is or as a JSON string, remains the answer that is glued to its end.
// The slices of a Message point into data.
func Each(data []byte, f func(Message)) {
	switch jsonscan.KindOf(data) {
	case jsonscan.Object:
		e, err := parseEnvelope(data)
		if err != nil || len(e.id) > 0 && !json.Valid(data) {
			glued(data, f)
			return
		}
		e.tell(f)
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
			if e, err := parseEnvelope(it.Value); err == nil {
				e.tell(f)
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

// glued finds what Peer.salvage does, whether or not it answers anything.
func glued(data []byte, f func(Message)) {
	i := bytes.Index(data, []byte(`{"jsonrpc"`))
	if i <= 0 {
		return
	}
	if e, err := parseEnvelope(data[i:]); err == nil && e.isResponse() && json.Valid(data[i:]) {
		e.tell(f)
	}
}

func (e envelope) tell(f func(Message)) {
	m := Message{ID: e.id}
	if e.isResponse() {
		m.Result, m.Err = outcome(e)
		f(m)
		return
	}
	if name, ok := e.name(""); ok {
		m.Method, m.Params = name, e.params
		f(m)
	}
}
