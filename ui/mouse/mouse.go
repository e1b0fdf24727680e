// Package mouse tells clicks from selections: what is pressed and let go at one cell is a
// click, what is dragged over the transcript selects its text.
//
// All of it runs on the goroutine of the screen.
package mouse

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Area is a part of the screen.
type Area struct{ X, Y, Width, Height int }

// Has tells whether a cell is in it.
func (a Area) Has(x, y int) bool {
	return x >= a.X && x < a.X+a.Width && y >= a.Y && y < a.Y+a.Height
}

// Page is what is under the mouse.
type Page interface {
	// Click is the left button that goes down at a cell, or comes up where it went down.
	Click(x, y int, up bool)
	// Transcript is what can be selected from, and where it is.
	Transcript() (Transcript, Area)
	// Bare tells whether a cell shows the transcript and nothing over it.
	Bare(x, y int) bool
	// Selected is told that text was selected by dragging.
	Selected() tea.Cmd
}

// Transcript is text that can be selected. Its first row is 0.
type Transcript interface {
	DragTo(row, cell int)
	DraggedText() string
	Undrag()
	Scroll(rows int)
}

// Mouse follows the left button over a page.
type Mouse struct {
	page    func() Page
	over    Page // where the button went down
	off     bool // it is the terminal's
	button  button
	rolling bool // a rollMsg is under way
}

type button struct {
	down    bool
	dragged bool
	drops   bool // it has dropped a selection, and opens nothing besides
	x, y    int  // where it went down
	atX     int  // where the pointer is
	atY     int
}

// rollMsg comes while the pointer is held at an edge of the transcript.
type rollMsg struct{ m *Mouse }

// roll is how often the transcript scrolls then.
const roll = 50 * time.Millisecond

// New makes a mouse over the page on the screen; nil: one where it means nothing.
func New(page func() Page) *Mouse { return &Mouse{page: page} }

// held tells whether the button is down, on the page that is on the screen still.
func (m *Mouse) held() bool { return m.button.down && !m.off && m.page() == m.over }

// Off tells whether the mouse is the terminal's.
func (m *Mouse) Off() bool { return m.off }

// Toggle takes the mouse, or leaves it to the terminal, and says so.
func (m *Mouse) Toggle() (said string) {
	if m.SetOff(!m.off); m.off {
		return "The terminal has the mouse; /mouse takes it back"
	}
	return "parley has the mouse; shift and drag selects as your terminal does"
}

// SetOff leaves the mouse to the terminal, or takes it.
func (m *Mouse) SetOff(off bool) {
	m.off, m.button = off, button{}
	if p := m.page(); p != nil {
		t, _ := p.Transcript()
		t.Undrag()
	}
}

// Drop has what the button does now mean nothing more.
func (m *Mouse) Drop() { m.button.down = false }

// Drops tells whether the click of the moment has dropped a selection: it opens nothing
// besides.
func (m *Mouse) Drops() bool { return m.button.drops }

// Down is a button that goes down.
func (m *Mouse) Down(at tea.Mouse) {
	m.over, m.button = m.page(), button{}
	if m.off || m.over == nil || at.Button != tea.MouseLeft || at.Mod.Contains(tea.ModShift) {
		return
	}
	t, _ := m.over.Transcript()
	m.button = button{down: true, drops: t.DraggedText() != "", x: at.X, y: at.Y, atX: at.X, atY: at.Y}
	t.Undrag()
	m.over.Click(at.X, at.Y, false)
}

// Move is the pointer going somewhere with the button down; false where that changes
// nothing.
func (m *Mouse) Move(at tea.Mouse) (cmd tea.Cmd, moved bool) {
	b := &m.button
	if !m.held() || !m.over.Bare(b.x, b.y) || at.X == b.x && at.Y == b.y && !b.dragged {
		return nil, false
	}
	b.dragged, b.atX, b.atY = true, at.X, at.Y
	return m.drag(), true
}

// drag selects up to where the pointer is, and scrolls as long as that is at an edge.
func (m *Mouse) drag() tea.Cmd {
	t, area := m.over.Transcript()
	t.DragTo(m.button.atY-area.Y, m.button.atX)
	if m.rolling || m.edge() == 0 {
		return nil
	}
	m.rolling = true
	return tea.Tick(roll, func(time.Time) tea.Msg { return rollMsg{m} })
}

// edge is the edge of the transcript that the pointer is at: -1 the upper, 1 the lower
// one.
func (m *Mouse) edge() int {
	if !m.held() || !m.button.dragged {
		return 0
	}
	_, area := m.over.Transcript()
	switch {
	case m.button.atY <= area.Y:
		return -1
	case m.button.atY >= area.Y+area.Height-1:
		return 1
	}
	return 0
}

// Handle scrolls by a row and selects up to there.
func (msg rollMsg) Handle() tea.Cmd {
	m := msg.m
	m.rolling = false
	dir := m.edge()
	if dir == 0 {
		return nil
	}
	t, _ := m.over.Transcript()
	t.Scroll(dir)
	return m.drag()
}

// Up is the button coming up: the end of a click, or of a selection.
func (m *Mouse) Up(at tea.Mouse) tea.Cmd {
	was, held := m.button, m.held()
	m.button = button{drops: was.drops}
	if !held {
		return nil
	}
	t, _ := m.over.Transcript()
	switch {
	case was.dragged && t.DraggedText() != "":
		return m.over.Selected()
	case was.dragged:
		return nil
	}
	t.Undrag()
	if at.X != was.x || at.Y != was.y {
		return nil
	}
	m.over.Click(at.X, at.Y, true)
	return nil
}
