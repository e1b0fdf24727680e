package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Cursor walks one JSON text from its beginning to its end, and into the objects
// that the caller enters: a text of which members of inner objects count is read
// once, and not once for each level. Each value must be passed by Enter or Value.
//
//	c := jsonscan.CursorOf(line)
//	for c.Enter(); c.Key(); {
//		if string(c.Name) == "params" && c.Enter() {
//			for c.Key() { … c.Value() … }
//			continue
//		}
//		… c.Value() …
//	}
//	sound := c.End()
//
// What it checks, and what it leaves unchecked, is what Members does: that is a
// Cursor which enters one object.
type Cursor struct {
	// Name is the unquoted name of the member that Key has found.
	Name []byte

	data  []byte
	pos   int
	depth int
	comma bool // a member stands before this place
	bad   bool
}

// CursorOf returns a cursor before the value that data holds.
func CursorOf(data []byte) Cursor { return Cursor{data: data} }

func (c *Cursor) fail() bool {
	c.bad, c.pos = true, len(c.data)
	return false
}

// Enter goes into the object that is the next value. It stays where it is, and
// returns false, where that is something else.
func (c *Cursor) Enter() bool {
	i := skipBlank(c.data, c.pos)
	if i >= len(c.data) || c.data[i] != '{' {
		return false
	}
	c.pos, c.comma = i+1, false
	c.depth++
	return true
}

// Key finds the next member of the object that was entered last. It returns false
// behind the object, of which the cursor is then outside, or at an error.
func (c *Cursor) Key() bool {
	d, i := c.data, skipBlank(c.data, c.pos)
	if i >= len(d) || c.depth == 0 {
		return c.fail()
	}
	if d[i] == '}' {
		c.pos, c.comma = i+1, true
		c.depth--
		return false
	}
	if c.comma {
		if d[i] != ',' {
			return c.fail()
		}
		i = skipBlank(d, i+1)
	}
	if i >= len(d) || d[i] != '"' || !c.name(i) {
		return c.fail()
	}
	if i = skipBlank(d, c.pos); i >= len(d) || d[i] != ':' {
		return c.fail()
	}
	c.pos = i + 1
	return true
}

// name takes the one that starts at i. Nearly all of them have no escape.
func (c *Cursor) name(i int) bool {
	d := c.data
	for end := i + 1; end+8 <= len(d); end += 8 {
		odd := quotes(binary.LittleEndian.Uint64(d[end:]))
		if odd == 0 {
			continue
		}
		if end += bits.TrailingZeros64(odd) / 8; d[end] == '"' {
			c.Name, c.pos = d[i+1:end], end+1
			return true
		}
		break
	}
	end := skipString(d, i)
	if end < 0 {
		return false
	}
	if body := d[i+1 : end-1]; bytes.IndexByte(body, '\\') < 0 {
		c.Name, c.pos = body, end
		return true
	}
	name, ok := AppendText(nil, d[i:end])
	c.Name, c.pos = name, end
	return ok
}

// Value passes the next value and returns its raw bytes, without blanks around
// it; nil at an error.
func (c *Cursor) Value() []byte {
	i := skipBlank(c.data, c.pos)
	end := skipValue(c.data, i)
	if end < 0 {
		c.fail()
		return nil
	}
	c.pos, c.comma = end, true
	return c.data[i:end]
}

// From returns what the cursor has passed since it was at start, without blanks
// before it.
func (c *Cursor) From(start int) []byte {
	return c.data[min(skipBlank(c.data, start), c.pos):c.pos]
}

// Pos is where the cursor is.
func (c *Cursor) Pos() int { return c.pos }

// End tells whether the text was sound as far as it was looked at, and nothing is
// left of it.
func (c *Cursor) End() bool {
	return !c.bad && c.depth == 0 && skipBlank(c.data, c.pos) == len(c.data)
}
