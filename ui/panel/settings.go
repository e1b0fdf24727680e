package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/intent"
	"parley/internal/safetext"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// Setting is an option of a session: on or off, or one of its choices.
type Setting struct {
	Name, Value string // as shown
	Choices     []event.Choice
	Current     string // the id of the current choice
	OnOff       bool
	Set         func(value any) tea.Cmd
}

// Next switches to the next choice, after the last to the first.
func (s Setting) Next() tea.Cmd {
	for i, ch := range s.Choices {
		if ch.ID == s.Current {
			return s.Set(s.Choices[(i+1)%len(s.Choices)].ID)
		}
	}
	return s.Set(s.Choices[0].ID)
}

// Settings lists settings. choose changes one of them.
func Settings(all []Setting, choose func(Setting) tea.Cmd) *List {
	var items []list.Item
	for _, s := range all {
		items = append(items, list.Item{Title: s.Name, Hint: s.Value, Value: s})
	}
	return &List{Title: "Options", Foot: "enter change · esc close", List: list.New(items), Choose: With(choose)}
}

// Choices lists the choices of a setting.
func Choices(s Setting) *List {
	items := make([]list.Item, 0, len(s.Choices))
	at := 0
	for i, ch := range s.Choices {
		hint := ""
		if ch.ID == s.Current {
			hint, at = "now", i
		}
		items = append(items, list.Item{Title: OrID(ch.Name, ch.ID), Detail: ch.Description, Hint: hint, Section: ch.Group, Value: ch.ID})
	}
	l := list.New(items)
	l.Select(at)
	return &List{Title: s.Name, Foot: "enter select · esc close", List: l, Empty: "Nothing to choose from",
		Choose: func(it list.Item) tea.Cmd { return s.Set(it.Value) }}
}

// OrID returns name or, if that is empty, the id, which comes from the agent and is made
// safe.
func OrID(name, id string) string {
	if name != "" {
		return name
	}
	return safetext.Line(id, 60)
}

var themeWords = map[string]string{
	"auto": "Follow the terminal's background and colours", "dark": "For a dark background", "light": "For a light background",
	"contrast-dark": "High contrast, dark", "contrast-light": "High contrast, light", "ansi": "The terminal's own 16 colours", "plain": "No colours",
}

// Themes lists the themes. keep sets one by name.
func Themes(now string, keep func(name string) tea.Cmd) *List {
	var items []list.Item
	at := 0
	for i, name := range theme.Names() {
		hint := ""
		if name == now || name == "auto" && now == "" {
			hint, at = "now", i
		}
		items = append(items, list.Item{Title: name, Detail: themeWords[name], Hint: hint, Value: name})
	}
	list := list.New(items)
	list.Select(at)
	return &List{OpenedBy: intent.Theme, Title: "Theme", Foot: "enter select · esc close", List: list, Choose: With(keep)}
}
