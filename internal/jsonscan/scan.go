// Package jsonscan walks JSON texts without building values.
//
// It finds the members of an object or the items of an array and returns the raw
// bytes of each, in any order. It checks the structure of the level it walks
// (quotes, colons, commas, balanced brackets) and skips nested values quickly,
// without validating them: a caller that keeps or decodes a value validates it.
// Nothing is copied; every slice returned points into the given text.
package jsonscan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
)

// ErrSyntax reports text that is not the expected JSON.
var ErrSyntax = errors.New("jsonscan: malformed JSON")

// Kind is the type of a JSON value, judged by its first byte.
type Kind byte

// The kinds of JSON values. Invalid means that the text is empty or not JSON.
const (
	Invalid Kind = iota
	Object
	Array
	String
	Number
	Bool
	Null
)

// KindOf returns the kind of a raw value from its first byte, after white space. It does
// not check the rest.
func KindOf(raw []byte) Kind {
	i := skipSpace(raw, 0)
	if i >= len(raw) {
		return Invalid
	}
	switch c := raw[i]; {
	case c == '{':
		return Object
	case c == '[':
		return Array
	case c == '"':
		return String
	case c == '-' || c >= '0' && c <= '9':
		return Number
	case c == 't' || c == 'f':
		return Bool
	case c == 'n':
		return Null
	}
	return Invalid
}

// Members are the members of one object: a Cursor that enters it and passes each
// value.
//
//	m := jsonscan.MembersOf(raw)
//	for m.Next() { … m.Key, m.Value … }
//	err := m.Err()
type Members struct {
	// Key is the unquoted name, Value the raw value without surrounding white space.
	// Both are valid until the next call of Next.
	Key, Value []byte

	at    Cursor
	begun bool
}

// MembersOf starts a walk over the object that data holds.
func MembersOf(data []byte) Members { return Members{at: CursorOf(data)} }

// Next advances to the next member. It returns false at the end or at an error.
func (m *Members) Next() bool {
	if !m.begun {
		m.begun = m.at.Enter()
	} else if m.at.depth == 0 {
		return false
	}
	if !m.at.Key() {
		return false
	}
	m.Key, m.Value = m.at.Name, m.at.Value()
	return m.Value != nil
}

// Err returns nil if the walk ended at the closing brace and nothing follows it.
func (m *Members) Err() error { return m.at.err() }

// Items are the items of one array, as Members are of an object.
type Items struct {
	// Value is the raw item, valid until the next call of Next.
	Value []byte

	at    Cursor
	begun bool
}

// ItemsOf starts a walk over the array that data holds.
func ItemsOf(data []byte) Items { return Items{at: CursorOf(data)} }

// Next advances to the next item. It returns false at the end or at an error.
func (t *Items) Next() bool {
	if !t.begun {
		t.begun = t.at.EnterArray()
	} else if t.at.depth == 0 {
		return false
	}
	if !t.at.Item() {
		return false
	}
	t.Value = t.at.Value()
	return t.Value != nil
}

// Err returns nil if the walk ended at the closing bracket and nothing follows it.
func (t *Items) Err() error { return t.at.err() }

// Is reports whether raw is the JSON string s, written without escapes.
func Is(raw []byte, s string) bool {
	return len(raw) == len(s)+2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == s
}

// Int decodes a raw JSON number with an integral value, however it is written (1, 1.0,
// 1e0). It returns false for anything else and for values outside int64.
func Int(raw []byte) (int64, bool) {
	if !validNumber(raw) {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != float64(int64(f)) || f > 1<<53 || f < -(1<<53) {
		return 0, false
	}
	return int64(f), true
}

func skipSpace(d []byte, i int) int {
	for i < len(d) && d[i] <= ' ' && (d[i] == ' ' || d[i] == '\n' || d[i] == '\t' || d[i] == '\r') {
		i++
	}
	return i
}

// shortString is the length up to which looking at eight bytes at a time finds the end
// of a string faster than bytes.IndexByte.
const shortString = 64

// skipString returns the index after the string that starts at i, or -1.
func skipString(d []byte, i int) int {
	i++
	for short := min(i+shortString, len(d)-7); i < short; i += 8 {
		odd := quotes(binary.LittleEndian.Uint64(d[i:]))
		if odd == 0 {
			continue
		}
		i += bits.TrailingZeros64(odd) / 8
		if d[i] == '"' {
			return i + 1
		}
		break
	}
	for {
		n := bytes.IndexByte(d[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		back := end
		for back > i && d[back-1] == '\\' {
			back--
		}
		i = end + 1
		if (end-back)%2 == 0 {
			return i
		}
	}
}

// quotes finds the first quote or backslash in eight bytes: the lowest bit that is set
// is the high bit of that byte. Higher bits may be wrong.
func quotes(x uint64) uint64 {
	quote, back := x^ones*'"', x^ones*'\\'
	return ((quote-ones)&^quote | (back-ones)&^back) & highs
}

// skipValue returns the index after the value that starts at i, or -1.
func skipValue(d []byte, i int) int {
	if i >= len(d) {
		return -1
	}
	switch d[i] {
	case '"':
		return skipString(d, i)
	case '{', '[':
		return skipNested(d, i)
	case ',', ':', '}', ']':
		return -1
	}
	start := i
	for i < len(d) && !delimiter[d[i]] {
		i++
	}
	if !literal(d[start:i]) {
		return -1
	}
	return i
}

func skipNested(d []byte, i int) int {
	depth := 0
	for i < len(d) {
		switch class[d[i]] {
		case quote:
			if i = skipString(d, i); i < 0 {
				return -1
			}
			continue
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

const (
	other byte = iota
	quote
	open
	shut
)

var class = [256]byte{'"': quote, '{': open, '[': open, '}': shut, ']': shut}

var delimiter = [256]bool{' ': true, '\n': true, '\t': true, '\r': true, ',': true, ':': true,
	'{': true, '}': true, '[': true, ']': true, '"': true}
