package linear

import (
	"errors"
	"time"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// How long a request for the session may take on a new connection.
const (
	requestPatience = time.Minute
)

// lost plans another try for the connection. It is said at first, and then only
// while the waits grow.
func (c *chat) lost() {
	trying := c.backoff.Trying()
	wait, longer := c.backoff.Next(time.Now())
	c.retryAt = time.Now().Add(wait)
	switch {
	case !trying:
		c.say("The connection is lost. Trying again in %s; enter alone: try now.", spoken(max(wait, time.Second)))
	case longer:
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
	backoff := c.backoff
	c.forget()
	c.backoff, c.redialing = backoff, true
	c.dial(c.opts.Redial, c.redialed)
}

// redialed goes on with the sessions, or tries again later.
func (c *chat) redialed(conn *workspace.Connection, err error) {
	c.redialing = false
	if err != nil {
		var lost *event.LostError
		if errors.As(err, &lost) && lost.Again() {
			c.lost()
			return
		}
		c.notStarted(err)
		return
	}
	c.conn = conn
	c.backoff.Connected(time.Now())
	c.say("Connected again.")
	for _, t := range c.talks {
		c.reopen(t)
	}
}
