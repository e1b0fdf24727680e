package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// layer is whatever can have the keys. A key goes from layer to layer, from the top
// down, until one takes it. Each knows by itself whether it has the keys.
type layer interface {
	key(p press) (cmd tea.Cmd, taken bool)
}

// What only some layers do.
type (
	// holder takes the keys from the composer while it is armed.
	holder interface{ armed() bool }
	// waiter takes keys by itself when it has been quiet since then; false where it does
	// not wait for that.
	waiter interface{ waitsSince() (time.Time, bool) }
	// paster takes pasted text; false leaves it to the layer below.
	paster interface {
		paste(text string) (cmd tea.Cmd, taken bool)
	}
	// overlayer lies over the transcript, in at most so many rows.
	overlayer interface {
		rows(width, height int) ([]string, *tea.Cursor)
	}
	// wheeler is scrolled by the wheel.
	wheeler interface{ wheel(rows int) }
	// clicker takes a button that goes down at a cell, or comes up where it went down;
	// false leaves it to the layer below.
	clicker interface{ click(x, y int, up bool) bool }
)

// reach tries the layers that can do something, from the top down, until one has done it.
func reach[T any](layers []layer, try func(T) (done bool)) {
	for _, l := range layers {
		if t, ok := l.(T); ok && try(t) {
			return
		}
	}
}

// press is a key press, with its name and what it means on the chat page.
type press struct {
	tea.KeyPressMsg
	name string
	want intent.Intent
}

// layers are those of the page on the screen, the topmost first; nil for what is not there.
func (m *Model) layers() []layer {
	c := m.typedOn()
	switch m.page {
	case startPage:
		return []layer{always{m}, m.start}
	case connectingPage:
		return []layer{
			always{m},
			leaving{m},
			when(m.login != nil, list{c, &m.login}),
			when(c.eliciting(), c.form()),
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
func (c *chat) layers() []layer {
	return []layer{
		always{c.m},
		anywhere{c},
		when(c.picker != nil, list{c, &c.picker}),
		when(c.eliciting(), c.form()),
		when(c.addressShown(), address{c}),
		when(c.copying != nil, c.copying),
		when(c.finding != nil && c.finding.typing, c.finding),
		when(c.view.DraggedText() != "", selection{c}),
		when(c.overlay != noOverlay, reading{c}),
		interrupt{c},
		when(c.question.open(), c.question),
		when(c.focused, conversation{c}),
		when(c.popup != nil, c.popup),
		draft{c},
		asked{c},
		session{c},
	}
}

func when(there bool, l layer) layer {
	if there {
		return l
	}
	return nil
}

// press hands a key to the layers. Whether they have the keys depends on the key
// before: this one counts from now on.
func (m *Model) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	p := press{msg, msg.String(), m.keys.Of(intent.Chat, msg.String())}
	c := m.typedOn()
	reach(m.layers(), func(l layer) (taken bool) {
		cmd, taken = l.key(p)
		return taken
	})
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
	held := false
	reach(c.layers(), func(l holder) bool { held = l.armed(); return held })
	return !held
}

// quietSince is since when it has been quiet for what waits for that; false where
// nothing does.
func (m *Model) quietSince() (since time.Time, waits bool) {
	since = m.typedOn().lastKey
	reach(m.layers(), func(l waiter) bool {
		at, here := l.waitsSince()
		if here && at.IsZero() { // it is about to be drawn
			at = m.now()
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
