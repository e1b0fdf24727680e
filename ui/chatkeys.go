package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
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

// reading is what lies over the transcript to be read.
type reading struct{ c *chat }

func (l reading) Key(p layer.Press) (tea.Cmd, bool) {
	c, page := l.c, max(1, l.c.m.height-8)
	switch cmp.Or(c.m.Keys.Of(intent.Reading, p.Name), p.Want) {
	case intent.Close, intent.Stop, intent.Interrupt:
		c.overlay = noOverlay
	case intent.ScrollUp:
		c.scroll--
	case intent.ScrollDown:
		c.scroll++
	case intent.PageUp:
		c.scroll -= page
	case intent.PageDown:
		c.scroll += page
	case intent.Home, intent.End:
	default:
		if c.m.page == connectingPage { // there is no session that it could be about
			return nil, true
		}
		cmd, _ := c.do(p.Want)
		return cmd, true
	}
	return nil, true
}

func (l reading) Rows(width, height int) ([]string, *tea.Cursor) {
	c := l.c
	inner := widget.InnerWidth(width)
	title, body := "", []string(nil)
	switch c.overlay {
	case helpOverlay:
		title, body = "keys", c.helpRows(inner)
	case logOverlay:
		title, body = "log", c.logRows(inner)
	case planOverlay:
		title, body = "plan", c.planRows(inner)
	case sourceOverlay:
		title, body = "messages", c.sourceRows(inner)
		if c.source != nil && c.source.title != "" {
			title = c.source.title
		}
	}
	page := max(1, height-2)
	last := max(0, len(body)-page)
	if c.overlay == logOverlay { // the newest are at the bottom
		c.scroll = max(-last, min(0, c.scroll))
		body = body[max(0, last+c.scroll):]
	} else {
		c.scroll = max(0, min(c.scroll, last))
		body = body[c.scroll:]
	}
	body = body[:min(len(body), page)]
	return widget.Box{Title: title, Foot: "esc closes · pgup pgdn", Body: body, Focused: true}.Rows(width, c.m.Theme), nil
}

func (l reading) Wheel(n int) { l.c.scroll += n }

func (l reading) Click(_, y int, _ bool) bool { return y >= l.c.areas.lid }

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
	if !up || !c.areas.composer.has(x, y) {
		return false
	}
	c.focus(false)
	c.question.grabbed, c.lastKey = false, c.m.Now()
	if len(c.elicits) > 0 {
		c.elicits[0].grabbed = false
	}
	c.composer.Click(x-c.areas.composer.x, y-c.areas.composer.y)
	c.composer.Refresh()
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
		c.composer.ClosePopup() // it would lie over it
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
	return c.say("asked the agent to give the prompt back"), true
}
