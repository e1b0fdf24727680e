package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/ui/panel"
)

// setting is an option of the agent, to be switched.
func (p *panels) setting(o event.ConfigOption) panel.Setting {
	s := panel.Setting{Name: panel.OrID(o.Name, o.ID), Value: event.NameOf(o.Current, o.Choices), Choices: o.Choices, Current: o.Current, OnOff: o.Type == "boolean"}
	if s.OnOff {
		s.Value = o.Current
	}
	s.Set = func(value any) tea.Cmd {
		p.c.SetOption(o.ID, value, p.c.requested(""))
		return nil
	}
	return s
}

// mode switches the session's mode: by an option of the agent, or else by the modes that
// it has. False where it has neither.
func (p *panels) mode() (panel.Setting, bool) {
	c, t := p.c, p.c.Thread
	if o, ok := t.Option("mode"); ok || !t.HasModes() {
		return p.setting(o), ok
	}
	return panel.Setting{Name: "Mode", Value: event.NameOf(t.Mode, t.Modes), Choices: t.Modes, Current: t.Mode, Set: func(id any) tea.Cmd {
		c.SetMode(id.(string), c.requested(""))
		return nil
	}}, true
}

// nextMode switches to the mode after the current one.
func (p *panels) nextMode() tea.Cmd {
	mode, ok := p.mode()
	if !ok || len(mode.Choices) == 0 {
		return p.c.say("This agent has no modes")
	}
	return mode.Next()
}

// showMode lists the modes.
func (p *panels) showMode() tea.Cmd { return p.choices(p.mode()) }

// showModel lists the models.
func (p *panels) showModel() tea.Cmd {
	o, ok := p.c.Thread.Option("model")
	return p.choices(p.setting(o), ok)
}

// showOptions lists everything that can be switched.
func (p *panels) showOptions() tea.Cmd {
	var all []panel.Setting
	for _, o := range p.c.Thread.Config {
		all = append(all, p.setting(o))
	}
	if p.c.Thread.HasModes() {
		mode, _ := p.mode()
		all = append(all, mode)
	}
	if len(all) == 0 {
		return p.choices(panel.Setting{}, false)
	}
	p.show(panel.Settings(all, func(s panel.Setting) tea.Cmd { return p.choices(s, true) }))
	return nil
}

// choices lists those of a setting, if there is one. What is on or off is switched at
// once.
func (p *panels) choices(s panel.Setting, ok bool) tea.Cmd {
	switch {
	case !ok:
		return p.c.say("This agent has no options")
	case s.OnOff:
		return s.Set(s.Current != "on")
	}
	p.show(panel.Choices(s))
	return nil
}
