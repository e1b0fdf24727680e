package page

import (
	"parley/ui/layer"
)

// Layers returns the layers of the page below one of the screen, the topmost first, as Restack left them. Some may be nil.
func (c *Page) Layers() []layer.Layer { return c.stack }

// Restack finds out which layers there are. It is called once after each message.
func (c *Page) Restack(above layer.Layer) {
	if c.Agent.Opening() {
		c.stack = connecting{c}.layers(above)
		return
	}
	popup := c.Composer.Popup()
	c.stack = []layer.Layer{
		above,
		anywhere{c},
		when(c.Panels.open != nil, c.Panels.open),
		when(logins{c}.shown(), c.login),
		when(c.Elicits.Current() != nil, c.Elicits.Current()),
		when(logins{c}.addressShown(), logins{c}.address()),
		when(c.find.Typing(), c.find),
		when(c.View.DraggedText() != "", selection{c}),
		when(c.Panels.reading != nil, c.Panels.reading),
		when(c.Review.Open(), c.Review),
		interrupt{c},
		when(c.Question.Open(), c.Question),
		when(c.focused, conversation{c}),
		when(popup != nil && c.Panels.reading == nil, popup),
		draft{c},
		asked{c},
		session{c},
	}
}

// typing reports whether the composer has the keys, or would without an overlay.
func (c *Page) typing() bool {
	held := false
	layer.Reach(c.stack, func(l layer.Holder) bool { held = l.Armed(); return held })
	return !held
}
