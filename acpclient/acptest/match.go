package acptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// match compares a sent message with the expected one and binds placeholders. The error
// says where they differ.
func (n names) match(want, got []byte, exact bool) error {
	if !json.Valid(got) {
		return fmt.Errorf("not JSON: %.200q", got)
	}
	return n.compare("", want, got, exact)
}

func (n names) compare(at string, want, got json.RawMessage, exact bool) error {
	want, got = bytes.TrimSpace(want), bytes.TrimSpace(got)
	switch want[0] {
	case '{':
		return n.compareObject(at, want, got, exact)
	case '[':
		return n.compareArray(at, want, got, exact)
	case '"':
		var s string
		json.Unmarshal(want, &s)
		if s == "..." {
			return nil
		}
		if strings.HasPrefix(s, "$") {
			if bound, ok := n[s]; ok {
				want = bound
			} else {
				n[s] = slices.Clone(got)
				return nil
			}
		}
	}
	if canonical(want) != canonical(got) {
		return fmt.Errorf("%s is %.300s, want %s", place(at), got, want)
	}
	return nil
}

func (n names) compareObject(at string, want, got json.RawMessage, exact bool) error {
	var w, g map[string]json.RawMessage
	json.Unmarshal(want, &w)
	if json.Unmarshal(got, &g) != nil || g == nil {
		return fmt.Errorf("%s is %.300s, want an object", place(at), got)
	}
	for _, key := range sortedKeys(w) {
		if _, ok := g[key]; !ok {
			return fmt.Errorf("%s is missing, want %s", place(at+"."+key), w[key])
		}
		if err := n.compare(at+"."+key, w[key], g[key], exact); err != nil {
			return err
		}
	}
	for _, key := range sortedKeys(g) {
		if _, ok := w[key]; exact && !ok {
			return fmt.Errorf("%s is there: %.300s", place(at+"."+key), g[key])
		}
	}
	return nil
}

func (n names) compareArray(at string, want, got json.RawMessage, exact bool) error {
	var w, g []json.RawMessage
	json.Unmarshal(want, &w)
	if json.Unmarshal(got, &g) != nil || len(w) != len(g) {
		return fmt.Errorf("%s is %.300s, want %d items", place(at), got, len(w))
	}
	for i := range w {
		if err := n.compare(fmt.Sprintf("%s[%d]", at, i), w[i], g[i], exact); err != nil {
			return err
		}
	}
	return nil
}

func place(at string) string {
	if at == "" {
		return "the message"
	}
	return strings.TrimPrefix(at, ".")
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// canonical makes scalars comparable however they are written; numbers keep their
// digits.
func canonical(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	out, _ := json.Marshal(v)
	return string(out)
}
