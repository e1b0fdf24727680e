package page

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/panel"
)

// Messages for commands that get the user's keyboard.
type (
	tookOverMsg struct { // it was restarted in a terminal
		page     *Page
		id, line string
		err      error
	}
	keyboardBackMsg struct {
		page *Page
		id   string
		err  error
	}
)

// keyboard lends the user's keyboard to commands of a session.
type keyboard struct{ c *Page }

// lend gives a command the terminal. If its page is not on the screen it waits to be taken
// over.
func (k keyboard) lend(id, line string) tea.Cmd {
	c := k.c
	switch {
	case !c.Commands().LendKeyboard() || c.screen.Quitting:
		return nil
	case !c.InFront() || c.screen.Choosing || c.Agent.Opening():
		return c.say("A command is waiting for your keyboard" + k.hint(id))
	}
	return c.screen.Exec(c.Commands().Attach(id, line), func(err error) tea.Msg { return keyboardBackMsg{c, id, err} })
}

// takeOver gives a command in the list of running work the user's keyboard. One without a
// terminal must be restarted for that, which takes a second press.
func (k keyboard) takeOver(p *panel.List, w panel.Work) tea.Cmd {
	c := k.c
	if !w.Own || !w.Stops || !c.Commands().LendKeyboard() {
		p.Note = "Only a command that parley runs for the agent can have your keyboard"
		return nil
	}
	if c.Commands().Attended(w.Terminal) {
		c.Panels.open = nil
		return k.lend(w.Terminal, w.Title)
	}
	if !p.Confirmed(intent.TakeOver, w.Terminal, "It is stopped and run again from the start with your keyboard: press "+c.screen.Keys.KeyOf(intent.List, intent.TakeOver)+" again to confirm") {
		return nil
	}
	c.Panels.open = nil
	take := c.Commands().TakeOver(w.Terminal)
	return tea.Batch(c.say("Stopping it to run it again with your keyboard"), func() tea.Msg {
		return tookOverMsg{c, w.Terminal, w.Title, take()}
	})
}

func (msg tookOverMsg) Handle() tea.Cmd {
	if msg.err != nil {
		return msg.page.say(msg.err.Error())
	}
	return keyboard{msg.page}.lend(msg.id, msg.line)
}

// Handle returns to the screen. Keys meant for the command are dropped.
func (msg keyboardBackMsg) Handle() tea.Cmd {
	c := msg.page
	c.screen.Input.Touch()
	c.Question.SuspendKeys()
	switch {
	case msg.err == nil: // the user may be typing, perhaps a password
		c.screen.Input.Mute()
		return c.say("Back in parley; the command has ended")
	case errors.Is(msg.err, workspace.ErrTakenBack):
		return c.say("Back in parley; the command continues" + keyboard{c}.hint(msg.id))
	}
	return c.say(msg.err.Error() + keyboard{c}.hint(msg.id))
}

// hint says how to take over a command in a terminal; "" if that is not possible.
func (k keyboard) hint(id string) string {
	c, keys := k.c, k.c.screen.Keys
	list, key := keys.Label(intent.Chat, intent.Background), keys.Label(intent.List, intent.TakeOver)
	if id == "" || key == "" || !c.Commands().LendKeyboard() {
		return ""
	}
	if list == "" {
		list = "/work"
	}
	return " (" + list + ", " + key + " to take over)"
}
