package page

import (
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/transcript"
)

// Shown is what a page is told about a frame.
type Shown struct {
	page     *Page // nil: none
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

// Saw records that a component was drawn at this size.
func (on *Shown) Saw(v layer.Viewer, width, height int) {
	on.viewed = append(on.viewed, viewed{v, width, height})
}

// Commit tells the components how they were drawn.
func (on Shown) Commit() {
	for _, v := range on.viewed {
		v.Saw(v.width, v.height)
	}
	if c := on.page; c != nil {
		c.areas = on.areas
		if on.view != nil {
			c.View.CommitFrame(on.view)
		}
	}
}

// Read tells the page what the user can have read, and reports whether this changes the rows.
func (on Shown) Read() (changed bool) {
	c := on.page
	if c == nil {
		return false
	}
	changed = c.Question.Saw(on.question)
	if c.Review.Resized() {
		changed = true
	}
	if form := c.Elicits.First(); form != nil && form.Saw(on.form) {
		changed = true
	}
	return changed
}

// Around is what a page shows of the screen around it.
type Around struct {
	Others  int    // pages that wait for the user
	Leaving string // that the next ctrl+c quits, "" if it does not
	Plan    bool   // the plan is shown beside the page
}
