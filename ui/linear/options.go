package linear

import (
	"fmt"
	"strings"

	"parley/internal/words"
	"parley/internal/workspace"
	"parley/permissions"
)

// settings prints the settings at the beginning of a session.
func (n *narrator) settings() {
	n.set = map[string]string{}
	var words []string
	for _, s := range n.Settings() {
		n.set[s.Name] = s.Value()
		if s.Category == "mode" || s.Category == "model" {
			words = append(words, s.Name+": "+s.Value())
		}
	}
	if len(words) > 0 {
		n.out.say("%s.", strings.Join(words, ", "))
	}
}

// tellSettings prints the settings that have changed.
func (n *narrator) tellSettings() {
	if n.set == nil || !n.IsOpen() {
		return
	}
	for _, s := range n.Settings() {
		if was, known := n.set[s.Name]; was != s.Value() {
			n.set[s.Name] = s.Value()
			if known {
				n.out.say("%s is %s now.", s.Name, s.Value())
			}
		}
	}
}

// chooseSetting asks for a setting and then for its value. A category narrows it to one
// setting.
func chooseSetting(ds *dialogs, session *workspace.Session, category string, login func()) {
	if !session.IsOpen() {
		ds.out.say("The session is not open yet.")
		return
	}
	if category != "" {
		if s, ok := session.Setting(category); ok {
			chooseValue(ds, s)
			return
		}
		ds.out.say("This agent has no %ss.", category)
		return
	}
	var choices []choice
	for _, s := range session.Settings() {
		choices = append(choices, choice{label: s.Name + ": " + s.Value(), do: func() { chooseValue(ds, s) }})
	}
	if who := session.Agent.Account(); who != "" {
		choices = append(choices, choice{label: "Account: " + who, do: login})
	}
	if len(choices) == 0 {
		ds.out.say("This agent has no options.")
		return
	}
	ds.menu("Options:", choices)
}

func chooseValue(ds *dialogs, s workspace.Setting) {
	var choices []choice
	for _, ch := range s.Choices {
		label := workspace.ChoiceName(ch)
		if ch.Description != "" {
			label += ": " + words.OneLine(ch.Description)
		}
		if ch.ID == s.Current {
			label += " (now)"
		}
		choices = append(choices, choice{label: label, do: func() { s.Set(ch.ID, ds.out.outcome("")) }})
	}
	if len(choices) == 0 {
		ds.out.say("%s: nothing to choose from.", s.Name)
		return
	}
	ds.menu(s.Name+":", choices)
}

// chooseApproval asks for the approval mode.
func chooseApproval(ds *dialogs, s *workspace.Session) {
	if !s.IsOpen() {
		ds.out.say("The session is not open yet.")
		return
	}
	set := func(m permissions.Mode) {
		s.SetApproval(m)
		ds.out.say("Approval mode: %s, %s.", m, m.Description())
	}
	var choices []choice
	for _, m := range permissions.Modes {
		label := fmt.Sprintf("%s: %s", m, m.Description())
		if m == s.Approval() {
			label += " (now)"
		}
		choices = append(choices, choice{label: label, do: func() {
			if m != permissions.AllMode {
				set(m)
				return
			}
			ds.confirm("Allow everything in this session, commands and files, without a question?", "Yes, everything", "No, keep the mode", func() { set(m) })
		}})
	}
	ds.menu("Approval mode:", choices)
}
