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
	c.lastKey = c.m.Now()
	c.question.Release()
	c.elicits.Release()
	c.composer.Click(x-c.areas.composer.x, y-c.areas.composer.y)
	c.refreshPopup()
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
	if form := c.elicits.InSight(); form != nil && form.Asks() { // nothing is declined that was agreed to
		return form.Press(p), true
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
	c.popup = nil // it would lie over it
	form.Grab()
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
