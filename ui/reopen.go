package ui

import "parley/ui/transcript"

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
