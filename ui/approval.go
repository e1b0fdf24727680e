package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/widget"
)

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
	list := &panel.List{Title: "what becomes of questions", Foot: "enter chooses · esc", List: widget.NewList(items), Choose: func(it widget.Item) tea.Cmd {
		if m := it.Value.(permissions.Mode); m != permissions.AllMode || c.Approval() == m {
			return approve(it)
		}
		c.panels.show(&panel.List{Title: "allow everything in this session?", Foot: "enter chooses · esc", Choose: approve, List: widget.NewList([]widget.Item{
			{Title: "no", Detail: "leave it as it is", Value: c.Approval()},
			{Title: "yes, everything", Detail: "commands and files, without a question; rules that deny still do", Value: permissions.AllMode},
		})})
		return nil
	}}
	list.List.Move(slices.Index(permissions.Modes, c.Approval()))
	c.panels.show(list)
	return nil
}
