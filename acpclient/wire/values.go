package wire

import (
	"bytes"

	"parley/internal/jsonscan"
)

func isNull(raw []byte) bool { return jsonscan.KindOf(raw) == jsonscan.Null }

// text decodes a string.
func text(c *jsonscan.Cursor, s *string) bool {
	t, ok := jsonscan.Text(c.Value())
	if ok {
		*s = t
	}
	return ok
}

// filled decodes a string that is not empty.
func filled(c *jsonscan.Cursor, s *string) bool { return text(c, s) && *s != "" }

// integer decodes a number without a fraction.
func integer(c *jsonscan.Cursor, n *int64) bool {
	v, ok := jsonscan.Int(c.Value())
	if ok {
		*n = v
	}
	return ok
}

// positive decodes an integer from 1 to bound.
func positive(bound int64) value[int] {
	return func(c *jsonscan.Cursor, n *int) bool {
		v, ok := jsonscan.Int(c.Value())
		if ok = ok && v > 0 && v <= bound; ok {
			*n = int(v)
		}
		return ok
	}
}

// marker decodes a capability: an object or true means yes, everything else no. Older
// agents send booleans for objects and the reverse.
func marker(c *jsonscan.Cursor, yes *bool) bool {
	raw := c.Value()
	*yes = jsonscan.KindOf(raw) == jsonscan.Object || string(raw) == "true"
	return true
}

// isTrue decodes whether the value is true.
func isTrue(c *jsonscan.Cursor, yes *bool) bool {
	*yes = string(c.Value()) == "true"
	return true
}

// verbatim decodes any value except null, as it is.
func verbatim(c *jsonscan.Cursor, into *Raw) bool {
	if raw := keep(c.Value()); raw != nil {
		*into = raw
		return true
	}
	return false
}

// verbatimOrNull decodes any value, as it is.
func verbatimOrNull(c *jsonscan.Cursor, into *Raw) bool {
	if c.Kind() != jsonscan.Null {
		return verbatim(c, into)
	}
	*into = Raw("null")
	return c.Value() != nil
}

// keep copies a raw value that is valid JSON. It returns nil for null and for anything
// malformed.
func keep(raw []byte) Raw {
	if isNull(raw) || !jsonscan.Valid(raw) {
		return nil
	}
	return bytes.Clone(raw)
}

// pointer decodes a value that may be absent or null.
func pointer[V any](decode value[V]) value[*V] {
	return func(c *jsonscan.Cursor, into **V) bool {
		v := new(V)
		if !decode(c, v) {
			return false
		}
		*into = v
		return true
	}
}

// change decodes a member of a patch: if it is absent (nil) nothing changes, and null
// sets it to the given value. If null does not clear, it counts as absent.
func change[V any](nullClears bool, decode value[V], null V) value[*V] {
	patched := pointer(decode)
	if !nullClears {
		return patched
	}
	return func(c *jsonscan.Cursor, into **V) bool {
		if c.Kind() != jsonscan.Null {
			return patched(c, into)
		}
		cleared := null
		*into = &cleared
		return c.Value() != nil
	}
}

// usually decodes a string that is usually one of a few words, for which nothing is
// allocated.
func usually(other value[*string], words ...string) value[*string] {
	known := map[string]*string{}
	for _, w := range words {
		known[w] = &w
	}
	return func(c *jsonscan.Cursor, into **string) bool {
		before := *c
		if word, ok := jsonscan.UnescapedText(c.Value()); ok && known[string(word)] != nil {
			*into = known[string(word)]
			return true
		}
		*c = before
		return other(c, into)
	}
}

// list decodes the well-formed items and drops the others.
func list[V any](item value[V]) value[[]V] {
	return func(c *jsonscan.Cursor, into *[]V) bool { return items(c, into, item, false) }
}

// every is list, but a malformed item makes the list malformed.
func every[V any](item value[V]) value[[]V] {
	return func(c *jsonscan.Cursor, into *[]V) bool { return items(c, into, item, true) }
}

func items[V any](c *jsonscan.Cursor, into *[]V, item value[V], all bool) bool {
	if !c.EnterArray() {
		return false
	}
	out := []V{}
	for c.Item() {
		before, n := *c, len(out)
		var zero V
		out = append(out, zero)
		ok := item(c, &out[n])
		if !ok || !c.WellFormed() {
			*c = before
			c.Value()
		}
		if !ok {
			if all {
				return false
			}
			out = out[:n]
		}
	}
	*into = out
	return !all || c.WellFormed()
}

// inBoth declares something for each version of the protocol, by version number.
func inBoth[D any](declare func(v2 bool) D) [3]D { return [3]D{1: declare(false), 2: declare(true)} }
