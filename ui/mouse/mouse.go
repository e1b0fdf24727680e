// Package mouse tells clicks from selections: a button pressed and released on one cell is a
// click, dragging over the transcript selects its text.
//
// All of it runs on the goroutine of the screen.
package mouse

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Area is a part of the screen.
type Area struct{ X, Y, Width, Height int }

// Has reports whether a cell is in the area.
func (a Area) Has(x, y int) bool {
	return x >= a.X && x < a.X+a.Width && y >= a.Y && y < a.Y+a.Height
}

// Page is the page under the mouse, with a transcript that text can be selected from. It is an interface
// because components do not know pages.
type Page interface {
	// Click handles the left button going down on a cell, or up on the same cell.
	Click(x, y int, up bool)
	// Uncovered reports whether a cell shows the transcript with no panel over it.
	Uncovered(x, y int) bool
	// Selected is called after text was selected by dragging.
	Selected() tea.Cmd

	// Area is where the transcript is. Its first row is 0 in DragTo.
	Area() Area
	DragTo(row, cell int)
	DraggedText() string
	ClearDrag()
	Scroll(rows int)
}

// Mouse follows the left button over a page.
type Mouse struct {
	page    func() Page
	over    Page // where the button went down
	off     bool // the terminal has the mouse
	button  button
	rolling bool // a rollMsg is pending
}

type button struct {
	down    bool
	dragged bool
	drops   bool // it removed a selection and does nothing else
	x, y    int  // where it went down
	atX     int  // where the pointer is
	atY     int
}

// rollMsg arrives while the pointer is held at an edge of the transcript.
type rollMsg struct{ m *Mouse }

// roll is the interval at which the transcript scrolls then.
const roll = 50 * time.Millisecond

// New returns a mouse over the page that the function returns, which may be nil.
func New(page func() Page) *Mouse { return &Mouse{page: page} }

// held reports whether the button is down, and its page still on the screen.
func (m *Mouse) held() bool { return m.button.down && !m.off && m.page() == m.over }

// Off reports whether the terminal has the mouse.
func (m *Mouse) Off() bool { return m.off }

// Toggle takes the mouse or leaves it to the terminal, and returns a message that says so.
func (m *Mouse) Toggle() (said string) {
	if m.SetOff(!m.off); m.off {
		return "The terminal has the mouse; /mouse takes it back"
	}
	return "parley has the mouse; shift and drag selects as your terminal does"
}

// SetOff leaves the mouse to the terminal or takes it.
func (m *Mouse) SetOff(off bool) {
	m.off, m.button = off, button{}
	if p := m.page(); p != nil {
		p.ClearDrag()
	}
}

// Drop ends the current click or selection without effect.
func (m *Mouse) Drop() { m.button.down = false }

// Drops reports whether the current click has removed a selection. It does nothing else.
func (m *Mouse) Drops() bool { return m.button.drops }

// Down handles a button going down.
func (m *Mouse) Down(at tea.Mouse) {
	m.over, m.button = m.page(), button{}
	if m.off || m.over == nil || at.Button != tea.MouseLeft || at.Mod.Contains(tea.ModShift) {
		return
	}
	m.button = button{down: true, drops: m.over.DraggedText() != "", x: at.X, y: at.Y, atX: at.X, atY: at.Y}
	m.over.ClearDrag()
	m.over.Click(at.X, at.Y, false)
}

// Move handles the pointer moving with the button down; false if that changes nothing.
func (m *Mouse) Move(at tea.Mouse) (cmd tea.Cmd, moved bool) {
	b := &m.button
	if !m.held() || !m.over.Uncovered(b.x, b.y) || at.X == b.x && at.Y == b.y && !b.dragged {
		return nil, false
	}
	b.dragged, b.atX, b.atY = true, at.X, at.Y
	return m.drag(), true
}

// drag selects up to the pointer, and scrolls while that is at an edge.
func (m *Mouse) drag() tea.Cmd {
	m.over.DragTo(m.button.atY-m.over.Area().Y, m.button.atX)
	if m.rolling || m.edge() == 0 {
		return nil
	}
	m.rolling = true
	return tea.Tick(roll, func(time.Time) tea.Msg { return rollMsg{m} })
}

// edge returns the edge of the transcript that the pointer is at: -1 the upper, 1 the lower,
// 0 none.
func (m *Mouse) edge() int {
	if !m.held() || !m.button.dragged {
		return 0
	}
	area := m.over.Area()
	switch {
	case m.button.atY <= area.Y:
		return -1
	case m.button.atY >= area.Y+area.Height-1:
		return 1
	}
	return 0
}

// Handle scrolls by a row and extends the selection.
func (msg rollMsg) Handle() tea.Cmd {
	m := msg.m
	m.rolling = false
	dir := m.edge()
	if dir == 0 {
		return nil
	}
	m.over.Scroll(dir)
	return m.drag()
}

// Up handles the button coming up: the end of a click or a selection.
func (m *Mouse) Up(at tea.Mouse) tea.Cmd {
	was, held := m.button, m.held()
	m.button = button{drops: was.drops}
	if !held {
		return nil
	}
	switch {
	case was.dragged && m.over.DraggedText() != "":
		return m.over.Selected()
	case was.dragged:
		return nil
	}
	m.over.ClearDrag()
	if at.X != was.x || at.Y != was.y {
		return nil
	}
	m.over.Click(at.X, at.Y, true)
	return nil
}
