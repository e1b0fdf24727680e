package linear

import (
	"fmt"
	"slices"
	"strings"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/internal/workspace"
)

// setting is something of the session that can be switched, whatever the agent
// calls it.
type setting struct {
	id, name, category string
	current            string // its value, as it is shown
	choices            []event.Choice
	currentID          string
	boolean            bool
	set                func(id string, done func(error))
}

// settingsOf are those of a session: its options, or else its modes.
func settingsOf(t *talk) []setting {
	var out []setting
	options := false
	for _, o := range t.Thread.Config {
		options = options || o.ID != event.LegacyModels
		s := setting{id: o.ID, name: nameOr(o.Name, o.ID), category: o.Category, current: valueName(o.Current, o.Choices), choices: o.Choices, currentID: o.Current, boolean: o.Type == "boolean"}
		if s.boolean {
			s.choices, s.current = []event.Choice{{ID: "on", Name: "on"}, {ID: "off", Name: "off"}}, o.Current
		}
		s.set = func(id string, done func(error)) {
			if o.Type == "boolean" {
				t.SetOption(o.ID, id == "on", done)
				return
			}
			t.SetOption(o.ID, id, done)
		}
		out = append(out, s)
	}
	if !options && len(t.Thread.Modes) > 0 {
		out = append(out, setting{name: "Mode", category: "mode", current: valueName(t.Thread.Mode, t.Thread.Modes), choices: t.Thread.Modes, currentID: t.Thread.Mode,
			set: t.SetMode})
	}
	return out
}

// nameOr shows an id, which is the agent's own, where there is no name.
func nameOr(name, id string) string {
	if name != "" {
		return oneLine(name)
	}
	return safetext.Line(id, 60)
}

func valueName(id string, choices []event.Choice) string {
	for _, ch := range choices {
		if ch.ID == id {
			return nameOr(ch.Name, ch.ID)
		}
	}
	return safetext.Line(id, 60)
}

// settings says what is set, at the beginning of a session.
func (c *chat) settings(t *talk) {
	t.set = map[string]string{}
	var words []string
	for _, s := range settingsOf(t) {
		t.set[s.name] = s.current
		if s.category == "mode" || s.category == "model" {
			words = append(words, s.name+": "+s.current)
		}
	}
	if len(words) > 0 {
		c.say("%s.", strings.Join(words, ", "))
	}
}

// tellSettings says what has another value than before.
func (c *chat) tellSettings(t *talk) {
	if t.set == nil || t.ACP == nil {
		return
	}
	for _, s := range settingsOf(t) {
		if was, known := t.set[s.name]; was != s.current {
			t.set[s.name] = s.current
			if known {
				c.say("%s is %s now.", s.name, s.current)
			}
		}
	}
}

// options asks for one of the settings, and then for its value; category narrows
// it to that one.
func (c *chat) options(category string) {
	if c.ACP == nil {
		c.say("The session is not open yet.")
		return
	}
	all := settingsOf(c.talk)
	if category != "" {
		o, ok := c.Thread.Option(category)
		i := slices.IndexFunc(all, func(s setting) bool { return ok && s.id == o.ID || !ok && s.category == category })
		if i < 0 {
			c.say("The agent offers no %s to choose.", category)
			return
		}
		c.values(all[i])
		return
	}
	if len(all) == 0 {
		c.say("The agent offers nothing to choose here.")
		return
	}
	var choices []choice
	for _, s := range all {
		choices = append(choices, choice{label: s.name + ": " + s.current, do: func() { c.values(s) }})
	}
	c.menu("Options:", choices, false)
}

func (c *chat) values(s setting) {
	var choices []choice
	for _, ch := range s.choices {
		label := nameOr(ch.Name, ch.ID)
		if ch.Description != "" {
			label += ": " + oneLine(ch.Description)
		}
		if ch.ID == s.currentID {
			label += " (now)"
		}
		choices = append(choices, choice{label: label, do: func() {
			s.set(ch.ID, c.requested(""))
		}})
	}
	if len(choices) == 0 {
		c.say("%s: there is nothing to choose from.", s.name)
		return
	}
	c.menu(s.name+":", choices, false)
}

// status says how things stand.
func (c *chat) status() {
	switch {
	case c.retrying():
		c.say("There is no connection; trying again.")
	case c.Agent.LoggingIn() != "":
		c.say("Logging in: %s.", oneLine(c.Agent.LoggingIn()))
	case c.dialing():
		c.say("Starting %s.", c.name())
	case c.Lost.State == workspace.StateReopening, c.Lost.State == workspace.StateStartingOver:
		c.say("Opening the session.")
	case c.Lost.State == workspace.StateGone:
		c.say("The session is gone. Enter alone starts a new one.")
	case c.Lost.State == workspace.StateUnopened:
		c.say("The session is not open. Enter alone tries again.")
	case c.ACP == nil:
		c.say("There is no agent: /agent starts one, /quit ends parley.")
	case c.busy():
		c.say("%s: %s, for %s. /stop stops it.", c.name(), c.Thread.State, spoken(since(c.Thread.TurnStarted)))
		c.goingOn()
	default:
		c.say("%s: %s.", c.name(), c.Thread.State)
	}
	if c.ACP == nil {
		return
	}
	for _, s := range settingsOf(c.talk) {
		c.say("%s: %s.", s.name, s.current)
	}
	if u := c.Thread.Usage; u.Size > 0 {
		c.say("Context: %d percent used, %d of %d tokens.", min(999, u.Used*100/u.Size), u.Used, u.Size)
	} else if u.Used > 0 {
		c.say("Context: %d tokens used.", u.Used)
	}
	if u := c.Thread.Usage; u.Currency != "" {
		c.say("Cost: %.2f %s.", u.Cost, u.Currency)
	}
	if c.Thread.Added+c.Thread.Removed > 0 {
		c.say("Written through parley: plus %d, minus %d.", c.Thread.Added, c.Thread.Removed)
	}
	if n := len(c.Queued); n > 0 {
		c.say("%s. /queue lists them.", strings.TrimSpace(fmt.Sprintf("%s waiting", count(n, "prompt"))))
	}
}
