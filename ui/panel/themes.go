package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/theme"
	"parley/ui/widget"
)

var themeWords = map[string]string{
	"auto": "what the terminal's background and colours ask for", "dark": "for a dark background", "light": "for a light background",
	"contrast-dark": "much contrast, on dark", "contrast-light": "much contrast, on light", "ansi": "the terminal's own 16 colours", "plain": "no colour",
}

// Themes lists the themes, by their names.
func Themes(now string, keep func(name string) tea.Cmd) *List {
	var items []widget.Item
	at := 0
	for i, name := range theme.Names() {
		hint := ""
		if name == now || name == "auto" && now == "" {
			hint, at = "now", i
		}
		items = append(items, widget.Item{Title: name, Detail: themeWords[name], Hint: hint, Value: name})
	}
	list := widget.NewList(items)
	list.Select(at)
	return &List{Of: intent.Theme, Title: "theme", Foot: "enter keeps it · esc", List: list, Choose: func(it widget.Item) tea.Cmd {
		return keep(it.Value.(string))
	}}
}
