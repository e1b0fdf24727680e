package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// key handles a key of the chat page. The question comes first, if it has the
// keys; then what is open over the transcript; then the composer; then what is
// left of the bindings.
func (c *chat) key(msg tea.KeyPressMsg) tea.Cmd {
	now := c.m.now()
	name := msg.String()
	want := intent.Of(name)
	armed := c.question.armed(now)
	picking := c.picker != nil && (c.picker.armed(now, c.lastKey) || want == intent.Stop)
	c.lastKey = now
	if picking {
		p := c.picker
		cmd, done := p.key(msg)
		if done && c.picker == p {
			c.picker = nil
		}
		return cmd
	}
	if len(c.elicits) > 0 && !c.question.open() {
		return c.elicitKey(msg)
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
		if want == intent.Stop || name == "q" || name == "enter" {
			c.overlay = noOverlay
			return nil
		}
		switch name {
		case "up", "k":
			c.scroll--
			return nil
		case "down", "j":
			c.scroll++
			return nil
		}
		cmd, _ := c.do(want)
		return cmd
	}
	if cmd, ok := c.popupKey(msg); ok {
		return cmd
	}
	if cmd, ok := c.emptyKey(name); ok {
		return cmd
	}
	if c.composer.Key(msg) {
		c.history.Leave()
		c.refreshPopup()
		return nil
	}
	if cmd, ok := c.do(want); ok {
		return cmd
	}
	c.recall(want)
	return nil
}

// emptyKey handles the keys that mean something else while nothing is typed.
func (c *chat) emptyKey(name string) (tea.Cmd, bool) {
	if !c.composer.Empty() {
		return nil, false
	}
	switch name {
	case "?":
		c.toggle(helpOverlay)
		return nil, true
	case "tab":
		c.question.grab(c.m.now())
		return nil, true
	case "backspace":
		if n := len(c.queued); n > 0 {
			c.history.Add(c.queued[n-1])
			c.queued = c.queued[:n-1]
			return nil, true
		}
	case "up":
		if n := len(c.queued); n > 0 {
			c.composer.SetValue(c.queued[n-1])
			c.queued = c.queued[:n-1]
			return nil, true
		}
	}
	return nil, false
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
