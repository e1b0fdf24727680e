package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/transcript"
)

// areas are the places of things on the screen, as last drawn.
type areas struct {
	transcript, asked, composer, end mouse.Area
	overlayTop                       int // the first row that a panel covers
}

// bare reports whether a cell shows the transcript with no panel over it.
func (a areas) bare(x, y int) bool { return a.transcript.Has(x, y) && y < a.overlayTop }

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

func (p underMouse) Bare(x, y int) bool { return p.c.areas.bare(x, y) }

func (p underMouse) Selected() tea.Cmd {
	if p.c.screen.Options.NoCopyOnSelect {
		return nil
	}
	return selection{p.c}.copy()
}
