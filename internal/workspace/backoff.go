package workspace

import (
	"math/rand/v2"
	"time"
)

// Bounds of the waits before another try for a connection.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// held is how long a connection has to live to count as one that works: after a
	// shorter one the waits continue to grow.
	held = time.Minute
)

// backoff says how long to wait before trying for a lost connection again: twice as
// long each time, up to a bound. The zero value is for a connection that works.
type backoff struct {
	tries     int
	connected time.Time // when the last try succeeded; zero: it did not
}

// Next is the wait before the next try, a random part of it, which keeps many clients
// from coming back at the same moment. longer tells that it may be longer than all
// waits since the connection worked last.
func (b *backoff) Next(now time.Time) (wait time.Duration, longer bool) {
	if !b.connected.IsZero() && now.Sub(b.connected) >= held {
		b.tries = 0
	}
	bound := min(firstWait<<min(b.tries, 10), longestWait)
	longer = b.tries == 0 || bound > min(firstWait<<min(b.tries-1, 10), longestWait)
	b.tries++
	b.connected = time.Time{}
	return bound/2 + rand.N(bound/2), longer
}

// Trying tells whether the connection is lost and no try has succeeded since.
func (b *backoff) Trying() bool { return b.tries > 0 && b.connected.IsZero() }

// Connected notes that a try succeeded.
func (b *backoff) Connected(now time.Time) { b.connected = now }
