package workspace

import (
	"math/rand/v2"
	"time"
)

// Bounds of the waits between attempts to reconnect.
const (
	firstWait   = 500 * time.Millisecond
	longestWait = 30 * time.Second
	// held is how long a connection must last to count as working. After a shorter one the
	// waits continue to grow.
	held = time.Minute
)

// backoff computes the waits between attempts to reconnect: twice as long each time, up
// to a bound. The zero value is for a working connection.
type backoff struct {
	tries     int
	connected time.Time // when the last attempt succeeded; zero: it failed
}

// Next returns the wait before the next attempt. It is partly random, so that many
// clients do not reconnect at the same moment. longer reports whether it may be longer
// than all waits since the connection last worked.
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

// Trying reports whether the connection is lost and no attempt has succeeded since.
func (b *backoff) Trying() bool { return b.tries > 0 && b.connected.IsZero() }

// Connected records that an attempt succeeded.
func (b *backoff) Connected(now time.Time) { b.connected = now }
