package wire

import (
	"fmt"
	"math/bits"
	"slices"

	"parley/internal/jsonscan"
)

// A shape declares the objects that a T is decoded from: their members, and what happens
// if one of them is absent or malformed.
type shape[T any] struct {
	members []member[T] // at most 64
	needed  uint64      // the required members, as bits
}

// object returns the shape with these members.
func object[T any](members ...member[T]) *shape[T] {
	s := &shape[T]{members: members}
	for i, m := range members {
		if m.rule == needed {
			s.needed |= 1 << i
		}
	}
	return s
}

// with returns the shape with more members.
func (s *shape[T]) with(members ...member[T]) *shape[T] {
	return object(append(slices.Clip(s.members), members...)...)
}

// A value decodes the next value of a text into a zero V and reports whether it was well
// formed. If not, the V must be dropped and the cursor may be anywhere.
type value[V any] func(c *jsonscan.Cursor, into *V) bool

// member is a member of a shape. Use optional, strict and required to make one.
type member[T any] struct {
	name   string
	rule   rule
	decode value[T]
}

type rule byte

const (
	lenient rule = iota
	exact
	needed
)

// optional declares a member that may be absent. A malformed one counts as absent.
func optional[T, V any](name string, decode value[V], at func(*T) *V) member[T] {
	return member[T]{name, lenient, into(decode, at)}
}

// strict declares a member that may be absent or null. A malformed one makes the
// object malformed.
func strict[T, V any](name string, decode value[V], at func(*T) *V) member[T] {
	return member[T]{name, exact, into(decode, at)}
}

// required declares a member without which the object is malformed.
func required[T, V any](name string, decode value[V], at func(*T) *V) member[T] {
	return member[T]{name, needed, into(decode, at)}
}

// nested declares a member that is an object whose members count as members of the outer
// object.
func nested[T any](name string, members ...member[T]) member[T] {
	return member[T]{name, lenient, object(members...).value}
}

// nestedMark is nested, and sets *at if the member is present.
func nestedMark[T any](name string, at func(*T) *bool, members ...member[T]) member[T] {
	inner := nested(name, members...)
	return member[T]{name, lenient, func(c *jsonscan.Cursor, t *T) bool {
		*at(t) = inner.decode(c, t)
		return *at(t)
	}}
}

// self is the place of a member that is the whole T.
func self[T any](t *T) *T { return t }

// into decodes into a part of a T. If a member occurs more than once the last well-
// formed one counts.
func into[T, V any](decode value[V], at func(*T) *V) value[T] {
	return func(c *jsonscan.Cursor, t *T) bool {
		p := at(t)
		old := *p
		var zero V
		*p = zero
		if decode(c, p) {
			return true
		}
		*p = old
		return false
	}
}

// decode decodes the object that is the next value. Members are looked up and rules
// applied only here.
func (s *shape[T]) decode(c *jsonscan.Cursor, t *T) error {
	if !c.Enter() {
		return jsonscan.ErrSyntax
	}
	var found uint64
	for c.Key() {
		i := s.index(c.Name)
		if i < 0 {
			c.Value()
			continue
		}
		m, before := &s.members[i], *c
		ok := m.decode(c, t)
		if !ok || !c.WellFormed() {
			*c = before
			raw := c.Value()
			if !ok && (m.rule == needed || m.rule == exact && !isNull(raw)) {
				return need(m.name)
			}
		}
		if ok {
			found |= 1 << i
		}
	}
	if !c.WellFormed() {
		return jsonscan.ErrSyntax
	}
	if missing := s.needed &^ found; missing != 0 {
		return need(s.members[bits.TrailingZeros64(missing)].name)
	}
	return nil
}

func (s *shape[T]) index(name []byte) int {
	for i := range s.members {
		if s.members[i].name == string(name) {
			return i
		}
	}
	return -1
}

// value is decode in the form of a value.
func (s *shape[T]) value(c *jsonscan.Cursor, t *T) bool { return s.decode(c, t) == nil }

// all decodes a text that contains only the object.
func (s *shape[T]) all(raw []byte, t *T) error {
	c := jsonscan.CursorOf(raw)
	if err := s.decode(&c, t); err != nil {
		return err
	}
	if !c.End() {
		return jsonscan.ErrSyntax
	}
	return nil
}

// decoded returns the T of a text that contains only its object.
func decoded[T any](s *shape[T], raw []byte) (T, error) {
	var t T
	err := s.all(raw, &t)
	return t, err
}

// need returns the error for an object without a member that it needs.
func need(what string) error { return fmt.Errorf("%s is missing or malformed", what) }
