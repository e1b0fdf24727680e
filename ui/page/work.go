package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/ui/panel"
)

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
			case w.Tool == nil:
				return c.say("The agent sent no details")
			}
			return showItem(c, func(it *thread.Item) bool { return it.Tool == w.Tool })
		},
		Stop: func(l *panel.List, w panel.Work) tea.Cmd {
			switch {
			case !w.Stops:
				l.Note = "This agent cannot stop it alone; " + c.screen.Keys.ChatKey(intent.Stop) + " stops the turn"
				return nil
			case w.Run != 0:
				l.Note = "Stopped"
				cmd, ok := c.shells.Of(w.Run).Stop()
				if !ok {
					return c.say("It has ended")
				}
				return cmd
			case w.Own:
				l.Note = "Stopped"
			default:
				l.Note = "Asked the agent to stop it"
			}
			return stopWork(c, w)
		},
		TakeOver:  keyboard{c}.takeOver,
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
	if it == nil || it.Kind != thread.ToolCall {
		return c.say(c.screen.Keys.KeyOf(intent.Transcript, intent.StopTool) + " stops a tool call, " + c.screen.Keys.ChatKey(intent.Stop) + " the turn")
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
		return c.say("This agent cannot stop it alone; " + c.screen.Keys.ChatKey(intent.Stop) + " stops the turn")
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
