package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// showApproval lists the approval modes. Allowing everything is confirmed in a second list.
func showApproval(c *Page) tea.Cmd {
	if !c.IsOpen() {
		return c.say(workspace.ErrNotOpen.Error())
	}
	approve := func(it list.Item) tea.Cmd {
		m := it.Value.(permissions.Mode)
		c.SetApproval(m)
		return c.say("Approval: " + m.String() + " · " + m.Description())
	}
	var items []list.Item
	for _, m := range permissions.Modes {
		items = append(items, list.Item{Title: m.String(), Detail: m.Description(), Value: m})
	}
	list := &panel.List{Title: "Approval mode", Foot: "enter select · esc close", List: list.New(items), Choose: func(it list.Item) tea.Cmd {
		if m := it.Value.(permissions.Mode); m != permissions.AllMode || c.Approval() == m {
			return approve(it)
		}
		c.Panels.Show(&panel.List{Title: "Allow everything in this session?", Foot: "enter select · esc close", NeedsConfirmation: true, Choose: approve, List: list.New([]list.Item{
			{Title: "No", Detail: "keep the present mode", Value: c.Approval()},
			{Title: "Yes, everything", Detail: "commands and files, without asking; rules that deny still apply", Value: permissions.AllMode},
		})})
		return nil
	}}
	list.List.Move(slices.Index(permissions.Modes, c.Approval()))
	c.Panels.Show(list)
	return nil
}
