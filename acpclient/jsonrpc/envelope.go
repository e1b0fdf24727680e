package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strconv"

	"parley/internal/jsonscan"
)

// envelope is the outermost object of one message: the raw bytes of the
// members that JSON-RPC knows, nil where absent.
type envelope struct {
	version, id, method, params, result, err []byte
}

// parseEnvelope splits one JSON object. Its slices point into data. The error
// is jsonscan.ErrSyntax where data is no object.
func parseEnvelope(data []byte) (envelope, error) {
	var e envelope
	m := jsonscan.MembersOf(data)
	for m.Next() {
		switch string(m.Key) {
		case "jsonrpc":
			e.version = m.Value
		case "id":
			e.id = m.Value
		case "method":
			e.method = m.Value
		case "params":
			e.params = m.Value
		case "result":
			e.result = m.Value
		case "error":
			e.err = m.Value
		}
	}
	return e, m.Err()
}

// isResponse tells a message that must never be answered: it has no method but
// something that only an answer has.
func (e *envelope) isResponse() bool {
	return e.method == nil && (e.id != nil || e.result != nil || e.err != nil)
}

// name decodes the method, which mostly is that of the last call; false where the
// message is no valid call.
func (e *envelope) name(last string) (string, bool) {
	if !jsonscan.Is(e.version, "2.0") {
		return "", false
	}
	switch jsonscan.KindOf(e.id) {
	case jsonscan.Object, jsonscan.Array, jsonscan.Bool:
		return "", false
	}
	return jsonscan.Again(e.method, last)
}

// idKey makes ids comparable: numbers by value, everything else by its bytes.
func idKey(raw []byte) string {
	if n, ok := jsonscan.Int(raw); ok {
		return strconv.FormatInt(n, 10)
	}
	return string(raw)
}

// sessionOf finds params.sessionId, which transports route by; "" without one.
func sessionOf(params []byte) string {
	m := jsonscan.MembersOf(params)
	for m.Next() {
		if string(m.Key) == "sessionId" {
			s, _ := jsonscan.Text(m.Value)
			return s
		}
	}
	return ""
}

// outgoing is the shape of every message this side writes.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// encode writes v as one JSON text without a newline and without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// response encodes the answer to the request with this raw id. The id is
// spliced in as it came: encoding it again could change its bytes.
func response(id []byte, result any, failure *Error) []byte {
	var body []byte
	var err error
	if failure == nil {
		if body, err = encode(result); err != nil {
			failure = Errorf(CodeInternalError, "encode the result: %v", err)
		} else if string(body) == "null" {
			body = []byte("{}")
		}
	}
	key := `,"result":`
	if failure != nil {
		key = `,"error":`
		if failure.text {
			body, _ = encode(failure.Message)
		} else if body, err = encode(failure); err != nil {
			body, _ = encode(&Error{Code: failure.Code, Message: failure.Message})
		}
	}
	if len(id) == 0 {
		id = []byte("null")
	}
	out := make([]byte, 0, len(body)+len(id)+32)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, key...)
	out = append(out, body...)
	return append(out, '}')
}
