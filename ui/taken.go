package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// taken is a prompt that was taken off the queue to be edited: it goes back to
// its place.
type taken struct {
	on bool
	at int // how many of those that wait stand before it
}

// takeQueued takes the newest prompt that waits into the composer.
func (c *chat) takeQueued() {
	n := len(c.queued) - 1
	c.composer.SetValue(c.queued[n])
	c.queued = c.queued[:n:n]
	c.taken = taken{true, n}
}

// putBack puts the prompt that is being edited back to its place in the queue.
func (c *chat) putBack(text string) {
	at := max(0, min(c.taken.at, len(c.queued)))
	c.queued = slices.Insert(slices.Clone(c.queued), at, text)
	c.taken = taken{}
}

// walkQueue goes from the queued prompt in the composer to the one before or
// behind it; each keeps its place. False where there is none in the composer.
func (c *chat) walkQueue(want intent.Intent) (tea.Cmd, bool) {
	if !c.taken.on || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	at := c.taken.at - 1
	if want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("that is the first prompt that waits"), true
	}
	c.putBack(c.composer.Value())
	if at >= len(c.queued) {
		c.composer.Reset()
		return nil, true
	}
	c.composer.SetValue(c.queued[at])
	c.queued = slices.Delete(slices.Clone(c.queued), at, at+1)
	c.taken = taken{true, at}
	return nil, true
}

// settleTaken forgets where a prompt came from once it is not in the composer any
// more.
func (c *chat) settleTaken() {
	if c.taken.on && c.composer.Empty() {
		c.taken = taken{}
	}
}
