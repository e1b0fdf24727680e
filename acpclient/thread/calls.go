package thread

import (
	"hash/maphash"
	"iter"
)

// calls finds tool calls by id. It holds no strings and no pointers: a map of all ids of
// a long session would be most of the cost of finding a call and of the garbage
// collector's work. Calls are never removed. The zero value is ready to use.
type calls struct {
	seed  maphash.Seed
	slots []callSlot // open addressing; the length is a power of two
	n     int
}

// callSlot is a call: part of the hash of its id, and its index in Items plus one. The
// zero value is free.
type callSlot struct{ hash, place uint32 }

const firstSlots = 64

// find returns the call with this id, nil if there is none.
func (c *calls) find(items []*Item, id string) *Item {
	if c.n == 0 {
		return nil
	}
	hash := c.hash(id)
	for i := hash; ; i++ {
		s := c.slots[i&uint32(len(c.slots)-1)]
		if s.place == 0 {
			return nil
		}
		if s.hash == hash {
			if it := items[s.place-1]; it.Tool.ID == id {
				return it
			}
		}
	}
}

// add adds a call whose id is new.
func (c *calls) add(it *Item) {
	if 4*(c.n+1) > 3*len(c.slots) {
		c.grow()
	}
	c.n++
	c.put(callSlot{c.hash(it.Tool.ID), uint32(it.Index) + 1})
}

// all returns the calls in no particular order.
func (c *calls) all(items []*Item) iter.Seq[*Item] {
	return func(yield func(*Item) bool) {
		for _, s := range c.slots {
			if s.place != 0 && !yield(items[s.place-1]) {
				return
			}
		}
	}
}

func (c *calls) hash(id string) uint32 { return uint32(maphash.String(c.seed, id)) }

func (c *calls) put(s callSlot) {
	i := s.hash
	for c.slots[i&uint32(len(c.slots)-1)].place != 0 {
		i++
	}
	c.slots[i&uint32(len(c.slots)-1)] = s
}

func (c *calls) grow() {
	old := c.slots
	if old == nil {
		c.seed = maphash.MakeSeed()
	}
	c.slots = make([]callSlot, max(firstSlots, 2*len(old)))
	for _, s := range old {
		if s.place != 0 {
			c.put(s)
		}
	}
}
