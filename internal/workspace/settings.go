package workspace

import (
	"context"
	"slices"
	"strings"

	"parley/acpclient"
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
	for _, o := range s.Thread.Config {
		o.Name = ChoiceName(event.Choice{ID: o.ID, Name: o.Name})
		if o.Type == "boolean" {
			o.Choices = onOff
		}
		out = append(out, Setting{o, s})
	}
	if s.Thread.HasModes() {
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

// Next returns the id of the next choice, after the last of the first; "" if there are none.
func (s Setting) Next() string {
	n := len(s.Choices)
	if n == 0 {
		return ""
	}
	at := slices.IndexFunc(s.Choices, func(ch event.Choice) bool { return ch.ID == s.Current })
	return s.Choices[(at+1)%n].ID
}

// Set selects the choice with that id. done is called with the error.
func (s Setting) Set(id string, done func(error)) { s.session.set(s.selecting(id), done) }

// selecting returns the request that selects the choice with that id.
func (s Setting) selecting(id string) func(context.Context, *acpclient.Session) error {
	return func(ctx context.Context, open *acpclient.Session) error {
		switch {
		case s.ID == "":
			return open.SetMode(ctx, id)
		case s.Type == "boolean":
			return open.SetOption(ctx, s.ID, id == "on")
		}
		return open.SetOption(ctx, s.ID, id)
	}
}

// inherit gives a fork that the agent has opened the settings of the session that it was made of,
// where they differ, and calls then. A setting that fails is reported, and the fork keeps its own.
func (s *Session) inherit(opened *acpclient.Session, then func(*acpclient.Session, error)) {
	var wanted []Setting
	for _, now := range s.Settings() {
		i := slices.IndexFunc(s.inherited, func(had Setting) bool { return had.ID == now.ID && had.Current != now.Current })
		if i >= 0 && slices.ContainsFunc(now.Choices, func(ch event.Choice) bool { return ch.ID == s.inherited[i].Current }) {
			now.Current = s.inherited[i].Current
			wanted = append(wanted, now)
		}
	}
	s.inherited = nil
	if len(wanted) == 0 {
		then(opened, nil)
		return
	}
	var failed []string
	s.open(func(ctx context.Context) (*acpclient.Session, error) {
		for _, w := range wanted {
			if err := w.selecting(w.Current)(ctx, opened); err != nil {
				failed = append(failed, w.Name+": "+err.Error())
			}
		}
		return opened, nil
	}, func(opened *acpclient.Session, err error) {
		then(opened, err)
		if len(failed) > 0 {
			s.Say("not as in the session that was forked: " + strings.Join(failed, "; "))
		}
	})
}

// ChoiceName returns the name of a choice, or the agent's id for it if it has no name.
func ChoiceName(ch event.Choice) string {
	if ch.Name != "" {
		return ch.Name
	}
	return safetext.Line(ch.ID, 60)
}
