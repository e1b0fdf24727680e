package ui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/panel"
)

// Messages of commands that get the user's keyboard.
type (
	tookOverMsg struct { // it runs again, at a terminal of its own
		chat     *chat
		id, line string
		err      error
	}
	keyboardBackMsg struct {
		chat *chat
		id   string
		err  error
	}
)

// keyboard lends the user's keyboard to commands of a session.
type keyboard struct{ c *chat }

// lend gives a command the terminal. On a page that is not to be seen it waits to be
// taken over.
func (k keyboard) lend(id, line string) tea.Cmd {
	c, m, conn := k.c, k.c.m, k.c.Agent.Conn()
	switch {
	case conn == nil || conn.Attach == nil || c.ACP == nil || m.quitting:
		return nil
	case m.chat != c || m.page != chatPage:
		return c.say("a command waits for your keyboard" + k.hint(id))
	}
	return c.m.Exec(conn.Attach(c.ACP.ID(), id, line), func(err error) tea.Msg { return keyboardBackMsg{c, id, err} })
}

// takeOver gives a command of the list of what goes on the user's keyboard. One that
// has no terminal has to be run again for it, which takes the same key twice.
func (k keyboard) takeOver(p *panel.List, w panel.Work) tea.Cmd {
	c, conn := k.c, k.c.Agent.Conn()
	if !w.Own || !w.Stops || conn == nil || conn.TakeOver == nil || c.ACP == nil {
		p.Note = "only a command that parley runs for the agent can have your keyboard"
		return nil
	}
	session := c.ACP.ID()
	if conn.Attended(session, w.Terminal) {
		c.panels.open = nil
		return k.lend(w.Terminal, w.Title)
	}
	if !p.Sure(intent.TakeOver, w.Terminal, "it is stopped and run again from the beginning, with your keyboard: "+panel.KeyOf(c.m.Keys, intent.TakeOver)+" again does") {
		return nil
	}
	c.panels.open = nil
	take := conn.TakeOver
	return tea.Batch(c.say("stopping it, to run it again with your keyboard"), func() tea.Msg {
		return tookOverMsg{c, w.Terminal, w.Title, take(session, w.Terminal)}
	})
}

func (msg tookOverMsg) handle(*Model) tea.Cmd {
	if msg.err != nil {
		return msg.chat.say(msg.err.Error())
	}
	return keyboard{msg.chat}.lend(msg.id, msg.line)
}

// handle is back on the screen. Keys that were meant for the command are nobody's.
func (msg keyboardBackMsg) handle(m *Model) tea.Cmd {
	c := msg.chat
	m.input.Touch()
	c.question.Deafen()
	switch {
	case msg.err == nil: // in the middle of a word, perhaps of a password
		m.input.Mute()
		return c.say("the command has ended; the keyboard is yours")
	case errors.Is(msg.err, workspace.ErrTakenBack):
		return c.say("the keyboard is yours; the command goes on" + keyboard{c}.hint(msg.id))
	}
	return c.say(msg.err.Error() + keyboard{c}.hint(msg.id))
}

// hint says how the command at a terminal is taken over; "" where it cannot be.
func (k keyboard) hint(id string) string {
	c, keys := k.c, k.c.m.Keys
	list, key := keys.Label(intent.Chat, intent.Background), keys.Label(intent.List, intent.TakeOver)
	if id == "" || key == "" || c.Agent.Conn() == nil || c.Agent.Conn().TakeOver == nil {
		return ""
	}
	if list == "" {
		list = "/work"
	}
	return " (" + list + ", " + key + " takes it over)"
}
