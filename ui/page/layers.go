package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/transcript"
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
		when(showsLogin(c), c.login),
		when(c.Elicits.Current() != nil, c.Elicits.Current()),
		when(showsAddress(c), address(c)),
		when(c.find.Typing(), c.find),
		when(c.View.DraggedText() != "", selection{c}),
		when(c.Panels.reading != nil, c.Panels.reading),
		when(c.Review.Open(), c.Review),
		interrupt{c},
		when(c.Question.Open(), c.Question),
		when(c.focused, conversation{c}),
		when(popup != nil && c.Panels.reading == nil, popup),
		when(c.sub != nil && !c.Question.Open(), inSubagent{c}),
		draft{c},
		asked{c},
		session{c},
	}
}

// typing reports whether the composer has the keys, or would without an overlay.
func (c *frame) typing() bool {
	held := false
	layer.Reach(c.stack, func(l layer.Holder) bool { held = l.Armed(); return held })
	return !held
}

// UnderMouse returns the page as the mouse needs it.
func (c *Page) UnderMouse() mouse.Page { return underMouse{c.View, c} }

// underMouse implements mouse.Page.
type underMouse struct {
	*transcript.View
	c *Page
}

func (p underMouse) Click(x, y int, up bool) {
	layer.Reach(p.c.Layers(), func(l layer.Clicker) bool { return l.Click(x, y, up) })
}

func (p underMouse) Area() mouse.Area { return p.c.areas.transcript }

func (p underMouse) Uncovered(x, y int) bool { return p.c.areas.uncovered(x, y) }

func (p underMouse) Selected() tea.Cmd {
	if p.c.screen.Options.NoCopyOnSelect {
		return nil
	}
	return selection{p.c}.copy()
}
