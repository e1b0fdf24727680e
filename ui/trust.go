package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	chatview "parley/ui/chat"
	"parley/ui/widget"
)

// showTrust lists what the agent has changed and run in the session, by the word
// that it had for it.
func (c *chat) showTrust() tea.Cmd {
	var items []widget.Item
	for _, trust := range thread.Trusts {
		for _, it := range c.thread.Items {
			if it.Tool == nil || it.Tool.Trust != trust {
				continue
			}
			item := widget.Item{Title: trustTitle(it.Tool), Detail: strings.Join(it.Tool.Paths(), " "), Section: trust.Title(), Value: it.Index}
			if !it.Tool.Ended.IsZero() {
				item.Hint = it.Tool.Ended.Format("15:04")
			}
			items = append(items, item)
		}
	}
	if len(items) == 0 {
		return c.say("the agent has changed and run nothing that it told of")
	}
	c.picker = &picker{title: "what the agent changed and ran", foot: "enter goes there · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		c.goTo(it.Value.(int))
		return nil
	}}
	return nil
}

// trustTitle is what a call did, in a line.
func trustTitle(t *thread.Tool) string {
	if cmd := chatview.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return t.Kind + "  " + strings.Join(strings.Fields(cmd), " ")
	}
	return t.Kind + "  " + t.Title
}
