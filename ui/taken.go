package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/transcript"
)

// takeQueued takes the newest prompt that waits into the composer.
func (c *chat) takeQueued() { c.composer.SetValue(c.TakeQueued(len(c.Queued) - 1)) }

// walkQueue goes from the queued prompt in the composer to the one before or
// after it; each keeps its place. False where there is none in the composer.
func (c *chat) walkQueue(want intent.Intent) (tea.Cmd, bool) {
	at, editing := c.Edited()
	if !editing || want != intent.HistoryBack && want != intent.HistoryForward {
		return nil, false
	}
	if at--; want == intent.HistoryForward {
		at += 2
	}
	if at < 0 {
		return c.say("that is the first prompt that waits"), true
	}
	c.PutBack(c.composer.Value())
	if at >= len(c.Queued) {
		c.composer.Reset()
		return nil, true
	}
	c.composer.SetValue(c.TakeQueued(at))
	return nil, true
}

// settleEdit forgets where a prompt came from once it is no longer in the composer.
func (c *chat) settleEdit() {
	if _, editing := c.Edited(); editing && c.composer.Empty() {
		c.EndEdit()
	}
}

// takeUnconfirmed takes the newest prompt that may not have arrived into the
// composer, or drops it.
func (c *chat) takeUnconfirmed(edit bool) bool {
	p, ok := c.Offers.Take(true)
	if ok && edit {
		carried, own := transcript.SplitCarried(p.Draft)
		c.Carried = append(carried, c.Carried...)
		c.composer.SetValue(own)
	}
	return ok
}
