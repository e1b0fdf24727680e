package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
)

// mouse is what is known of a button that is down.
type mouse struct {
	down    bool
	x, y    int // where it went down
	dragged bool
	drops   bool // it has dropped a selection, and opens nothing besides
	atX     int  // where the pointer is
	atY     int
	rolling bool // a rollMsg is under way
}

// rollMsg comes while the pointer is held at an edge of the transcript.
type rollMsg struct{ chat *chat }

// roll is how often the transcript scrolls then.
const roll = 50 * time.Millisecond

// area is a part of the screen that a click means something in.
type area struct{ x, y, width, height int }

func (a area) has(x, y int) bool {
	return x >= a.x && x < a.x+a.width && y >= a.y && y < a.y+a.height
}

// areas are where things are on the screen, as drawn last.
type areas struct {
	transcript, asked, composer, end area
	lid                              int // the first row that something lies over
}

// toggleMouse takes the mouse, or leaves it to the terminal.
func (m *Model) toggleMouse() tea.Cmd {
	m.mouseOff = !m.mouseOff
	m.chat.mouse = mouse{}
	m.chat.view.Undrag()
	if m.mouseOff {
		return m.chat.say("the mouse is the terminal's; /mouse takes it back")
	}
	return m.chat.say("the mouse is parley's; shift and drag is the terminal's own")
}

// click is a button that goes down.
func (m *Model) click(msg tea.MouseClickMsg) {
	if m.page == chatPage && !m.mouseOff {
		m.dirty = true
		m.chat.click(msg.Mouse())
	}
}

func (c *chat) click(at tea.Mouse) {
	c.mouse = mouse{rolling: c.mouse.rolling}
	if at.Button != tea.MouseLeft || at.Mod.Contains(tea.ModShift) {
		return
	}
	had := c.view.DraggedText() != ""
	c.view.Undrag()
	c.mouse.down, c.mouse.x, c.mouse.y, c.mouse.atX, c.mouse.atY = true, at.X, at.Y, at.X, at.Y
	c.mouse.drops = had
	layer.Reach(c.layers(), func(l layer.Clicker) bool { return l.Click(at.X, at.Y, false) })
}

// inTranscript tells whether a cell shows the transcript and nothing over it.
func (c *chat) inTranscript(x, y int) bool {
	return c.areas.transcript.has(x, y) && y < c.areas.lid
}

// motion is the pointer going somewhere with the button down.
func (m *Model) motion(msg tea.MouseMotionMsg) tea.Cmd {
	c := m.chat
	if m.page != chatPage || m.mouseOff || !c.mouse.down || !c.inTranscript(c.mouse.x, c.mouse.y) {
		return nil
	}
	m.dirty = true
	at := msg.Mouse()
	if at.X == c.mouse.x && at.Y == c.mouse.y && !c.mouse.dragged {
		return nil
	}
	c.mouse.dragged = true
	c.mouse.atX, c.mouse.atY = at.X, at.Y
	c.view.DragTo(at.Y-c.areas.transcript.y, at.X)
	return c.rollOn()
}

// rollOn scrolls as long as the pointer is held at an edge.
func (c *chat) rollOn() tea.Cmd {
	if c.mouse.rolling || c.edge() == 0 {
		return nil
	}
	c.mouse.rolling = true
	return tea.Tick(roll, func(time.Time) tea.Msg { return rollMsg{c} })
}

// edge is the edge of the transcript that the pointer is at: -1 the upper, 1 the
// lower one.
func (c *chat) edge() int {
	t := c.areas.transcript
	switch {
	case !c.mouse.down || !c.mouse.dragged:
		return 0
	case c.mouse.atY <= t.y:
		return -1
	case c.mouse.atY >= t.y+t.height-1:
		return 1
	}
	return 0
}

// handle scrolls by a row and selects on.
func (msg rollMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	c.mouse.rolling = false
	dir := c.edge()
	if dir == 0 || m.chat != c {
		return nil
	}
	c.view.Scroll(dir)
	c.view.DragTo(c.mouse.atY-c.areas.transcript.y, c.mouse.atX)
	return c.rollOn()
}

// release is the button coming up: the end of a click, or of a selection.
func (m *Model) release(msg tea.MouseReleaseMsg) tea.Cmd {
	c := m.chat
	was := c.mouse
	c.mouse = mouse{rolling: was.rolling, drops: was.drops}
	if m.page != chatPage || m.mouseOff || !was.down {
		return nil
	}
	m.dirty = true
	at := msg.Mouse()
	if was.dragged {
		if c.view.DraggedText() == "" || m.opts.NoCopyOnSelect {
			return nil
		}
		return c.copyDragged()
	}
	c.view.Undrag()
	if at.X != was.x || at.Y != was.y {
		return nil
	}
	layer.Reach(c.layers(), func(l layer.Clicker) bool { return l.Click(at.X, at.Y, true) })
	return nil
}

// copyDragged copies the text that the mouse has selected.
func (c *chat) copyDragged() tea.Cmd {
	text := c.view.DraggedText()
	return c.copyText(func() string { return text })
}
