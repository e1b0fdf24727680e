package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// layer is whatever can have the keys. A key goes from layer to layer, from the top
// down, until one takes it. Each knows by itself whether it has the keys.
type layer interface {
	key(p press) (cmd tea.Cmd, taken bool)
}

// holder is a layer that takes the keys from the composer while it is armed.
type holder interface{ armed() bool }

// press is a key press, with its name and what it means on the chat page.
type press struct {
	tea.KeyPressMsg
	name string
	want intent.Intent
}

// layers are those of the page on the screen, the topmost first.
func (m *Model) layers() []layer {
	all := []layer{always{m}}
	switch m.page {
	case startPage:
		return append(all, m.start)
	case connectingPage:
		return append(all, m.connectingLayers()...)
	}
	return append(all, m.chat.layers()...)
}

// layers are what of the chat page is there to take keys.
func (c *chat) layers() []layer {
	all := []layer{anywhere{c}}
	if c.picker != nil {
		all = append(all, list{c, &c.picker})
	}
	if c.eliciting() {
		all = append(all, c.elicits[0])
	}
	all = append(all, address{c})
	if c.copying != nil {
		all = append(all, c.copying)
	}
	if c.finding != nil && c.finding.typing {
		all = append(all, c.finding)
	}
	if c.view.DraggedText() != "" {
		all = append(all, selection{c})
	}
	if c.overlay != noOverlay {
		all = append(all, reading{c})
	}
	all = append(all, interrupt{c})
	if c.question.open() {
		all = append(all, c.question)
	}
	if c.focused {
		all = append(all, transcript{c})
	}
	if c.popup != nil {
		all = append(all, c.popup)
	}
	return append(all, draft{c}, asked{c}, session{c})
}

// connectingLayers are those of the page that waits for an agent.
func (m *Model) connectingLayers() []layer {
	c := m.front(m.starting)
	all := []layer{leaving{m}}
	if m.login != nil {
		all = append(all, list{c, &m.login})
	}
	if c.eliciting() {
		all = append(all, c.elicits[0])
	}
	if c.overlay == logOverlay {
		all = append(all, reading{c})
	}
	return append(all, address{c}, connecting{m}, ahead{c})
}

// press hands a key to the layers. Whether they have the keys depends on the key
// before: this one counts from now on.
func (m *Model) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	p := press{msg, msg.String(), m.keys.Of(intent.Chat, msg.String())}
	c := m.typedOn()
	for _, l := range m.layers() {
		var taken bool
		if cmd, taken = l.key(p); taken {
			break
		}
	}
	c.lastKey = m.now()
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
	for _, l := range c.layers() {
		if h, ok := l.(holder); ok && h.armed() {
			return false
		}
	}
	return true
}

// always handles the keys that count on every page.
type always struct{ m *Model }

func (l always) key(p press) (tea.Cmd, bool) {
	switch l.m.keys.Of(intent.Always, p.name) {
	case intent.Suspend:
		return tea.Suspend, true
	case intent.Redraw:
		return l.m.redraw(), true
	}
	return nil, false
}

// anywhere handles the key that counts whatever is open on the chat page.
type anywhere struct{ c *chat }

func (l anywhere) key(p press) (tea.Cmd, bool) {
	if p.want != intent.NextWaiting {
		return nil, false
	}
	return l.c.m.nextWaiting(), true
}
