package page

import (
	"parley/ui/inline"
	"parley/ui/layer"
	"parley/ui/question"
	"parley/ui/transcript"
	"parley/ui/widget/box"
)

// Shown is what a page is told about a frame.
type Shown struct {
	page     *Page // nil: none
	areas    areas
	pane     *transcriptPane
	view     *transcript.View // of the pane, as drawing left it; nil: not drawn
	question question.Shown
	form     question.Shown
	viewed   []viewed
	list     []string // the open list, if it is wider than the page; nil: it is not
	listTop  int      // its first row
}

// List returns the open list and its first row on the page, if it is to be drawn over all columns.
func (on Shown) List() (rows []string, top int) { return on.list, on.listTop }

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
			on.pane.View.CommitFrame(on.view)
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
	Clients int    // that have joined and are not shown beside the page
	Lists   int    // the width of lists, if they are drawn over all columns; 0: that of the page
}

// NeedsScreen reports whether something is open that needs the full screen.
func (c *Page) NeedsScreen(height int) bool {
	return c.Panels.reading != nil || c.Review.Open() || c.Panels.open != nil || c.login.Open() || c.sub != nil || !c.atRest() || c.Elicits.OnScreen() != nil ||
		c.Question.Open() && (c.Question.Full() || height < 10)
}

// InScrollback returns the page as the scrollback shows it.
func (c *Page) InScrollback(width int) inline.Page {
	about := c.Title()
	if about == "" {
		about = "in " + c.screen.Options.Place(c.cwd)
	}
	return inline.Page{Key: c, Name: c.Agent.Name(), About: about, Width: max(1, width-1), Conversation: c.own().toScrollback(c.Thread, width)}
}

// Unwrite forgets what the terminal's scrollback has of the page: it is another terminal now.
func (c *Page) Unwrite() {
	for _, p := range c.panes {
		p.written = nil
	}
}

// FitInline is Fit for a terminal of which the page has the end.
func (c *Page) FitInline(width, height int) {
	c.height = height
	c.View.SetSize(width, max(1, height-5)) // so that a page knows how far to scroll
	c.Composer.Fit(liveCells(width), height)
}

// Fit sets the size that the page is drawn in next.
func (c *Page) Fit(width, height int) {
	c.height = height
	c.Composer.Fit(box.InnerWidth(width), height)
}

// liveCells returns the width of the rows of the live part.
func liveCells(width int) int { return min(width-1, maxLive) }
