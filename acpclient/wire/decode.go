// Package wire holds the messages of ACP as Go types, and nothing beyond
// encoding and decoding them.
//
// What this side sends is encoded with encoding/json. What a peer sends is
// decoded by hand over jsonscan, one member at a time, because the protocol
// asks for more patience than encoding/json has: a malformed optional field
// counts as absent, a malformed item of a list is dropped alone, unknown
// members are ignored, and unknown kinds are kept raw. Decoders that must be
// strict (what touches this machine) say so.
//
// Unless a field says otherwise, decoded values own their memory.
package wire

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/internal/jsonscan"
)

// Raw is a JSON value kept as it came.
type Raw = json.RawMessage

// Opt is a member with three states: omitted, null, or a value (PROTOCOL: patch
// semantics). The zero Opt is omitted.
type Opt[T any] struct {
	Set  bool // present, as null or as a value
	Null bool
	V    T
}

// Some is the Opt that holds v.
func Some[T any](v T) Opt[T] { return Opt[T]{Set: true, V: v} }

// Or returns the value, or fallback where the Opt is omitted or null.
func (o Opt[T]) Or(fallback T) T {
	if o.Set && !o.Null {
		return o.V
	}
	return fallback
}

func isNull(raw []byte) bool { return jsonscan.KindOf(raw) == jsonscan.Null }

// str is a lenient string: "" for null or anything malformed.
func str(raw []byte) string {
	s, _ := jsonscan.Text(raw)
	return s
}

// optStr is a lenient optional string: nil for null or anything malformed.
func optStr(raw []byte) *string {
	s, ok := jsonscan.Text(raw)
	if !ok {
		return nil
	}
	return &s
}

// patchStr keeps null apart; malformed counts as omitted.
func patchStr(raw []byte) Opt[string] {
	if isNull(raw) {
		return Opt[string]{Set: true, Null: true}
	}
	if s, ok := jsonscan.Text(raw); ok {
		return Some(s)
	}
	return Opt[string]{}
}

func optInt(raw []byte) *int64 {
	n, ok := jsonscan.Int(raw)
	if !ok {
		return nil
	}
	return &n
}

// marker reads a capability: an object or true means yes, everything else no.
// Older agents send booleans for objects and the reverse.
func marker(raw []byte) bool {
	return jsonscan.KindOf(raw) == jsonscan.Object || string(raw) == "true"
}

// keep copies a raw value that is sound JSON; nil for null and for anything
// malformed.
func keep(raw []byte) Raw {
	if isNull(raw) || !jsonscan.Valid(raw) {
		return nil
	}
	return bytes.Clone(raw)
}

// list decodes the items that are sound and drops the others. ok is false
// where raw is no array at all.
func list[T any](raw []byte, item func([]byte) (T, bool)) (out []T, ok bool) {
	if jsonscan.KindOf(raw) != jsonscan.Array {
		return nil, false
	}
	out = []T{}
	it := jsonscan.ItemsOf(raw)
	for it.Next() {
		if v, good := item(it.Value); good {
			out = append(out, v)
		}
	}
	return out, true
}

// fields calls f for each member of an object; an error where raw is none.
func fields(raw []byte, f func(key string, value []byte)) error {
	m := jsonscan.MembersOf(raw)
	for m.Next() {
		f(string(m.Key), m.Value)
	}
	return m.Err()
}

// need is the error of a strict decoder.
func need(what string) error { return fmt.Errorf("%s is missing or malformed", what) }
