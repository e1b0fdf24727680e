package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
)

// waits tells whether the page wants something of the user: an answer, a form
// filled in, a login.
func (c *chat) waits() bool {
	return c.question.Open() || c.elicits.Wait() || c.picker != nil && !c.picker.unasked.IsZero()
}

// waiting are the pages that wait and are not on the screen, in the order of the
// pages from that one on.
func (m *Model) waiting() []*chat {
	all := m.chats()
	at := slices.Index(all, m.chat)
	others := slices.Concat(all[at+1:], all[:max(0, at)])
	return slices.DeleteFunc(others, func(c *chat) bool { return !c.waits() })
}

// waitingWord stands in the status line while other sessions wait; "" where none
// does.
func (m *Model) waitingWord() string {
	n := len(m.waiting())
	verb := "wait"
	switch n {
	case 0:
		return ""
	case 1:
		verb = "waits"
	}
	return m.Theme.Warn.Paint(fmt.Sprintf("%d %s", n, verb)) + m.Theme.Dim.Paint(" · "+m.label(intent.NextWaiting))
}

// nextWaiting shows the next session that waits. What the user was choosing from is
// given up; what came up by itself stays for later.
func (m *Model) nextWaiting() tea.Cmd {
	next := m.waiting()
	if len(next) == 0 {
		return m.chat.say("no other session waits for you")
	}
	if p := m.chat.picker; p != nil && p.step == nil && p.unasked.IsZero() {
		m.chat.picker = nil
	}
	m.show(next[0])
	return nil
}
