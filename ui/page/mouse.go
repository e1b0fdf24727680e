package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/mouse"
)

// UnderMouse returns the page as the mouse needs it.
func (c *Page) UnderMouse() mouse.Page { return underMouse{c} }

// underMouse implements mouse.Page.
type underMouse struct{ c *Page }

func (p underMouse) Click(x, y int, up bool) {
	layer.Reach(p.c.Layers(), func(l layer.Clicker) bool { return l.Click(x, y, up) })
}

func (p underMouse) Transcript() (mouse.Transcript, mouse.Area) {
	return p.c.View, p.c.areas.transcript
}

func (p underMouse) Bare(x, y int) bool { return p.c.areas.bare(x, y) }

func (p underMouse) Selected() tea.Cmd {
	if p.c.screen.Options.NoCopyOnSelect {
		return nil
	}
	return selection(p).copy()
}
