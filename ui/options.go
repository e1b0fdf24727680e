package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/ui/widget"
)

// nextMode switches to the mode after the current one: the option of that
// category, or else the session's mode.
func (c *chat) nextMode() tea.Cmd {
	if o, ok := c.Thread.Option("mode"); ok && len(o.Choices) > 0 {
		return c.setOption(o, after(o.Choices, o.Current))
	}
	if c.Thread.HasModes() {
		next := after(c.Thread.Modes, c.Thread.Mode)
		c.SetMode(next, c.requested(""))
		return nil
	}
	return c.say("the agent offers no modes")
}

// after is the id of the choice behind the one with this id, going round.
func after(choices []event.Choice, id string) string {
	for i, ch := range choices {
		if ch.ID == id {
			return choices[(i+1)%len(choices)].ID
		}
	}
	return choices[0].ID
}

func (c *chat) setOption(o event.ConfigOption, value any) tea.Cmd {
	c.SetOption(o.ID, value, c.requested(""))
	return nil
}

// modeChoice is the entry of the session's modes among the options.
type modeChoice struct{}

// showOptions lists everything that can be switched; category narrows it to one
// option, whose choices are shown at once.
func (c *chat) showOptions(category string) tea.Cmd {
	if category != "" {
		o, ok := c.Thread.Option(category)
		switch {
		case ok:
			return c.showChoices(o)
		case category == "mode" && c.Thread.HasModes():
			return c.showModes()
		}
		return c.say("the agent offers nothing to choose here")
	}
	var items []widget.Item
	for _, o := range c.Thread.Config {
		items = append(items, widget.Item{Title: orID(o.Name, o.ID), Hint: optionValue(o), Value: o})
	}
	if c.Thread.HasModes() {
		items = append(items, widget.Item{Title: "Mode", Hint: event.NameOf(c.Thread.Mode, c.Thread.Modes), Value: modeChoice{}})
	}
	if len(items) == 0 {
		return c.say("the agent offers nothing to choose here")
	}
	c.picker = &picker{title: "options", foot: "enter changes · esc", list: widget.NewList(items), choose: func(it widget.Item) tea.Cmd {
		if o, ok := it.Value.(event.ConfigOption); ok {
			return c.showChoices(o)
		}
		return c.showModes()
	}}
	return nil
}

// showChoices lists the values of an option. A boolean is switched at once.
func (c *chat) showChoices(o event.ConfigOption) tea.Cmd {
	if o.Type == "boolean" {
		return c.setOption(o, o.Current != "on")
	}
	return c.choices(orID(o.Name, o.ID), o.Choices, o.Current, func(id string) tea.Cmd { return c.setOption(o, id) })
}

func (c *chat) showModes() tea.Cmd {
	return c.choices("Mode", c.Thread.Modes, c.Thread.Mode, func(id string) tea.Cmd {
		c.SetMode(id, c.requested(""))
		return nil
	})
}

func (c *chat) choices(title string, choices []event.Choice, current string, set func(string) tea.Cmd) tea.Cmd {
	items := make([]widget.Item, 0, len(choices))
	at := 0
	for i, ch := range choices {
		hint := ""
		if ch.ID == current {
			hint, at = "now", i
		}
		items = append(items, widget.Item{Title: orID(ch.Name, ch.ID), Detail: ch.Description, Hint: hint, Section: ch.Group, Value: ch.ID})
	}
	list := widget.NewList(items)
	list.Select(at)
	c.picker = &picker{title: title, foot: "enter chooses · esc", list: list, empty: "nothing to choose from",
		choose: func(it widget.Item) tea.Cmd { return set(it.Value.(string)) }}
	return nil
}

func optionValue(o event.ConfigOption) string {
	if o.Type == "boolean" {
		return o.Current
	}
	return event.NameOf(o.Current, o.Choices)
}

// orID shows an id, which is the agent's own, where there is no name.
func orID(name, id string) string {
	if name != "" {
		return name
	}
	return safetext.Line(id, 60)
}
