package faults

import (
	"bytes"
	"math"
	"math/rand/v2"
	"time"
)

// weather describes the faults of a network.
type weather struct {
	cut    float64 // fraction of the directions of connections that are cut
	far    float64 // most bytes before a cut; every order of magnitude is equally likely
	marked float64 // fraction of the cuts that happen near one of the marks instead
	pause  time.Duration
}

// marks are texts that trigger a cut, so that it hits an important place. In a WebSocket they are
// visible in one direction only.
var marks = []string{`"stopReason"`, `"session/prompt"`, `"sessionUpdate"`, "HTTP/1.1 20", "data: ", `"protocolVersion"`, `"session/request_permission"`, `"outcome"`}

// ending is how a connection is cut.
type ending int

const (
	reset  ending = iota // both ends get a RST
	finish               // both ends get a FIN
	half                 // at first only the receiver of this direction gets a FIN
)

// course is the plan of faults for one direction of a connection.
type course struct {
	chance *rand.Rand
	split  bool // writes are split
	tiny   bool // into pieces of a few bytes
	gather bool // consecutive writes are joined
	slow   bool // pauses
	pause  time.Duration

	cut   bool
	how   ending
	mark  []byte // after counts from the end of this text; nil: from the start
	after int    // and after that many more bytes
	seen  []byte // the last bytes, where mark may begin
}

// course draws a random course.
func (w weather) course(chance *rand.Rand) *course {
	c := &course{chance: chance, pause: w.pause}
	switch chance.IntN(6) {
	case 0, 1:
		c.split = true
	case 2:
		c.split, c.tiny = true, true
	case 3:
		c.slow = true
	case 4:
		c.gather = true
	}
	if chance.Float64() >= w.cut {
		return c
	}
	c.cut, c.how = true, ending(chance.IntN(3))
	c.after = int(math.Exp(chance.Float64() * math.Log(w.far)))
	if chance.Float64() < w.marked {
		c.mark, c.after = []byte(marks[chance.IntN(len(marks))]), chance.IntN(120)
	}
	return c
}

// cutIn returns how many of these bytes still pass, and whether the connection is cut after them.
func (c *course) cutIn(p []byte) (n int, over bool) {
	if !c.cut {
		return len(p), false
	}
	from := 0
	if c.mark != nil {
		all := append(c.seen, p...)
		i := bytes.Index(all, c.mark)
		if i < 0 {
			c.seen = append([]byte(nil), all[max(0, len(all)-len(c.mark)+1):]...)
			return len(p), false
		}
		from, c.mark = max(0, i+len(c.mark)-len(c.seen)), nil
	}
	if c.after > len(p)-from {
		c.after -= len(p) - from
		return len(p), false
	}
	return from + c.after, true
}

// piece returns the size of the next write.
func (c *course) piece(left int) int {
	switch {
	case c.tiny && c.chance.IntN(8) > 0:
		return min(left, 1+c.chance.IntN(8))
	case c.split:
		return min(left, 1+c.chance.IntN(2000))
	}
	return left
}

// wait returns the pause before the next write, usually none.
func (c *course) wait() time.Duration {
	if c.slow && c.chance.IntN(4) == 0 || c.chance.IntN(50) == 0 {
		return time.Duration(c.chance.Int64N(int64(c.pause)))
	}
	return 0
}
