package linear

import (
	"errors"
	"math/rand/v2"
	"time"

	"parley/acpclient"
	"parley/ui"
)

// How long to wait before trying again: it doubles, up to the longest, and a
// random part keeps many clients from coming back at the same moment.
const (
	firstRetry      = 500 * time.Millisecond
	longestRetry    = 30 * time.Second
	requestPatience = time.Minute
	reopenPatience  = 5 * time.Minute
)

// lost plans another try for the connection. It is said at first, and then only
// while the waits grow.
func (c *chat) lost() {
	wait := min(firstRetry<<min(c.attempts, 10), longestRetry)
	grows := c.attempts == 0 || min(firstRetry<<min(c.attempts-1, 10), longestRetry) < wait
	wait = wait/2 + rand.N(wait/2)
	c.attempts++
	c.retryAt = time.Now().Add(wait)
	switch {
	case c.attempts == 1:
		c.say("The connection is lost. Trying again; enter alone: try now.")
	case grows:
		c.say("Still no connection. Trying again in %s; enter alone: try now.", spoken(max(wait, time.Second)))
	}
}

// redialling tells whether the connection is lost and another try is coming, or
// under way.
func (c *chat) redialling() bool { return c.redialing || !c.retryAt.IsZero() }

// retry connects again when it is time.
func (c *chat) retry() {
	switch {
	case c.retryAt.IsZero():
	case time.Now().Before(c.retryAt):
		c.wakeAt(c.retryAt)
	default:
		c.redialNow()
	}
}

// redialNow connects again, to open the sessions of before.
func (c *chat) redialNow() {
	if c.redialing {
		c.say("Connecting.")
		return
	}
	attempts := c.attempts
	c.forget()
	c.attempts, c.redialing = attempts, true
	c.dial(c.opts.Redial, c.redialed)
}

// redialed goes on with the sessions, or tries again later.
func (c *chat) redialed(conn *ui.Connection, err error) {
	c.redialing = false
	if err != nil {
		var lost *acpclient.LostError
		if errors.As(err, &lost) && lost.Again() {
			c.lost()
			return
		}
		c.notStarted(err)
		return
	}
	c.conn, c.attempts = conn, 0
	c.say("Connected again.")
	for _, t := range c.talks {
		c.reopen(t)
	}
}
