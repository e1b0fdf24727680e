package page

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/workspace"
)

// stop cancels the running turn. If the agent does not react, a second stop after a few
// seconds ends it.
func stop(c *Page) tea.Cmd {
	if !c.IsOpen() {
		return c.say(workspace.ErrNotOpen.Error() + "; " + c.screen.Keys.ChatKey(intent.Sessions) + " " + c.screen.Keys.KeyOf(intent.List, intent.CloseEntry) + " cancels it")
	}
	if c.Stop() {
		return c.say("Ending the agent")
	}
	return nil
}

// escape handles esc where nothing is open or asked: it stops the turn and keeps the draft
// and the queue.
func escape(c *Page) tea.Cmd {
	switch {
	case c.Agent.Login.Running() != "":
		c.Agent.Login.Cancel()
	case stopSending(c):
	case c.Busy() && !(c.Thread.State == thread.Cancelling && c.shells.Running()):
		return stop(c)
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.View.Following():
		c.View.End()
		c.escAt = c.screen.Now()
	default:
		return escaped(c)
	}
	return nil
}

// twice is the longest time between the two presses of esc esc.
const twice = 500 * time.Millisecond

// escaped handles an esc with nothing to close or stop. The second in a row lists the prompts.
func escaped(c *Page) tea.Cmd {
	now := c.screen.Now()
	if now.Sub(c.escAt) < twice {
		c.escAt = time.Time{}
		return showTurns(c)
	}
	c.escAt = now
	return nil
}

// stopOrClear handles ctrl+c: stop, else clear the draft. The next one quits.
func stopOrClear(c *Page) tea.Cmd {
	switch {
	case stopSending(c):
	case c.Busy() && c.Thread.State != thread.Ended:
		return stop(c)
	case c.CancelOpen():
	case c.shells.Running():
		return c.shells.Stop()
	case !c.Composer.Empty():
		c.clearDraft()
	default:
		c.screen.QuitArmed = c.screen.Now()
	}
	return nil
}
