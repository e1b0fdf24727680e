package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui/panel"
	"parley/ui/widget/list"
)

// set selects a choice of a setting, and says how that ended.
func set(c *Page, s workspace.Setting, id string) tea.Cmd {
	said := ""
	if mode, ok := c.Setting("mode"); ok && mode.ID == s.ID {
		said = modeIs(id, s.Choices)
	}
	s.Set(id, c.reportOutcome(said))
	return nil
}

// modeIs says which mode the agent has now and, if the agent does, what it means.
func modeIs(id string, modes []event.Choice) string {
	i := slices.IndexFunc(modes, func(m event.Choice) bool { return m.ID == id })
	if i < 0 {
		return ""
	}
	said := "Mode of the agent: " + workspace.ChoiceName(modes[i])
	if modes[i].Description != "" {
		said += " · " + modes[i].Description
	}
	return said
}

// nextMode switches to the next mode.
func nextMode(c *Page) tea.Cmd {
	mode, ok := c.Setting("mode")
	if !ok || len(mode.Choices) == 0 {
		return c.say("This agent has no modes · " + c.screen.Keys.ChatKey(intent.Approval) + " changes what parley asks about")
	}
	return set(c, mode, mode.Next())
}

// showMode lists the modes.
func showMode(c *Page) tea.Cmd { return showSetting(c, "mode") }

// showModel lists the models.
func showModel(c *Page) tea.Cmd { return showSetting(c, "model") }

// showSetting lists the choices of the setting for a mode or model, if there is one.
func showSetting(c *Page, category string) tea.Cmd {
	s, ok := c.Setting(category)
	if !ok {
		return c.say("This agent has no " + category + "s")
	}
	return choices(c, s)
}

// showOptions lists all settings.
func showOptions(c *Page) tea.Cmd {
	if len(c.Settings()) == 0 && c.Agent.Account() == "" {
		return c.say("This agent has no options")
	}
	c.Panels.Show(panel.Settings(c.Settings, c.Agent.Account, func(s workspace.Setting) tea.Cmd { return choices(c, s) }, func() tea.Cmd { return offerLogin(c) }))
	return nil
}

// choices lists the choices of a setting. One that is on or off is switched at once.
func choices(c *Page, s workspace.Setting) tea.Cmd {
	if s.Type == "boolean" {
		return set(c, s, s.Next())
	}
	c.Panels.Show(panel.Choices(s, func(id string) tea.Cmd { return set(c, s, id) }))
	return nil
}

// showApproval lists the approval modes. Allowing everything is confirmed in a second list.
func showApproval(c *Page) tea.Cmd {
	if !c.IsOpen() {
		return c.say(words.Sentence(workspace.ErrNotOpen.Error()))
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
