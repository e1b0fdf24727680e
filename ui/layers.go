package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/layer"
)

// layers are those of the page on the screen, the topmost first; nil for what is not there.
func (m *Model) layers() []layer.Layer {
	c := m.typedOn()
	switch m.page {
	case startPage:
		return []layer.Layer{always{m}, m.start}
	case connectingPage:
		return []layer.Layer{
			always{m},
			leaving{m},
			when(m.login != nil, list{c, &m.login}),
			when(c.elicits.Current() != nil, c.elicits.Current()),
			when(c.overlay == logOverlay, reading{c}),
			when(c.addressShown(), address{c}),
			asked{c},
			connecting{m},
			ahead{c},
		}
	}
	return c.layers()
}

// layers are those of the chat page.
func (c *chat) layers() []layer.Layer {
	return []layer.Layer{
		always{c.m},
		anywhere{c},
		when(c.picker != nil, list{c, &c.picker}),
		when(c.elicits.Current() != nil, c.elicits.Current()),
		when(c.addressShown(), address{c}),
		when(c.copying != nil, c.copying),
		when(c.finding != nil && c.finding.typing, c.finding),
		when(c.view.DraggedText() != "", selection{c}),
		when(c.overlay != noOverlay, reading{c}),
		interrupt{c},
		when(c.question.Open(), c.question),
		when(c.focused, conversation{c}),
		when(c.popup != nil, c.popup),
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

// press hands a key to the layers. Whether they have the keys depends on the key
// before: this one counts from now on.
func (m *Model) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	p := layer.Press{KeyPressMsg: msg, Name: msg.String(), Want: m.Keys.Of(intent.Chat, msg.String())}
	c := m.typedOn()
	layer.Reach(m.layers(), func(l layer.Layer) (taken bool) {
		cmd, taken = l.Key(p)
		return taken
	})
	c.lastKey = m.Now()
	return cmd
}

// typedOn is the chat that what is typed belongs to.
func (m *Model) typedOn() *chat {
	if m.page == connectingPage {
		return m.front(m.starting)
	}
	return m.chat
}

// typing tells whether the composer has the keys, or would have them but for what
// lies over the page.
func (c *chat) typing() bool {
	held := false
	layer.Reach(c.layers(), func(l layer.Holder) bool { held = l.Armed(); return held })
	return !held
}

// quietSince is since when it has been quiet for what waits for that; false where
// nothing does.
func (m *Model) quietSince() (since time.Time, waits bool) {
	since = m.typedOn().lastKey
	layer.Reach(m.layers(), func(l layer.Waiter) bool {
		at, here := l.WaitsSince()
		if here && at.IsZero() { // it is about to be drawn
			at = m.Now()
		}
		if here && at.After(since) {
			since = at
		}
		waits = waits || here
		return false
	})
	return since, waits
}

// always handles the keys that count on every page.
type always struct{ m *Model }

func (l always) Key(p layer.Press) (tea.Cmd, bool) {
	switch l.m.Keys.Of(intent.Always, p.Name) {
	case intent.Suspend:
		return tea.Suspend, true
	case intent.Redraw:
		return l.m.redraw(), true
	}
	return nil, false
}

// anywhere handles the key that counts whatever is open on the chat page.
type anywhere struct{ c *chat }

func (l anywhere) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want != intent.NextWaiting {
		return nil, false
	}
	return l.c.m.nextWaiting(), true
}
