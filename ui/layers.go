package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/paint"
)

// layers returns the layers of the page on the screen, the topmost first. Some may be nil.
func (m *Model) layers() []layer.Layer {
	if m.choosing {
		return []layer.Layer{always{m}, m.start}
	}
	return m.chat.layers()
}

// layers returns the layers of the page.
func (c *chat) layers() []layer.Layer {
	if c.Agent.Opening() {
		return connecting{c}.layers()
	}
	popup := c.composer.Popup()
	return []layer.Layer{
		always{c.m},
		anywhere{c},
		when(c.panels.open != nil, c.panels.open),
		when(logins{c}.shown(), c.login),
		when(c.elicits.Current() != nil, c.elicits.Current()),
		when(logins{c}.addressShown(), logins{c}.address()),
		when(c.find.Typing(), c.find),
		when(c.view.DraggedText() != "", selection{c}),
		when(c.panels.reading != nil, c.panels.reading),
		when(c.review.Open(), reviewing{c.review, c}),
		interrupt{c},
		when(c.question.Open(), c.question),
		when(c.focused, conversation{c}),
		when(popup != nil && c.panels.reading == nil, popup),
		draft{c},
		asked{c},
		session{c},
	}
}

func when(there bool, l layer.Layer) layer.Layer {
	if there {
		return l
	}
	return nil
}

// conversing reports whether the page of an open session is on the screen.
func (m *Model) conversing() bool { return !m.choosing && !m.chat.Agent.Opening() }

// typing reports whether the composer has the keys, or would without an overlay.
func (c *chat) typing() bool {
	held := false
	layer.Reach(c.layers(), func(l layer.Holder) bool { held = l.Armed(); return held })
	return !held
}

// always handles the keys that work on every page.
type always struct{ m *Model }

func (l always) Key(p layer.Press) (tea.Cmd, bool) {
	if cmd, quits := l.m.interrupted(p); quits {
		return cmd, true
	}
	switch l.m.Keys.Of(intent.Always, p.Name) {
	case intent.Suspend:
		return tea.Suspend, true
	case intent.Redraw:
		return paint.Redraw, true
	}
	return nil, false
}

// anywhere handles the keys that work on the chat page whatever is open.
type anywhere struct{ c *chat }

func (l anywhere) Key(p layer.Press) (tea.Cmd, bool) {
	switch p.Want {
	case intent.NextWaiting:
		return l.c.m.nextWaiting(), true
	case intent.NextColumn:
		return l.c.m.nextColumn(), true
	}
	return nil, false
}
