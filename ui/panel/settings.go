package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/safetext"
	"parley/ui/intent"
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
	return &List{Title: "options", Foot: "enter changes · esc", List: list.New(items), Choose: With(choose)}
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
	return &List{Title: s.Name, Foot: "enter chooses · esc", List: l, Empty: "nothing to choose from",
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
	"auto": "what the terminal's background and colours ask for", "dark": "for a dark background", "light": "for a light background",
	"contrast-dark": "much contrast, on dark", "contrast-light": "much contrast, on light", "ansi": "the terminal's own 16 colours", "plain": "no colour",
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
	return &List{Of: intent.Theme, Title: "theme", Foot: "enter keeps it · esc", List: list, Choose: With(keep)}
}
