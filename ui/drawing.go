package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// drawing is a frame of the screen. Making it writes nothing: what depends on having
// been shown is told after the frame.
type drawing struct {
	view tea.View
	on   onScreen
}

// frames are what is known of the frame on the screen, and whether another one is due.
type frames struct {
	dirty   bool // something has changed
	flooded bool // more has come than a reader can follow
	drawn   time.Time
	last    drawing // drawn last
	draws   int     // views that did work, for tests
}

// onScreen is what a frame has on it that its page has to know.
type onScreen struct {
	page     *chat // nil: none
	areas    areas
	view     *transcript.View // what drawing has moved; nil: it was not drawn
	question question.Shown
	form     question.Shown
	viewed   []viewed
}

// viewed is what has been drawn in so much room.
type viewed struct {
	layer.Viewer
	width, height int
}

// saw notes what is to be told of its room.
func (on *onScreen) saw(v layer.Viewer, width, height int) {
	on.viewed = append(on.viewed, viewed{v, width, height})
}

// present draws what has changed, and tells what is on the screen with that. Where it
// makes a difference to the rows, as when the end of a question has been shown, they are
// drawn again before anybody sees them.
func (m *Model) present() (changed bool) {
	if !m.dirty {
		return false
	}
	const enough = 4 // what is shown settles after one; a mistake must not hang the screen
	for n := 0; m.dirty && n < enough; n++ {
		m.arrange()
		m.View()
		m.dirty = m.last.on.tell()
	}
	return true
}

// awaited tells whether the user waits for what a message shows.
func awaited(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.WindowSizeMsg:
		return true
	}
	return false
}

// arrange gives what is on this screen its room.
func (m *Model) arrange() {
	if m.width == 0 {
		return
	}
	c := m.typedOn()
	width := box.InnerWidth(m.width)
	if m.inlined() {
		width = liveCells(m.width)
		c.view.SetSize(m.width, max(1, m.height-5)) // so that a page knows how far to scroll
	}
	c.composer.Fit(width, m.height)
}

// tell tells the page what of it is on the screen; true where it is drawn otherwise now.
func (on onScreen) tell() (changed bool) {
	for _, v := range on.viewed {
		v.Saw(v.width, v.height)
	}
	c := on.page
	if c == nil {
		return false
	}
	inlined := c.m.inlined()
	c.areas = on.areas
	if on.view != nil {
		c.view.Shown(on.view)
	}
	if inlined != c.m.inlined() { // what was scrolled back to is the end: this frame is for nobody
		return true
	}
	changed = c.question.Saw(on.question)
	if form := c.elicits.First(); form != nil && form.Saw(on.form) {
		changed = true
	}
	return changed
}
