package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// key handles a key of the chat page. The question comes first, if it has the
// keys; then what is open over the transcript; then the composer; then what is
// left of the bindings.
func (c *chat) key(msg tea.KeyPressMsg) tea.Cmd {
	now := c.m.now()
	name := msg.String()
	if name == "alt+esc" { // two of them at once look like this
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		return tea.Batch(c.key(esc), c.key(esc))
	}
	want := c.m.keys.Of(intent.Chat, name)
	armed := c.question.armed(now)
	if cmd, ok := c.loginKey(msg); ok {
		return cmd
	}
	picking := c.pickerShown() && (c.picker.armed(now, c.lastKey) || want == intent.Stop)
	eliciting := c.elicitShown() && c.elicits[0].takes(c, now, name)
	c.lastKey = now
	if want == intent.NextWaiting { // from wherever one is
		return c.m.nextWaiting()
	}
	if picking {
		p := c.picker
		cmd, done := p.key(c.m.keys, msg)
		if done && c.picker == p {
			c.picker = nil
		}
		return cmd
	}
	if eliciting {
		return c.elicitKey(msg)
	}
	if cmd, ok := c.lidKey(msg, want); ok {
		return cmd
	}
	if want == intent.Interrupt {
		return c.interrupt()
	}
	if armed && c.overlay == noOverlay {
		if cmd, ok := c.question.key(msg); ok {
			return cmd
		}
	}
	if c.overlay != noOverlay {
		return c.readingKey(name, want)
	}
	if c.focused {
		if cmd, ok := c.focusKey(msg); ok {
			return cmd
		}
	}
	if cmd, ok := c.popupKey(msg); ok {
		return cmd
	}
	if cmd, ok := c.emptyKey(name); ok {
		return cmd
	}
	shown := ""
	if c.history.Walking() {
		shown = c.composer.Value()
	}
	if c.refuses(msg.Text) {
		return c.say(c.nobody())
	}
	if c.composer.Key(msg, c.m.keys.Of(intent.Draft, msg.Keystroke())) {
		if c.composer.Value() != shown { // going through its rows is still on the way
			c.history.Leave()
		}
		c.refreshPopup()
		return nil
	}
	if c.composer.Mode() != "" { // vi's way up and down
		want = cmp.Or(map[string]intent.Intent{"k": intent.HistoryBack, "j": intent.HistoryForward}[name], want)
	}
	if cmd, ok := c.do(want); ok {
		return cmd
	}
	if cmd, ok := c.walkQueue(want); ok {
		return cmd
	}
	c.recall(want)
	return nil
}

// lidKey handles a key that is for the menu of what to copy, for the search, or
// for text that the mouse has selected.
func (c *chat) lidKey(msg tea.KeyPressMsg, want intent.Intent) (tea.Cmd, bool) {
	switch {
	case c.copying != nil:
		return c.copyKey(msg.String()), true
	case c.finding != nil && c.finding.typing:
		return c.findKey(msg), true
	case want == intent.Interrupt && c.view.DraggedText() != "":
		cmd := c.copyDragged()
		c.view.Undrag()
		return cmd, true
	case want == intent.Stop && c.view.DraggedText() != "":
		c.view.Undrag()
		return nil, true
	}
	return nil, false
}

// emptyKey handles the keys that mean something else while nothing is typed.
func (c *chat) emptyKey(name string) (tea.Cmd, bool) {
	if !c.composer.Empty() {
		return nil, false
	}
	return c.do(c.m.keys.Of(intent.Empty, name))
}

// readingKey handles a key while something lies over the transcript to be read.
func (c *chat) readingKey(name string, want intent.Intent) tea.Cmd {
	switch reading := c.m.keys.Of(intent.Reading, name); reading {
	case intent.Close:
		c.overlay = noOverlay
	case intent.ScrollUp, intent.ScrollDown:
		c.scrollBy(reading)
	default:
		cmd, _ := c.do(want)
		return cmd
	}
	return nil
}

// giveKeys gives the keys to what is asked; false where nothing is.
func (c *chat) giveKeys() bool {
	switch {
	case c.question.open():
		c.focus(false)
		c.question.grab(c.m.now())
	case c.eliciting():
		c.focus(false)
		c.popup = nil // it would lie over it
		c.elicits[0].grab(c.m.now())
	default:
		return false
	}
	return true
}

// typing tells whether the composer has the keys.
func (c *chat) typing() bool {
	now := c.m.now()
	return !c.focused && !c.question.armed(now) && !(c.elicitShown() && c.elicits[0].armed(c, now))
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

// recall walks the history.
func (c *chat) recall(want intent.Intent) {
	var text string
	var ok bool
	switch want {
	case intent.HistoryBack:
		text, ok = c.history.Prev(c.composer.Value())
	case intent.HistoryForward:
		text, ok = c.history.Next()
	}
	if ok {
		c.composer.SetValue(text)
	}
}
