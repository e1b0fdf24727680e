package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/keeper"
	"parley/internal/words"
)

// openKept attaches the terminal to a kept session, or resumes one that has ended. What is kept itself cannot show
// another one: its terminal leaves for that.
func openKept(m *Model, k keeper.Session) tea.Cmd {
	switch {
	case !k.Live:
		switch command, resumed := m.Workspace.Kept.Resume(k); {
		case resumed:
		case command != "":
			sayAnywhere(m, "Resume: "+command)
		default:
			sayAnywhere(m, k.Name+" cannot be resumed: "+k.Why)
		}
	case m.terminals.keeper != nil:
		m.terminals.keeper.Switch(k.Name)
	case m.Options.AttachKept != nil:
		return m.Exec(m.Options.AttachKept(k.Name), func(err error) tea.Msg { return keptLeftMsg{m, err} })
	}
	return nil
}

// keptLeftMsg says that the terminal has left a kept session.
type keptLeftMsg struct {
	m   *Model
	err error
}

// Handle implements layer.Message.
func (msg keptLeftMsg) Handle() tea.Cmd {
	m := msg.m
	m.Input.Touch() // keys meant for the other one answer nothing
	m.Workspace.Kept.List()
	if msg.err != nil {
		sayAnywhere(m, words.Sentence(strings.TrimSpace(msg.err.Error())))
	}
	return nil
}

// sayAnywhere says something on the first page or on the one in front.
func sayAnywhere(m *Model, line string) {
	if m.Choosing {
		m.start.Note(line)
		return
	}
	m.Front.Say(line)
}
