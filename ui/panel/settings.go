package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// Settings lists the settings of a session, and below them who has signed in, unless that is "". choose changes a setting,
// login changes the account.
func Settings(all func() []workspace.Setting, account func() string, choose func(workspace.Setting) tea.Cmd, login func() tea.Cmd) *List {
	l := &List{Title: "Options", Foot: "enter change · esc close"}
	l.Items = func() []list.Item {
		var items []list.Item
		for _, s := range all() {
			items = append(items, list.Item{Title: s.Name, Hint: s.Value(), Value: s})
		}
		if who := account(); who != "" {
			items = append(items, list.Item{Title: "Account", Hint: who})
		}
		return items
	}
	l.Same = func(a, b any) bool {
		s, ok := a.(workspace.Setting)
		o, also := b.(workspace.Setting)
		return ok == also && s.ID == o.ID
	}
	l.List = list.New(l.Items())
	l.Choose = func(it list.Item) tea.Cmd {
		if s, ok := it.Value.(workspace.Setting); ok {
			return choose(s)
		}
		return login()
	}
	return l
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
