package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/widget"
)

// showPalette offers every action with its key, and the agent's commands.
func (c *chat) showPalette() tea.Cmd {
	var items []widget.Item
	for _, in := range []intent.Context{intent.Chat, intent.Always} {
		for _, a := range intent.Of(in) {
			if a.Quiet || c.useless(a.Intent) {
				continue
			}
			items = append(items, widget.Item{Title: a.Help, Detail: c.commandWord(a), Hint: c.m.Keys.Label(in, a.Intent), Value: a.Intent})
		}
	}
	if !c.ReadOnly {
		for _, cmd := range c.Thread.Commands {
			items = append(items, widget.Item{Title: "/" + cmd.Name, Detail: cmd.Description, Hint: "agent", Value: cmd.Name})
		}
	}
	c.picker = &picker{title: "actions", foot: "enter does it · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		switch v := it.Value.(type) {
		case intent.Intent:
			cmd, _ := c.do(v)
			return cmd
		case string: // it may want words behind it
			c.composer.SetValue("/" + v + " ")
		}
		return nil
	}}
	return nil
}

// commandWord is what to type for an action; "" where nothing is.
func (c *chat) commandWord(a intent.Action) string {
	switch {
	case a.Command == "":
		return ""
	case c.agentHas(a.Command):
		return "/" + intent.Own + a.Command
	}
	return "/" + a.Command
}
