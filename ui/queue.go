package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
)

// next sends the first queued prompt after a turn that ended by itself. After a
// stop or an error the queue waits until the user sends it, whatever turns come
// between.
func (c *chat) next(e event.TurnEnded) tea.Cmd {
	c.stopAsked = time.Time{}
	if c.sending != nil { // its turn may be over before the screen knows that it went out
		c.sending.ended = &e
		return nil
	}
	if e.Err != nil || e.StopReason == "cancelled" {
		c.paused = true
	}
	if c.paused = c.paused && len(c.queued) > 0; c.paused || len(c.queued) == 0 {
		return nil
	}
	cmd, err := c.send(c.queued[0])
	if err != nil {
		return c.say("not sent: " + err.Error())
	}
	c.queued = c.queued[1:]
	c.taken.at--
	return cmd
}

// resume has the queue sent, its first prompt now.
func (c *chat) resume() tea.Cmd {
	c.paused = false
	return c.next(event.TurnEnded{})
}

// enqueue has a prompt wait behind those that do.
func (c *chat) enqueue(text string) {
	c.paused = c.paused && len(c.queued) > 0 // what was paused is gone
	c.queued = append(c.queued, text)
}
