package linear

import (
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
func settingsOf(t *workspace.Session) []setting {
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
func (n *narrator) settings() {
	n.set = map[string]string{}
	var words []string
	for _, s := range settingsOf(n.Session) {
		n.set[s.name] = s.current
		if s.category == "mode" || s.category == "model" {
			words = append(words, s.name+": "+s.current)
		}
	}
	if len(words) > 0 {
		n.out.say("%s.", strings.Join(words, ", "))
	}
}

// tellSettings says what has another value than before.
func (n *narrator) tellSettings() {
	if n.set == nil || n.ACP == nil {
		return
	}
	for _, s := range settingsOf(n.Session) {
		if was, known := n.set[s.name]; was != s.current {
			n.set[s.name] = s.current
			if known {
				n.out.say("%s is %s now.", s.name, s.current)
			}
		}
	}
}

// chooseSetting asks for one of the settings, and then for its value; category narrows it
// to that one.
func chooseSetting(ds *dialogs, session *workspace.Session, category string) {
	if session.ACP == nil {
		ds.out.say("The session is not open yet.")
		return
	}
	all := settingsOf(session)
	if category != "" {
		o, ok := session.Thread.Option(category)
		i := slices.IndexFunc(all, func(s setting) bool { return ok && s.id == o.ID || !ok && s.category == category })
		if i < 0 {
			ds.out.say("The agent offers no %s to choose.", category)
			return
		}
		chooseValue(ds, all[i])
		return
	}
	if len(all) == 0 {
		ds.out.say("The agent offers nothing to choose here.")
		return
	}
	var choices []choice
	for _, s := range all {
		choices = append(choices, choice{label: s.name + ": " + s.current, do: func() { chooseValue(ds, s) }})
	}
	ds.menu("Options:", choices)
}

func chooseValue(ds *dialogs, s setting) {
	var choices []choice
	for _, ch := range s.choices {
		label := nameOr(ch.Name, ch.ID)
		if ch.Description != "" {
			label += ": " + oneLine(ch.Description)
		}
		if ch.ID == s.currentID {
			label += " (now)"
		}
		choices = append(choices, choice{label: label, do: func() { s.set(ch.ID, ds.out.outcome("")) }})
	}
	if len(choices) == 0 {
		ds.out.say("%s: there is nothing to choose from.", s.name)
		return
	}
	ds.menu(s.name+":", choices)
}
