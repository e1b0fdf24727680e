package jsonrpc

import (
	"bytes"
	"encoding/json"
)

// outgoing is the shape of every message that a Peer sends.
type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Failure encodes an error that answers no request: its id is null.
func Failure(e *Error) ([]byte, error) {
	return encode(outgoing{Version: "2.0", ID: json.RawMessage("null"), Error: e})
}

// encode writes v as one line of JSON without HTML escapes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// response encodes the answer to the request with this raw id. The id is copied
// verbatim: encoding it again could change its bytes.
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
