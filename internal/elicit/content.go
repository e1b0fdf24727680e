package elicit

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Problem is a reason why an answer cannot be sent.
type Problem struct {
	Key  string // of the field, verbatim
	Text string // one short sentence
}

// Content builds the content of an accepted form from values by key, of the types that
// Validate accepts. Values without a field and optional fields without an answer are left
// out. Members are in the order of the form. It returns either problems or content.
func (form Form) Content(values map[string]any) (json.RawMessage, []Problem) {
	var problems []Problem
	b := []byte{'{'}
	for _, f := range form.Fields {
		v, err := f.check(values[f.Key])
		if err != nil {
			problems = append(problems, Problem{f.Key, err.Error()})
		}
		if v == nil || problems != nil {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(appendJSON(b, f.Key), ':')
		if n, ok := v.(int64); ok {
			b = strconv.AppendInt(b, n, 10)
		} else {
			b = appendJSON(b, v)
		}
	}
	if problems != nil {
		return nil, problems
	}
	return append(b, '}'), nil
}

// appendJSON appends a value of the kinds that check returns; all of them can be encoded.
func appendJSON(b []byte, v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte{'\n'})...)
}
