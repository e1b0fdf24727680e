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
		cmd = l.copy()
	case intent.Stop:
	default:
		return nil, false
	}
	l.c.view.Undrag()
	return cmd, true
}

// copy copies the selected text.
func (l selection) copy() tea.Cmd {
	text := l.c.view.DraggedText()
	return l.c.copyText(func() string { return text })
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
	if c.refuses(p.Text) {
		return c.say(c.nobody()), true
	}
	return c.composer.Type(p)
}

func (l draft) Paste(text string) (tea.Cmd, bool) {
	if l.c.refuses(text) {
		return l.c.say(l.c.nobody()), true
	}
	return l.c.composer.Paste(text), true
}

// click puts the cursor there. What is typed now answers nothing.
func (l draft) Click(x, y int, up bool) bool {
	c := l.c
	if !up || !c.areas.composer.Has(x, y) {
		return false
	}
	c.focus(false)
	c.m.input.Touch()
	c.question.Release()
	c.elicits.Release()
	c.composer.Click(x-c.areas.composer.X, y-c.areas.composer.Y)
	c.composer.Refresh()
	return true
}

// asked is what waits for an answer without having the keys: esc counts all the same,
// when nothing above has a use for it.
type asked struct{ c *chat }

func (l asked) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	if p.Want != intent.Stop {
		return nil, false
	}
	if c.question.Appeared() {
		return c.question.Reject(), true
	}
	if form := c.elicits.OnScreen(); form != nil && form.Asks() { // nothing is declined that was agreed to
		return form.Press(p), true
	}
	return nil, false
}

// click gives the keys to what is asked.
func (l asked) Click(x, y int, up bool) bool {
	c := l.c
	if up || !c.areas.asked.Has(x, y) || y >= c.areas.lid {
		return false
	}
	c.giveKeys()
	c.m.mouse.Drop() // it opens nothing besides
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
	if cmd, ok := (composing{c}).walkQueue(want); ok {
		return cmd, true
	}
	return nil, c.composer.Recall(want)
}

func (l session) Wheel(n int) { l.c.view.Scroll(n) }

// click opens an entry or begins to select.
func (l session) Click(x, y int, up bool) bool {
	c := l.c
	switch {
	case up && c.areas.end.Has(x, y) && y < c.areas.lid:
		c.view.End()
	case !c.areas.bare(x, y):
	case up && !c.m.mouse.Drops():
		c.view.ToggleAt(y - c.areas.transcript.Y)
	case !up && !c.areas.end.Has(x, y):
		c.view.DragFrom(y-c.areas.transcript.Y, x)
	}
	return true
}

// giveKeys gives the keys to what is asked; false where nothing is.
func (c *chat) giveKeys() bool {
	if c.question.Open() {
		c.focus(false)
		c.question.Grab()
		return true
	}
	form := c.elicits.Current()
	if form == nil {
		return false
	}
	c.focus(false)
	c.composer.ClosePopup() // it would lie over it
	form.Grab()
	return true
}

// takeBack takes the newest prompt that waits off the queue, to be edited or
// dropped. One that the agent holds has to be given back by it.
func (c *chat) takeBack(edit bool) (tea.Cmd, bool) {
	if !edit && c.DropCarried() {
		return nil, true
	}
	if (composing{c}).takeUnconfirmed(edit) {
		return nil, true
	}
	if n := len(c.Queued); n > 0 {
		if edit {
			c.composer.SetValue(c.TakeQueued(n - 1))
			return nil, true
		}
		c.composer.Keep(c.Queued[n-1])
		c.Queued = c.Queued[:n-1]
		return nil, true
	}
	if !c.Withdraw(!edit) {
		return nil, false
	}
	return c.say("Asked the agent to return the prompt"), true
}
