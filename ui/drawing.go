package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/inline"
	"parley/ui/question"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// drawing is a frame of the screen. Making it writes nothing: what depends on having
// been shown is told after the frame.
type drawing struct {
	view tea.View
	live *inline.Frame // in the terminal's own screen; nil: the view is all
	on   onScreen
}

// onScreen is what a frame has on it that its page has to know.
type onScreen struct {
	page     *chat // nil: none
	areas    areas
	view     *transcript.View // what drawing has moved; nil: it was not drawn
	question question.Shown
	form     question.Shown
}

// present draws what has changed, and tells what is on the screen with that. Where it
// makes a difference to the rows, as when the end of a question has been shown, they are
// drawn again before anybody sees them.
func (m *Model) present() {
	if !m.dirty {
		return
	}
	const enough = 4 // what is shown settles after one; a mistake must not hang the screen
	for n := 0; m.dirty && n < enough; n++ {
		m.arrange()
		m.View()
		m.dirty = m.last.on.tell()
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

// arrange gives the composer its room and its words on this screen.
func (m *Model) arrange() {
	if m.width == 0 {
		return
	}
	c := m.typedOn()
	width, words, prompt := widget.InnerWidth(m.width), "ask the agent, / for commands, ? for help", "› "
	switch {
	case m.page == connectingPage:
		words = "what you type is sent when the agent is there"
	case c.ReadOnly:
		words = c.nobody()
	}
	if m.inlined() {
		width = liveCells(m.width)
		c.view.SetSize(m.width, max(1, m.height-5)) // so that a page knows how far to scroll
	}
	if m.page == chatPage && c.shelling() {
		prompt = "$ "
	}
	c.composer.SetMaxRows(max(1, m.height/3))
	c.composer.SetWidth(max(4, width))
	c.composer.SetPlaceholder(words)
	c.composer.SetPrompt(prompt)
}

// tell tells the page what of it is on the screen; true where it is drawn otherwise now.
func (on onScreen) tell() (changed bool) {
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
