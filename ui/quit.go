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
	m.Quitting, m.dirty = true, true
	m.Workspace.End()
	return func() tea.Msg {
		m.endAll()
		return closedMsg{}
	}
}

// endAll ends everything that was started, concurrently. It may be called on any goroutine.
func (m *Model) endAll() {
	var shells sync.WaitGroup
	if m.Options.Shell != nil {
		shells.Go(m.Options.Shell.Close)
	}
	m.Workspace.Close()
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
		m.QuitArmed = time.Time{}
	case m.conversing() && m.Front.ClosesOwn():
	case m.leaving():
		m.endSoon()
		return m.quit(), true
	default:
		m.QuitArmed = m.Now()
	}
	return nil, false
}

// endSoon has agents killed that take too long to end.
func (m *Model) endSoon() {
	if m.Options.EndSoon != nil {
		m.Options.EndSoon()
	}
}

// leaving reports whether ctrl+c quits now, because it was pressed a moment ago.
func (m *Model) leaving() bool { return m.Now().Sub(m.QuitArmed) < leaveWithin }

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
		if c.RunsShell() {
			commands++
		}
		if prompts += len(c.Prompts.Queue.Texts()); !c.Composer.Empty() {
			prompts++
		}
	}
	if m.Options.Drafts != nil { // they are saved
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
