package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/ui/panel"
)

// setting returns an option of the agent as a setting.
func setting(c *Page, o event.ConfigOption) panel.Setting {
	s := panel.Setting{Name: panel.OrID(o.Name, o.ID), Value: event.NameOf(o.Current, o.Choices), Choices: o.Choices, Current: o.Current, OnOff: o.Type == "boolean"}
	if s.OnOff {
		s.Value = o.Current
	}
	s.Set = func(value any) tea.Cmd {
		c.SetOption(o.ID, value, c.reportOutcome(""))
		return nil
	}
	return s
}

// mode returns the setting for the session's mode: an option of the agent, else its modes.
// False if it has neither.
func mode(c *Page) (panel.Setting, bool) {
	t := c.Thread
	if o, ok := t.Option("mode"); ok || !t.HasModes() {
		s := setting(c, o)
		s.Set = func(id any) tea.Cmd {
			c.SetOption(o.ID, id, c.reportOutcome(modeIs(id, o.Choices)))
			return nil
		}
		return s, ok
	}
	return panel.Setting{Name: "Mode", Value: event.NameOf(t.Mode, t.Modes), Choices: t.Modes, Current: t.Mode, Set: func(id any) tea.Cmd {
		c.SetMode(id.(string), c.reportOutcome(modeIs(id, t.Modes)))
		return nil
	}}, true
}

// modeIs says which mode the agent has now and, if the agent does, what it means.
func modeIs(id any, modes []event.Choice) string {
	i := slices.IndexFunc(modes, func(m event.Choice) bool { return m.ID == id })
	if i < 0 {
		return ""
	}
	said := "Mode of the agent: " + panel.OrID(modes[i].Name, modes[i].ID)
	if modes[i].Description != "" {
		said += " · " + modes[i].Description
	}
	return said
}

// nextMode switches to the next mode.
func nextMode(c *Page) tea.Cmd {
	mode, ok := mode(c)
	if !ok || len(mode.Choices) == 0 {
		return c.say("This agent has no modes · " + c.screen.Keys.ChatKey(intent.Approval) + " changes what parley asks about")
	}
	return mode.Next()
}

// showMode lists the modes.
func showMode(c *Page) tea.Cmd {
	s, ok := mode(c)
	return choices(c, s, ok)
}

// showModel lists the models.
func showModel(c *Page) tea.Cmd {
	o, ok := c.Thread.Option("model")
	return choices(c, setting(c, o), ok)
}

// showOptions lists all settings.
func showOptions(c *Page) tea.Cmd {
	var all []panel.Setting
	for _, o := range c.Thread.Config {
		all = append(all, setting(c, o))
	}
	if c.Thread.HasModes() {
		mode, _ := mode(c)
		all = append(all, mode)
	}
	if len(all) == 0 {
		return choices(c, panel.Setting{}, false)
	}
	c.Panels.Show(panel.Settings(all, func(s panel.Setting) tea.Cmd { return choices(c, s, true) }))
	return nil
}

// choices lists the choices of a setting, if there is one. A setting that is on or off is
// switched at once.
func choices(c *Page, s panel.Setting, ok bool) tea.Cmd {
	switch {
	case !ok:
		return c.say("This agent has no options")
	case s.OnOff:
		return s.Set(s.Current != "on")
	}
	c.Panels.Show(panel.Choices(s))
	return nil
}
