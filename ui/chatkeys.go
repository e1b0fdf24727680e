package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
)

// selection is text that the mouse has selected.
type selection struct{ c *chat }

func (l selection) Key(p layer.Press) (cmd tea.Cmd, taken bool) {
	switch p.Want {
	case intent.Interrupt:
		cmd = l.c.copyDragged()
	case intent.Stop:
	default:
		return nil, false
	}
	l.c.view.Undrag()
	return cmd, true
}

// interrupt is ctrl+c, which what is below has no other use for.
type interrupt struct{ c *chat }

func (l interrupt) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want != intent.Interrupt {
		return nil, false
	}
	return l.c.interrupt(), true
}

// draft is the composer.
type draft struct{ c *chat }

func (l draft) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if c.composer.Empty() {
		if cmd, ok := c.do(c.m.Keys.Of(intent.Empty, p.Name)); ok {
			return cmd, true
		}
	}
	shown := ""
	if c.history.Walking() {
		shown = c.composer.Value()
	}
	if c.refuses(p.Text) {
		return c.say(c.nobody()), true
	}
	if !c.composer.Key(p.KeyPressMsg, c.m.Keys.Of(intent.Draft, p.Keystroke())) {
		return nil, false
	}
	if c.composer.Value() != shown { // going through its rows is still on the way
		c.history.Leave()
	}
	c.refreshPopup()
	return nil, true
}

func (l draft) Paste(text string) (tea.Cmd, bool) {
	if l.c.refuses(text) {
		return l.c.say(l.c.nobody()), true
	}
	l.c.insert(text)
	return nil, true
}

// insert puts pasted text, or the images that it names, into the composer.
func (c *chat) insert(text string) {
	if !c.pastePictures(text) {
		c.composer.InsertPaste(text)
	}
	c.refreshPopup()
}

// click puts the cursor there. What is typed now answers nothing.
func (l draft) Click(x, y int, up bool) bool {
	c := l.c
	if !up || !c.areas.composer.has(x, y) {
		return false
	}
	c.focus(false)
	c.question.grabbed, c.lastKey = false, c.m.Now()
	if len(c.elicits) > 0 {
		c.elicits[0].grabbed = false
	}
	c.composer.Click(x-c.areas.composer.x, y-c.areas.composer.y)
	c.refreshPopup()
	return true
}

// asked is what waits for an answer without having the keys: esc counts all the same,
// when nothing above has a use for it.
type asked struct{ c *chat }

func (l asked) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch {
	case p.Want != intent.Stop:
	case c.question.open() && !c.question.shownAt.IsZero():
		return c.question.reject(), true
	case c.elicitShown() && !c.elicits[0].open: // nothing is declined that was agreed to
		return c.elicits[0].press(p), true
	}
	return nil, false
}

// click gives the keys to what is asked.
func (l asked) Click(x, y int, up bool) bool {
	c := l.c
	if up || !c.areas.asked.has(x, y) || y >= c.areas.lid {
		return false
	}
	c.giveKeys()
	c.mouse.down = false // it opens nothing besides
	return true
}

// session is what is left of the bindings of the chat page, and the transcript without
// the keys.
type session struct{ c *chat }

func (l session) Key(p layer.Press) (tea.Cmd, bool) {
	c, want := l.c, p.Want
	if c.composer.Mode() != "" { // vi's way up and down
		want = cmp.Or(map[string]intent.Intent{"k": intent.HistoryBack, "j": intent.HistoryForward}[p.Name], want)
	}
	if cmd, ok := c.do(want); ok {
		return cmd, true
	}
	if cmd, ok := c.walkQueue(want); ok {
		return cmd, true
	}
	return nil, c.recall(want)
}

func (l session) Wheel(n int) { l.c.view.Scroll(n) }

// click opens an entry or begins to select.
func (l session) Click(x, y int, up bool) bool {
	c := l.c
	switch {
	case up && c.areas.end.has(x, y) && y < c.areas.lid:
		c.view.End()
	case !c.inTranscript(x, y):
	case up && !c.mouse.drops:
		c.view.ToggleAt(y - c.areas.transcript.y)
	case !up && !c.areas.end.has(x, y):
		c.view.DragFrom(y-c.areas.transcript.y, x)
	}
	return true
}

// giveKeys gives the keys to what is asked; false where nothing is.
func (c *chat) giveKeys() bool {
	switch {
	case c.question.open():
		c.focus(false)
		c.question.grab(c.m.Now())
	case c.eliciting():
		c.focus(false)
		c.popup = nil // it would lie over it
		c.elicits[0].grab(c.m.Now())
	default:
		return false
	}
	return true
}

// takeBack takes the newest prompt that waits off the queue, to be edited or
// dropped. One that the agent holds has to be given back by it.
func (c *chat) takeBack(edit bool) (tea.Cmd, bool) {
	if !edit && c.dropCarried() {
		return nil, true
	}
	if c.takeUnconfirmed(edit) {
		return nil, true
	}
	if n := len(c.Queued); n > 0 {
		if edit {
			c.takeQueued()
			return nil, true
		}
		c.keep(c.Queued[n-1])
		c.Queued = c.Queued[:n-1]
		return nil, true
	}
	if !c.Withdraw(!edit) {
		return nil, false
	}
	return c.say("asked the agent to give the prompt back"), true
}

// recall walks the history; false where that is not what is wanted.
func (c *chat) recall(want intent.Intent) bool {
	var text string
	var ok bool
	switch want {
	case intent.HistoryBack:
		text, ok = c.history.Prev(c.composer.Value())
	case intent.HistoryForward:
		text, ok = c.history.Next()
	default:
		return false
	}
	if ok {
		c.composer.SetValue(text)
	}
	return true
}
