package jsonscan

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Cursor walks one JSON text from start to end, and into the objects and arrays that
// the caller enters, so a text is read once even if members of inner objects matter.
// Each value must be passed with Enter, EnterArray or Value.
//
//	c := jsonscan.CursorOf(line)
//	for c.Enter(); c.Key(); {
//		if string(c.Name) == "params" && c.Enter() {
//			for c.Key() { … c.Value() … }
//			continue
//		}
//		… c.Value() …
//	}
//	valid := c.End()
//
// A copy of a Cursor is a position to return to: if an entered value turns out to be
// malformed, assign the copy and pass the value as a whole.
type Cursor struct {
	// Name is the unquoted name of the member that Key found.
	Name []byte

	data  []byte
	pos   int
	depth int
	comma bool // a member or an item precedes this position
	bad   bool
}

// CursorOf returns a cursor before the value that data holds.
func CursorOf(data []byte) Cursor { return Cursor{data: data} }

func (c *Cursor) fail() bool {
	c.bad, c.pos = true, len(c.data)
	return false
}

// Enter enters the object that is the next value. If the next value is something else it
// returns false and does not move.
func (c *Cursor) Enter() bool { return c.enter('{') }

// EnterArray is Enter for an array.
func (c *Cursor) EnterArray() bool { return c.enter('[') }

func (c *Cursor) enter(bracket byte) bool {
	i := skipSpace(c.data, c.pos)
	if i >= len(c.data) || c.data[i] != bracket {
		return false
	}
	c.pos, c.comma = i+1, false
	c.depth++
	return true
}

// Key finds the next member of the object that was entered last. It returns false at the
// end of the object, which it leaves, or at an error.
func (c *Cursor) Key() bool {
	d, i := c.data, c.next('}')
	if i < 0 {
		return false
	}
	if d[i] != '"' || !c.name(i) {
		return c.fail()
	}
	if i = skipSpace(d, c.pos); i >= len(d) || d[i] != ':' {
		return c.fail()
	}
	c.pos = i + 1
	return true
}

// Item finds the next item of the array that was entered last, as Key does for members.
func (c *Cursor) Item() bool {
	i := c.next(']')
	if i >= 0 {
		c.pos = i
	}
	return i >= 0
}

// next returns where the next member or item begins. It returns -1 at an error and at
// the closing bracket, which it passes.
func (c *Cursor) next(bracket byte) int {
	d, i := c.data, skipSpace(c.data, c.pos)
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
			i = skipSpace(d, i+1)
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

// name reads the name that starts at i. Nearly all names have no escape.
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

// Value passes the next value and returns its raw bytes without surrounding white space,
// or nil at an error.
func (c *Cursor) Value() []byte {
	i := skipSpace(c.data, c.pos)
	end := skipValue(c.data, i)
	if end < 0 {
		c.fail()
		return nil
	}
	c.pos, c.comma = end, true
	return c.data[i:end]
}

// Kind returns the kind of the next value.
func (c *Cursor) Kind() Kind { return KindOf(c.data[c.pos:]) }

// From returns the text between start and the cursor, without leading white space.
func (c *Cursor) From(start int) []byte {
	return c.data[min(skipSpace(c.data, start), c.pos):c.pos]
}

// Pos returns the position of the cursor.
func (c *Cursor) Pos() int { return c.pos }

// WellFormed reports whether the text was well formed as far as it was read.
func (c *Cursor) WellFormed() bool { return !c.bad }

// End reports whether the text was well formed as far as it was read and nothing is left
// of it.
func (c *Cursor) End() bool {
	return !c.bad && c.depth == 0 && skipSpace(c.data, c.pos) == len(c.data)
}

// err returns ErrSyntax at an error, or if something follows the value.
func (c *Cursor) err() error {
	if c.bad || c.depth == 0 && !c.End() {
		return ErrSyntax
	}
	return nil
}
