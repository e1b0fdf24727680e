package ui

import chatview "parley/ui/chat"

// takeUnconfirmed takes the newest prompt that may not have arrived into the
// composer, or drops it.
func (c *chat) takeUnconfirmed(edit bool) bool {
	p, ok := c.Offers.Take(true)
	if ok && edit {
		carried, own := chatview.SplitCarried(p.Draft)
		c.Carried = append(carried, c.Carried...)
		c.composer.SetValue(own)
	}
	return ok
}
