package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/mouse"
)

// areas are where things are on the screen, as drawn last.
type areas struct {
	transcript, asked, composer, end mouse.Area
	lid                              int // the first row that something lies over
}

// bare tells whether a cell shows the transcript and nothing over it.
func (a areas) bare(x, y int) bool { return a.transcript.Has(x, y) && y < a.lid }

// underMouse is a chat page as the mouse knows it.
type underMouse struct{ c *chat }

func (p underMouse) Click(x, y int, up bool) {
	layer.Reach(p.c.layers(), func(l layer.Clicker) bool { return l.Click(x, y, up) })
}

func (p underMouse) Transcript() (mouse.Transcript, mouse.Area) {
	return p.c.view, p.c.areas.transcript
}

func (p underMouse) Bare(x, y int) bool { return p.c.areas.bare(x, y) }

func (p underMouse) Selected() tea.Cmd {
	if p.c.m.opts.NoCopyOnSelect {
		return nil
	}
	return p.c.copyDragged()
}

// toggleMouse takes the mouse, or leaves it to the terminal.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouse.SetOff(!m.mouse.Off())
	if m.mouse.Off() {
		return m.chat.say("the mouse is the terminal's; /mouse takes it back")
	}
	return m.chat.say("the mouse is parley's; shift and drag is the terminal's own")
}

// copyDragged copies the text that the mouse has selected.
func (c *chat) copyDragged() tea.Cmd {
	text := c.view.DraggedText()
	return c.copyText(func() string { return text })
}
