package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/panel"
)

// set selects a choice of a setting, and says how that ended.
func (p *panels) set(s workspace.Setting, id string) tea.Cmd {
	said := ""
	if mode, ok := p.c.Setting("mode"); ok && mode.ID == s.ID {
		said = modeIs(id, s.Choices)
	}
	s.Set(id, p.c.reportOutcome(said))
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
func (p *panels) nextMode() tea.Cmd {
	mode, ok := p.c.Setting("mode")
	if !ok || len(mode.Choices) == 0 {
		return p.c.say("This agent has no modes · " + p.c.m.Keys.ChatKey(intent.Approval) + " changes what parley asks about")
	}
	return p.set(mode, mode.Next())
}

// showMode lists the modes.
func (p *panels) showMode() tea.Cmd { return p.choices(p.c.Setting("mode")) }

// showModel lists the models.
func (p *panels) showModel() tea.Cmd { return p.choices(p.c.Setting("model")) }

// showOptions lists all settings.
func (p *panels) showOptions() tea.Cmd {
	all := p.c.Settings()
	if len(all) == 0 {
		return p.choices(workspace.Setting{}, false)
	}
	p.show(panel.Settings(all, func(s workspace.Setting) tea.Cmd { return p.choices(s, true) }))
	return nil
}

// choices lists the choices of a setting, if there is one. A setting that is on or off is
// switched at once.
func (p *panels) choices(s workspace.Setting, ok bool) tea.Cmd {
	switch {
	case !ok:
		return p.c.say("This agent has no options")
	case s.Type == "boolean":
		return p.set(s, s.Next())
	}
	p.show(panel.Choices(s, func(id string) tea.Cmd { return p.set(s, id) }))
	return nil
}
