package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// Settings lists settings. choose changes one of them.
func Settings(all []workspace.Setting, choose func(workspace.Setting) tea.Cmd) *List {
	var items []list.Item
	for _, s := range all {
		items = append(items, list.Item{Title: s.Name, Hint: s.Value(), Value: s})
	}
	return &List{Title: "Options", Foot: "enter change · esc close", List: list.New(items), Choose: With(choose)}
}

// Choices lists the choices of a setting, to set one by its id.
func Choices(s workspace.Setting, set func(id string) tea.Cmd) *List {
	items := make([]list.Item, 0, len(s.Choices))
	at := 0
	for i, ch := range s.Choices {
		hint := ""
		if ch.ID == s.Current {
			hint, at = "now", i
		}
		items = append(items, list.Item{Title: workspace.ChoiceName(ch), Detail: ch.Description, Hint: hint, Section: ch.Group, Value: ch.ID})
	}
	l := list.New(items)
	l.Select(at)
	return &List{Title: s.Name, Foot: "enter select · esc close", List: l, Empty: "Nothing to choose from",
		Choose: With(set)}
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
