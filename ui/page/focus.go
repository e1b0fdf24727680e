package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/panel"
)

// focus gives the keys to the transcript, or takes them back.
func (c *Page) focus(on bool) {
	if on && len(c.Thread.Items) == 0 {
		return
	}
	if !on {
		c.find.End()
	}
	c.focused = on
	c.View.Select(on)
}

// conversation is the transcript while it has the keys. Text typed there is dropped.
type conversation struct{ c *Page }

func (conversation) Armed() bool { return true }

func (l conversation) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch want := c.screen.Keys.Of(intent.Transcript, p.Name); want {
	case intent.Open:
		if !c.View.Toggle() {
			return c.say("Nothing to open here"), true
		}
	case intent.WriteNote:
		return l.note(), true
	case intent.ShowMessages:
		return showItemMessages(c), true
	case intent.StopTool:
		return l.stopSelected(), true
	case intent.Copy:
		return showCopy(c), true
	case intent.OpenFile:
		return l.openFile(), true
	case intent.Search:
		c.find.Start()
	case intent.SearchNext:
		return c.find.Next(1), true
	case intent.SearchPrevious:
		return c.find.Next(-1), true
	case intent.FocusTranscript:
		return c.switchFocus(), true
	case intent.Leave:
		if c.find.Open() { // esc first removes the marks of the search
			c.find.End()
			return nil, true
		}
		c.focus(false)
	default:
		if c.step(want) {
			return nil, true
		}
		if p.Want == intent.Stop {
			c.focus(false)
			return nil, true
		}
		return nil, p.Text != "" // keys with a meaning elsewhere keep it
	}
	return nil, true
}

// stopSelected asks the agent to stop the tool call that is selected.
func (l conversation) stopSelected() tea.Cmd {
	c := l.c
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
			return c.stopWork(w)
		}
	}
	return c.say("It has ended")
}

// stopWork asks the agent to stop one piece of work. Its status shows when it has stopped.
func (c *Page) stopWork(w panel.Work) tea.Cmd {
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
