package ui

import (
	"fmt"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// quit ends the program after everything it started.
func (m *Model) quit() tea.Cmd {
	m.quitting, m.dirty = true, true
	m.w.End()
	return func() tea.Msg {
		m.endAll()
		return closedMsg{}
	}
}

// endAll ends everything that was started, concurrently. It may be called on any goroutine.
func (m *Model) endAll() {
	var shells sync.WaitGroup
	if m.opts.Shell != nil {
		shells.Go(m.opts.Shell.Close)
	}
	m.w.Close()
	shells.Wait()
}

// leaveWithin is the longest time between the two presses of ctrl+c that quit.
const leaveWithin = 2 * time.Second

// interrupted notes a press of ctrl+c, before the layers below handle it. The second within
// leaveWithin quits, whatever the agent does. One that copies, or closes what the user has opened,
// does not count.
func (m *Model) interrupted(p layer.Press) (cmd tea.Cmd, quits bool) {
	switch {
	case p.Want != intent.Interrupt:
		m.quitArmed = time.Time{}
	case m.closesOwn():
	case m.leaving():
		m.endSoon()
		return m.quit(), true
	default:
		m.quitArmed = m.Now()
	}
	return nil, false
}

// closesOwn reports whether ctrl+c copies, or closes what the user has opened.
func (m *Model) closesOwn() bool {
	c := m.chat
	switch {
	case !m.conversing():
		return false
	case c.panels.open != nil:
		return true
	case logins{c}.shown(), c.elicits.Current() != nil: // an agent may ask again and again
		return false
	}
	return c.find.Typing() || c.view.DraggedText() != "" || c.panels.reading != nil || c.review.Open()
}

// endSoon has agents killed that take too long to end.
func (m *Model) endSoon() {
	if m.opts.EndSoon != nil {
		m.opts.EndSoon()
	}
}

// leaving reports whether ctrl+c quits now, because it was pressed a moment ago.
func (m *Model) leaving() bool { return m.Now().Sub(m.quitArmed) < leaveWithin }

// leavingHint says that the next ctrl+c quits, and what ends or is lost then; "" if it does not quit.
func (m *Model) leavingHint() string {
	if !m.leaving() {
		return ""
	}
	turns, commands, prompts := 0, 0, 0
	for _, c := range m.chats() {
		if c.Busy() {
			turns++
		}
		if c.shells.Running() {
			commands++
		}
		if prompts += len(c.Queued()); !c.composer.Empty() {
			prompts++
		}
	}
	if m.opts.Drafts != nil { // they are saved
		prompts = 0
	}
	hint := m.Keys.ChatKey(intent.Interrupt) + " again to quit"
	for _, lost := range []struct {
		n         int
		one, many string
	}{{turns, "ends the turn", "ends %d turns"}, {commands, "ends your command", "ends %d commands"}, {prompts, "drops the prompt", "drops %d prompts"}} {
		switch lost.n {
		case 0:
		case 1:
			hint += " · " + lost.one
		default:
			hint += " · " + fmt.Sprintf(lost.many, lost.n)
		}
	}
	return hint
}
