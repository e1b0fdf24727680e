package wire

import (
	"bytes"

	"parley/internal/jsonscan"
)

func isNull(raw []byte) bool { return jsonscan.KindOf(raw) == jsonscan.Null }

// text is a string.
func text(c *jsonscan.Cursor, s *string) bool {
	t, ok := jsonscan.Text(c.Value())
	if ok {
		*s = t
	}
	return ok
}

// filled is a string that is not empty.
func filled(c *jsonscan.Cursor, s *string) bool { return text(c, s) && *s != "" }

// integer is a number without a fraction.
func integer(c *jsonscan.Cursor, n *int64) bool {
	v, ok := jsonscan.Int(c.Value())
	if ok {
		*n = v
	}
	return ok
}

// positive is an integer from 1 to the bound.
func positive(bound int64) value[int] {
	return func(c *jsonscan.Cursor, n *int) bool {
		v, ok := jsonscan.Int(c.Value())
		if ok = ok && v > 0 && v <= bound; ok {
			*n = int(v)
		}
		return ok
	}
}

// marker is a capability: an object or true means yes, everything else no. Older
// agents send booleans for objects and the reverse.
func marker(c *jsonscan.Cursor, yes *bool) bool {
	raw := c.Value()
	*yes = jsonscan.KindOf(raw) == jsonscan.Object || string(raw) == "true"
	return true
}

// isTrue is whether the value is true.
func isTrue(c *jsonscan.Cursor, yes *bool) bool {
	*yes = string(c.Value()) == "true"
	return true
}

// kept is any value but null, as it came.
func kept(c *jsonscan.Cursor, into *Raw) bool {
	if raw := keep(c.Value()); raw != nil {
		*into = raw
		return true
	}
	return false
}

// keptOrNull is any value, as it came.
func keptOrNull(c *jsonscan.Cursor, into *Raw) bool {
	if c.Kind() != jsonscan.Null {
		return kept(c, into)
	}
	*into = Raw("null")
	return c.Value() != nil
}

// keep copies a raw value that is sound JSON; nil for null and for anything
// malformed.
func keep(raw []byte) Raw {
	if isNull(raw) || !jsonscan.Valid(raw) {
		return nil
	}
	return bytes.Clone(raw)
}

// pointer is a value that may be absent: null is.
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

// change is a member of a patch: absent (nil) it leaves what is known as it is, and
// null sets it to what is given here. Where null does not clear, it counts as absent.
func change[V any](nullClears bool, decode value[V], null V) value[*V] {
	told := pointer(decode)
	if !nullClears {
		return told
	}
	return func(c *jsonscan.Cursor, into **V) bool {
		if c.Kind() != jsonscan.Null {
			return told(c, into)
		}
		cleared := null
		*into = &cleared
		return c.Value() != nil
	}
}

// usually decodes what mostly is one of a few words, which then takes no memory.
func usually(other value[*string], words ...string) value[*string] {
	known := map[string]*string{}
	for _, w := range words {
		known[w] = &w
	}
	return func(c *jsonscan.Cursor, into **string) bool {
		before := *c
		if word, ok := jsonscan.Plain(c.Value()); ok && known[string(word)] != nil {
			*into = known[string(word)]
			return true
		}
		*c = before
		return other(c, into)
	}
}

// list decodes the items that are well formed, and drops the others.
func list[V any](item value[V]) value[[]V] {
	return func(c *jsonscan.Cursor, into *[]V) bool { return items(c, into, item, false) }
}

// every is list, but an item that is malformed makes the list malformed.
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
		if !ok || !c.Sound() {
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
	return !all || c.Sound()
}

// inBoth declares something in the form of each version of the protocol, by whose
// number it is found.
func inBoth[D any](declare func(v2 bool) D) [3]D { return [3]D{1: declare(false), 2: declare(true)} }
