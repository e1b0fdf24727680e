package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/inline"
	"parley/ui/question"
)

// drawing is a frame of the screen. Making it writes nothing: what depends on having
// been shown is told after the frame.
type drawing struct {
	view tea.View
	live *inline.Frame // in the terminal's own screen; nil: the view is all
	on   onScreen
	told bool
}

// onScreen is what a frame has on it that its page has to know.
type onScreen struct {
	page     *chat // nil: none
	areas    areas
	question question.Shown
	form     question.Shown
}

// present draws what has changed, and tells what is on the screen with that. Where it
// makes a difference to the rows, as when the end of a question has been shown, they are
// drawn again before anybody sees them.
func (m *Model) present() {
	const enough = 4 // what is shown settles after one; a mistake must not hang the screen
	for range enough {
		m.View()
		if m.last.told {
			break
		}
		m.last.told = true
		m.dirty = m.saw(m.last.on)
	}
	screen := m.inline.screen
	switch {
	case screen == nil:
	case m.last.live != nil:
		screen.Show(*m.last.live)
	case m.width > 0 || m.quitting:
		screen.Hide()
	}
}

// saw tells the page what of it is on the screen; true where it is drawn otherwise now.
func (m *Model) saw(on onScreen) (changed bool) {
	c := on.page
	if c == nil {
		return false
	}
	c.areas = on.areas
	changed = c.question.Saw(on.question)
	if form := c.elicits.First(); form != nil && form.Saw(on.form) {
		changed = true
	}
	return changed
}
