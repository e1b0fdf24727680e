package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// drawing is a frame of the screen. Making it changes no state: the pages are told afterwards
// what was shown.
type drawing struct {
	view tea.View
	on   []onScreen
}

// frames is the state of drawing: the frame on the screen, and whether another is due.
type frames struct {
	dirty   bool // something has changed
	flooded bool // more has arrived than a reader can follow
	drawn   time.Time
	last    drawing // the frame on the screen
	draws   int     // views that did work, for tests
}

// onScreen is what a page is told about a frame.
type onScreen struct {
	page     *chat // nil: none
	areas    areas
	view     *transcript.View // as drawing left it; nil: not drawn
	question question.Shown
	form     question.Shown
	viewed   []viewed
}

// viewed is a component that was drawn at this size.
type viewed struct {
	layer.Viewer
	width, height int
}

// saw records that a component was drawn at this size.
func (on *onScreen) saw(v layer.Viewer, width, height int) {
	on.viewed = append(on.viewed, viewed{v, width, height})
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
			m.dirty = on.tell() || m.dirty
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
		m.chat.view.SetSize(m.width, max(1, m.height-5)) // so that a page knows how far to scroll
		m.chat.composer.Fit(liveCells(m.width), m.height)
		return
	}
	for _, col := range m.columns() {
		col.composer.Fit(box.InnerWidth(col.width), m.pageHeight())
	}
}

// tell tells the page which part of it is on the screen, and reports whether this changes
// the rows.
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
		c.view.CommitFrame(on.view)
	}
	if inlined != c.m.inlined() { // scrolled back to the end: this frame is obsolete
		return true
	}
	changed = c.question.Saw(on.question)
	if c.review.Resized() {
		changed = true
	}
	if form := c.elicits.First(); form != nil && form.Saw(on.form) {
		changed = true
	}
	return changed
}
