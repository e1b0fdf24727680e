package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/panel"
	"parley/ui/transcript"
)

// focus gives the keys to the transcript, or takes them back.
func (c *chat) focus(on bool) {
	if on && len(c.Thread.Items) == 0 {
		return
	}
	if !on {
		c.endSearch()
	}
	c.focused = on
	c.view.Select(on)
}

// conversation is the transcript while it has the keys. What is typed there is dropped.
type conversation struct{ c *chat }

func (conversation) Armed() bool { return true }

func (l conversation) Key(p layer.Press) (tea.Cmd, bool) {
	c := l.c
	switch want := c.m.Keys.Of(intent.Transcript, p.Name); want {
	case intent.Open:
		if !c.view.Toggle() {
			return c.say("there is nothing to open"), true
		}
	case intent.Behind:
		return c.panels.showBehind(), true
	case intent.StopTool:
		return c.stopSelected(), true
	case intent.Copy:
		return c.panels.showCopy(), true
	case intent.OpenFile:
		return c.openFile(), true
	case intent.Search:
		c.startSearch()
	case intent.SearchNext:
		return c.nextMatch(1), true
	case intent.SearchPrevious:
		return c.nextMatch(-1), true
	case intent.FocusTranscript:
		return c.do(want)
	case intent.Leave:
		if c.finding != nil { // its marks first
			c.endSearch()
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

var steps = map[intent.Intent]transcript.Step{intent.Next: transcript.Next, intent.Previous: transcript.Previous,
	intent.NextPrompt: transcript.NextPrompt, intent.PreviousPrompt: transcript.PreviousPrompt, intent.First: transcript.First, intent.Last: transcript.Last,
	intent.HalfDown: transcript.HalfPageDown, intent.HalfUp: transcript.HalfPageUp}

// step moves the selection; false where that is not what is wanted.
func (c *chat) step(want intent.Intent) bool {
	by, ok := steps[want]
	if ok {
		c.view.Step(by)
	}
	return ok
}

// stopSelected asks the agent to stop the tool call that is selected.
func (c *chat) stopSelected() tea.Cmd {
	it := c.view.Selected()
	if it != nil && it.Shell != nil {
		if r := c.runOf(it); r != nil {
			return c.stopRun(r)
		}
		return c.say("it is over")
	}
	if it == nil || it.Kind != thread.ToolCall {
		return c.say("x stops a tool call; esc stops the turn")
	}
	for _, w := range c.panels.work() {
		if w.Tool == it.Tool {
			return c.stopWork(w)
		}
	}
	return c.say("it is over")
}

// stopWork asks the agent to stop one piece of work. That it has stopped shows by
// its status.
func (c *chat) stopWork(w panel.Work) tea.Cmd {
	if !w.Stops || c.ACP == nil {
		return c.say("the agent does not let this be stopped by itself; esc stops the turn")
	}
	switch {
	case w.Own:
		c.KillTerminal(w.Terminal, c.requested(""))
		return c.say("stopped; the agent sees how the command ended")
	case w.Terminal != "":
		c.StopTerminal(w.Terminal, c.requested(""))
	default:
		c.StopTool(w.Tool.ID, c.requested(""))
	}
	return c.say("asked the agent to stop it")
}
