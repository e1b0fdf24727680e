package ui

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/panel"
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

// suspend stops parley until the shell continues it. No shell has started a kept one: its terminal leaves.
func (d departure) suspend() tea.Cmd {
	if d.m.terminals.keeper == nil {
		return tea.Suspend
	}
	return d.detach()
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
	case m.Front.Panels.ListOf(intent.Quit) != nil && !m.Choosing: // asked already: what is safe
		if m.leaving() {
			m.Front.Panels.Close(m.Front.Panels.List())
			m.terminals.keeper.Detach()
			return nil, true
		}
		m.QuitArmed = m.Now()
		return nil, true
	case m.conversing() && m.Front.ClosesOwn():
	case m.leaving():
		if m.terminals.keeper == nil {
			m.endSoon()
		}
		return departure{m}.leave(), true
	default:
		m.QuitArmed = m.Now()
	}
	return nil, false
}

// departure is how the user leaves parley.
type departure struct{ m *Model }

// leave ends the program. In a kept parley the user is asked first, unless nothing was started.
func (d departure) leave() tea.Cmd {
	m := d.m
	if m.terminals.keeper == nil || m.Quitting || m.Choosing || m.Front.Agent.Spec.Name == "" {
		return m.quit()
	}
	m.QuitArmed = time.Time{}
	m.Front.Panels.Show(panel.Leave(m.terminals.keeper.Name(), cmp.Or(d.losses("; "), "ends "+strings.Join(m.Workspace.Names(), ", ")), m.Options.PreferEnd, func() tea.Cmd {
		m.terminals.keeper.Detach()
		return nil
	}, m.quit))
	return nil
}

// detach lets the terminal leave.
func (d departure) detach() tea.Cmd {
	if d.m.terminals.keeper == nil {
		d.m.Front.Say("Only what was started with parley --keep can run in the background")
		return nil
	}
	d.m.terminals.keeper.Detach()
	return nil
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
	keys := m.Keys.ChatKey(intent.Interrupt)
	switch {
	case m.terminals.keeper == nil:
		return strings.TrimSuffix(keys+" again to quit · "+departure{m}.losses(" · "), " · ")
	case m.Front.Panels.ListOf(intent.Quit) != nil:
		return keys + " again keeps it running"
	}
	return keys + " again to leave"
}

// losses says what ends or is lost with the program, "" if nothing is.
func (d departure) losses(sep string) string {
	m := d.m
	turns, commands, prompts := 0, 0, 0
	for _, c := range m.chats() {
		if c.Busy() {
			turns++
		}
		if c.RunsShell() {
			commands++
		}
		if prompts += c.Prompts.Queue.Len(); !c.Composer.Empty() {
			prompts++
		}
	}
	if m.Options.Drafts != nil { // they are saved
		prompts = 0
	}
	var all []string
	for _, lost := range []struct {
		n         int
		one, many string
	}{{turns, "ends the turn", "ends %d turns"}, {commands, "ends your command", "ends %d commands"}, {prompts, "drops the prompt", "drops %d prompts"}} {
		switch lost.n {
		case 0:
		case 1:
			all = append(all, lost.one)
		default:
			all = append(all, fmt.Sprintf(lost.many, lost.n))
		}
	}
	return strings.Join(all, sep)
}
