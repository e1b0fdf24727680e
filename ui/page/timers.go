package page

import (
	"slices"
	"time"

	"parley/acpclient/thread"
	"parley/ui/status"
)

// Moves returns when a clock or spinner on the page moves next; zero if none does.
func (c *Page) Moves(now time.Time) time.Time {
	switch {
	case !c.moving():
		return time.Time{}
	case c.resting():
		return status.WaitingChanges(c.asked(), now)
	}
	return now.Add(200 * time.Millisecond)
}

// moving reports whether something on the page has a clock.
func (c *Page) moving() bool {
	if c.Agent.Opening() {
		return c.Agent.Err() == nil
	}
	return c.Busy() || c.Agent.Login.Running() != "" || c.retrying() || c.shells.Running()
}

// resting reports whether nothing on the page moves but the clock of a turn that waits for the
// user.
func (c *Page) resting() bool {
	if !c.Busy() || c.Thread.State != thread.Waiting && !c.asks() || c.Panels.open != nil || c.Panels.reading != nil ||
		c.Agent.Login.Running() != "" || c.retrying() || c.shells.Running() {
		return false
	}
	return !slices.ContainsFunc(c.recent(), func(it *thread.Item) bool { return it.Tool != nil && runs(it.Tool) && !it.Tool.Asked })
}
