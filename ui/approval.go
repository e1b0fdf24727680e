package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// showApproval lets the user choose the mode; that everything is allowed has to be
// said twice.
func (c *chat) showApproval() tea.Cmd {
	if c.ACP == nil || c.Agent.Conn() == nil {
		return c.say(workspace.ErrNotOpen.Error())
	}
	approve := func(it list.Item) tea.Cmd {
		m := it.Value.(permissions.Mode)
		c.SetApproval(m)
		return c.say(m.String() + ": " + m.Description())
	}
	var items []list.Item
	for _, m := range permissions.Modes {
		items = append(items, list.Item{Title: m.String(), Detail: m.Description(), Value: m})
	}
	list := &panel.List{Title: "what becomes of questions", Foot: "enter chooses · esc", List: list.New(items), Choose: func(it list.Item) tea.Cmd {
		if m := it.Value.(permissions.Mode); m != permissions.AllMode || c.Approval() == m {
			return approve(it)
		}
		c.panels.show(&panel.List{Title: "allow everything in this session?", Foot: "enter chooses · esc", Confirms: true, Choose: approve, List: list.New([]list.Item{
			{Title: "no", Detail: "leave it as it is", Value: c.Approval()},
			{Title: "yes, everything", Detail: "commands and files, without a question; rules that deny still do", Value: permissions.AllMode},
		})})
		return nil
	}}
	list.List.Move(slices.Index(permissions.Modes, c.Approval()))
	c.panels.show(list)
	return nil
}
