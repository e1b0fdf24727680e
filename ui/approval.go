package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/theme"
	"parley/ui/widget"
)

// approvalWord is shown in the status line; "" for the usual mode.
func approvalWord(m permissions.Mode, th *theme.Theme) string {
	switch m {
	case permissions.AskMode:
		return ""
	case permissions.AllMode:
		return th.Bad.Paint("EVERYTHING ALLOWED")
	}
	return th.Warn.Paint(m.String())
}

// showApproval lets the user choose the mode; that everything is allowed has to be
// said twice.
func (c *chat) showApproval() tea.Cmd {
	if c.ACP == nil || c.Agent.Conn() == nil {
		return c.say(workspace.ErrNotOpen.Error())
	}
	approve := func(it widget.Item) tea.Cmd {
		m := it.Value.(permissions.Mode)
		c.SetApproval(m)
		return c.say(m.String() + ": " + m.Says())
	}
	var items []widget.Item
	for _, m := range permissions.Modes {
		items = append(items, widget.Item{Title: m.String(), Detail: m.Says(), Value: m})
	}
	c.picker = &picker{title: "what becomes of questions", foot: "enter chooses · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		if m := it.Value.(permissions.Mode); m != permissions.AllMode || c.Approval() == m {
			return approve(it)
		}
		c.picker = &picker{title: "allow everything in this session?", foot: "enter chooses · esc", choose: approve, list: widget.NewList([]widget.Item{
			{Title: "no", Detail: "leave it as it is", Value: c.Approval()},
			{Title: "yes, everything", Detail: "commands and files, without a question; rules that deny still do", Value: permissions.AllMode},
		})}
		return nil
	}}
	c.picker.list.Move(slices.Index(permissions.Modes, c.Approval()))
	return nil
}
