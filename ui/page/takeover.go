package page

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/words"
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

// lendKeyboard gives a command the terminal. If its page is not on the screen it waits to be taken
// over.
func lendKeyboard(c *Page, id, line string) tea.Cmd {
	switch {
	case !c.Commands().LendKeyboard() || c.screen.Quitting:
		return nil
	case !c.InFront() || c.screen.Choosing || c.Agent.Opening():
		return c.say("A command is waiting for your keyboard" + keyboardHint(c, id))
	}
	return c.screen.Exec(c.Commands().Attach(id, line), func(err error) tea.Msg { return keyboardBackMsg{c, id, err} })
}

// takeOver gives a command in the list of running work the user's keyboard. One without a
// terminal must be restarted for that, which takes a second press.
func takeOver(c *Page, p *panel.List, w panel.Work) tea.Cmd {
	if !w.Own || !w.Stops || !c.Commands().LendKeyboard() {
		p.Note = noKeyboard(c, w)
		return nil
	}
	if c.Commands().Attended(w.Terminal) {
		c.Panels.open = nil
		return lendKeyboard(c, w.Terminal, w.Title)
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

// noKeyboard says why work cannot have the keyboard.
func noKeyboard(c *Page, w panel.Work) string {
	ended := func(part event.ToolContent) bool {
		t := c.Thread.Terminal(part.Terminal)
		return t != nil && !t.Foreign && t.Exited
	}
	switch {
	case w.Tool == nil || w.Tool.Kind != "execute":
		return "This cannot take your keyboard"
	case slices.ContainsFunc(w.Tool.Content, ended):
		return "This command has ended"
	}
	return "This command is run by the agent; it cannot take your keyboard"
}

func (msg tookOverMsg) Handle() tea.Cmd {
	if msg.err != nil {
		return msg.page.say(words.Sentence(msg.err.Error()))
	}
	return lendKeyboard(msg.page, msg.id, msg.line)
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
		return c.say("Back in parley; the command continues" + keyboardHint(c, msg.id))
	}
	return c.say(words.Sentence(msg.err.Error()) + keyboardHint(c, msg.id))
}

// keyboardHint says how to take over a command in a terminal; "" if that is not possible.
func keyboardHint(c *Page, id string) string {
	keys := c.screen.Keys
	list, key := keys.Label(intent.Chat, intent.Background), keys.Label(intent.List, intent.TakeOver)
	if id == "" || key == "" || !c.Commands().LendKeyboard() {
		return ""
	}
	if list == "" {
		list = "/work"
	}
	return " (" + list + ", " + key + " to take over)"
}

// work returns the running work of the session, the newest last.
func work(c *Page) []panel.Work {
	var runs []panel.Run
	for _, r := range c.shells.All() {
		runs = append(runs, panel.Run{Key: r.Key, Line: r.Line})
	}
	return panel.WorkOf(c.Thread, runs, c.Agent.Connected(), doing)
}

// showWork lists the running work.
func showWork(c *Page) tea.Cmd {
	c.Panels.Show(panel.Running(c.screen.Keys, func() []panel.Work { return work(c) }, panel.WorkActions{
		Show: func(w panel.Work) tea.Cmd {
			switch {
			case w.Run != 0:
				return showItem(c, func(it *thread.Item) bool { return it.Shell != nil && it.Shell.Key == w.Run })
			case w.Subagent != nil:
				return openSubagent(c, w.Subagent)
			case w.Tool == nil:
				return c.say("The agent sent no details")
			}
			return showItem(c, func(it *thread.Item) bool { return it.Tool == w.Tool })
		},
		Stop: func(l *panel.List, w panel.Work) tea.Cmd {
			switch {
			case !w.Stops:
				l.Note = notAlone(c)
				return nil
			case w.Run != 0:
				l.Note = "Stopped"
				cmd, ok := c.shells.Of(w.Run).Stop()
				if !ok {
					return c.say("It has ended")
				}
				return cmd
			case w.Subagent != nil:
				l.Note = stopSubagent(c, w.Subagent)
				return nil
			case w.Own:
				l.Note = "Stopped"
			default:
				l.Note = "Asked the agent to stop it"
			}
			return stopWork(c, w)
		},
		TakeOver:  func(l *panel.List, w panel.Work) tea.Cmd { return takeOver(c, l, w) },
		TakesOver: c.Commands().LendKeyboard(),
	}))
	return nil
}

// stopSelected asks the agent to stop the tool call that is selected.
func stopSelected(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it != nil && it.Shell != nil {
		if r := c.shells.Of(it.Shell.Key); r != nil {
			cmd, _ := r.Stop()
			return cmd
		}
		return c.say("It has ended")
	}
	if it != nil && it.Subagent != nil {
		return c.say(stopSubagent(c, it.Subagent))
	}
	if it == nil || it.Kind != thread.ToolCall {
		return c.say(c.screen.Keys.KeyOf(intent.Transcript, intent.StopTool) + " stops a tool call, " + c.screen.Keys.ChatKey(intent.Stop) + " the turn")
	}
	if c.sub != nil && it.Tool.Live() {
		return c.say(stopSubagent(c, c.sub))
	}
	for _, w := range work(c) {
		if w.Tool == it.Tool {
			return stopWork(c, w)
		}
	}
	return c.say("It has ended")
}

// stopWork asks the agent to stop one piece of work. Its status shows when it has stopped.
func stopWork(c *Page, w panel.Work) tea.Cmd {
	if !w.Stops || !c.IsOpen() {
		return c.say(notAlone(c))
	}
	switch {
	case w.Own:
		c.Commands().Kill(w.Terminal, c.reportOutcome(""))
		return c.say("Stopped; the agent sees how the command ended")
	case w.Terminal != "":
		c.Commands().Stop(w.Terminal, c.reportOutcome(""))
	default:
		c.Commands().StopTool(w.Tool.ID, c.reportOutcome(""))
	}
	return c.say("Asked the agent to stop it")
}
