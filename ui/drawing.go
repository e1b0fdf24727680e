package ui

import (
	"time"

	"parley/ui/page"

	tea "charm.land/bubbletea/v2"
)

// drawing is a frame of the screen. Making it changes no state: the pages are told afterwards
// what was shown.
type drawing struct {
	view tea.View
	on   []page.Shown
}

// frames is the state of drawing: the frame on the screen, and whether another is due.
type frames struct {
	dirty   bool // something has changed
	flooded bool // more has arrived than a reader can follow
	drawn   time.Time
	last    drawing // the frame on the screen
	draws   int     // views that did work, for tests
}

// present draws the screen if it has changed and tells the page what is on it. If that changes the rows, as when the
// end of a question has been shown, it draws them again before they are seen.
func (m *Model) present() (changed bool) {
	if !m.dirty {
		return false
	}
	const enough = 4 // one is normally enough; a bug must not hang the screen
	for n := 0; m.dirty && n < enough; n++ {
		m.arrange()
		m.View()
		m.dirty = false
		for _, on := range m.last.on {
			inlined := m.inlined()
			if on.Commit(); inlined != m.inlined() { // scrolled back to the end: this frame is obsolete
				m.dirty = true
				continue
			}
			m.dirty = on.Read() || m.dirty
		}
	}
	return true
}

// awaited reports whether the user waits to see the effect of a message.
func awaited(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.WindowSizeMsg:
		return true
	}
	return false
}

// arrange sets the sizes of the components on the screen.
func (m *Model) arrange() {
	if m.width == 0 {
		return
	}
	if m.inlined() {
		m.Front.FitInline(m.width, m.height)
		return
	}
	d := m.divided()
	for _, col := range d.columns {
		col.Fit(col.width, d.height)
	}
}
