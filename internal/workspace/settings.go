package workspace

import (
	"slices"

	"parley/acpclient/event"
	"parley/internal/safetext"
)

// Setting is something that can be switched in a session: an option of the agent or, for an
// agent without options, the mode. ID is "" for the mode.
type Setting struct {
	event.ConfigOption
	session *Session
}

// onOff are the choices of a boolean option.
var onOff = []event.Choice{{ID: "on", Name: "on"}, {ID: "off", Name: "off"}}

// Settings returns the session's settings. Names are safe to show.
func (s *Session) Settings() []Setting {
	var out []Setting
	modes := len(s.Thread.Modes) > 0
	for _, o := range s.Thread.Config {
		modes = modes && o.ID == event.LegacyModels
		o.Name = ChoiceName(event.Choice{ID: o.ID, Name: o.Name})
		if o.Type == "boolean" {
			o.Choices = onOff
		}
		out = append(out, Setting{o, s})
	}
	if modes {
		out = append(out, Setting{event.ConfigOption{Name: "Mode", Category: "mode", Current: s.Thread.Mode, Choices: s.Thread.Modes}, s})
	}
	return out
}

// Setting returns the setting of a category such as "mode" or "model", false if there is none.
func (s *Session) Setting(category string) (Setting, bool) {
	o, ok := s.Thread.Option(category)
	all := s.Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return ok && s.ID == o.ID || !ok && s.Category == category })
	if i < 0 {
		return Setting{}, false
	}
	return all[i], true
}

// Value returns the name of the current choice.
func (s Setting) Value() string {
	for _, ch := range s.Choices {
		if ch.ID == s.Current {
			return ChoiceName(ch)
		}
	}
	return safetext.Line(s.Current, 60)
}

// Set selects the choice with that id. done is called with the error.
func (s Setting) Set(id string, done func(error)) {
	switch {
	case s.ID == "":
		s.session.SetMode(id, done)
	case s.Type == "boolean":
		s.session.SetOption(s.ID, id == "on", done)
	default:
		s.session.SetOption(s.ID, id, done)
	}
}

// ChoiceName returns the name of a choice, or the agent's id for it if it has no name.
func ChoiceName(ch event.Choice) string {
	if ch.Name != "" {
		return ch.Name
	}
	return safetext.Line(ch.ID, 60)
}
