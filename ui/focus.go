package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
)

// focus gives the keys to the transcript, or takes them back.
func (c *chat) focus(on bool) {
	if on && len(c.thread.Items) == 0 {
		return
	}
	c.focused = on
	c.view.Select(on)
}

// focusKey handles a key of the transcript. What is typed there is nobody's.
func (c *chat) focusKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	v := c.view
	switch msg.String() {
	case "j", "down":
		v.Move(1)
	case "k", "up":
		v.Move(-1)
	case "}":
		v.MovePrompt(1)
	case "{":
		v.MovePrompt(-1)
	case "g", "home":
		v.SelectFirst()
	case "G", "end":
		v.SelectLast()
	case "d":
		v.MoveHalfPage(1)
	case "u":
		v.MoveHalfPage(-1)
	case "space", "enter":
		if !v.Toggle() {
			return c.say("there is nothing to open"), true
		}
	case "i":
		return c.showBehind(), true
	case "x":
		return c.stopSelected(), true
	case "tab":
		if !c.giveKeys() {
			c.focus(false)
		}
	case "esc":
		c.focus(false)
	default:
		return nil, msg.Text != "" // keys with a meaning elsewhere keep it
	}
	return nil, true
}

// stopSelected asks the agent to stop the tool call that is selected.
func (c *chat) stopSelected() tea.Cmd {
	it := c.view.Selected()
	if it == nil || it.Kind != thread.ToolCall {
		return c.say("x stops a tool call; esc stops the turn")
	}
	for _, w := range c.work() {
		if w.tool == it.Tool {
			return c.stopWork(w)
		}
	}
	return c.say("it is over")
}

// stopWork asks the agent to stop one piece of work. That it has stopped shows by
// its status.
func (c *chat) stopWork(w work) tea.Cmd {
	if !w.stops || c.session == nil {
		return c.say("the agent does not let this be stopped by itself; esc stops the turn")
	}
	session := c.session
	return tea.Batch(c.say("asked the agent to stop it"), c.setting(func(ctx context.Context) error {
		if w.terminal != "" {
			return session.CancelTerminal(ctx, w.terminal)
		}
		return session.CancelTool(ctx, w.tool.ID)
	}))
}
