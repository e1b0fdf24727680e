package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Cursor walks one JSON text from its beginning to its end, and into the objects and
// arrays that the caller enters: a text of which members of inner objects count is
// read once, and not once for each level. Each value must be passed by Enter,
// EnterArray or Value.
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
// A copy of a Cursor is a place to come back to: where what was entered turns out
// to be malformed, assign the copy, and pass the value as a whole.
type Cursor struct {
	// Name is the unquoted name of the member that Key has found.
	Name []byte

	data  []byte
	pos   int
	depth int
	comma bool // a member or an item stands before this place
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
func (c *Cursor) Enter() bool { return c.enter('{') }

// EnterArray is Enter for an array.
func (c *Cursor) EnterArray() bool { return c.enter('[') }

func (c *Cursor) enter(bracket byte) bool {
	i := skipBlank(c.data, c.pos)
	if i >= len(c.data) || c.data[i] != bracket {
		return false
	}
	c.pos, c.comma = i+1, false
	c.depth++
	return true
}

// Key finds the next member of the object that was entered last. It returns false
// after the object, of which the cursor is then outside, or at an error.
func (c *Cursor) Key() bool {
	d, i := c.data, c.next('}')
	if i < 0 {
		return false
	}
	if d[i] != '"' || !c.name(i) {
		return c.fail()
	}
	if i = skipBlank(d, c.pos); i >= len(d) || d[i] != ':' {
		return c.fail()
	}
	c.pos = i + 1
	return true
}

// Item finds the next item of the array that was entered last, as Key does a
// member.
func (c *Cursor) Item() bool {
	i := c.next(']')
	if i >= 0 {
		c.pos = i
	}
	return i >= 0
}

// next returns where the next member or item begins; -1 after the closing bracket,
// which it passes, and at an error.
func (c *Cursor) next(bracket byte) int {
	d, i := c.data, skipBlank(c.data, c.pos)
	if i >= len(d) || c.depth == 0 {
		c.fail()
		return -1
	}
	if d[i] == bracket {
		c.pos, c.comma = i+1, true
		c.depth--
		return -1
	}
	if c.comma {
		if d[i] == ',' {
			i = skipBlank(d, i+1)
		} else {
			i = len(d)
		}
		if i >= len(d) {
			c.fail()
			return -1
		}
	}
	return i
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
	name, ok := Text(d[i:end])
	c.Name, c.pos = []byte(name), end
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

// Kind is the kind of the next value.
func (c *Cursor) Kind() Kind { return KindOf(c.data[c.pos:]) }

// From returns what the cursor has passed since it was at start, without blanks
// before it.
func (c *Cursor) From(start int) []byte {
	return c.data[min(skipBlank(c.data, start), c.pos):c.pos]
}

// Pos is where the cursor is.
func (c *Cursor) Pos() int { return c.pos }

// Sound tells whether the text was sound as far as it was looked at.
func (c *Cursor) Sound() bool { return !c.bad }

// End tells whether the text was sound as far as it was looked at, and nothing is
// left of it.
func (c *Cursor) End() bool {
	return !c.bad && c.depth == 0 && skipBlank(c.data, c.pos) == len(c.data)
}

// err is ErrSyntax at an error, and where something follows the value.
func (c *Cursor) err() error {
	if c.bad || c.depth == 0 && !c.End() {
		return ErrSyntax
	}
	return nil
}
