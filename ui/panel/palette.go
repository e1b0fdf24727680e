package panel

import (
	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/ui/intent"
	"parley/ui/widget"
)

// PaletteActions say what the palette is for.
type PaletteActions struct {
	Useless func(intent.Intent) bool
	Slash   func(intent.Action) string // what to type for it; "" where nothing is
	Do      func(intent.Intent) tea.Cmd
	Type    func(command string) // one of the agent's: it may want words after it
}

// Palette offers every action with its key, and the agent's commands.
func Palette(keys *intent.Keymap, agent []event.Command, does PaletteActions) *List {
	var items []widget.Item
	for _, in := range []intent.Context{intent.Chat, intent.Always} {
		for _, a := range intent.Of(in) {
			if a.Quiet || does.Useless(a.Intent) {
				continue
			}
			items = append(items, widget.Item{Title: a.Help, Detail: does.Slash(a), Hint: keys.Label(in, a.Intent), Value: a.Intent})
		}
	}
	for _, cmd := range agent {
		items = append(items, widget.Item{Title: "/" + cmd.Name, Detail: cmd.Description, Hint: "agent", Value: cmd.Name})
	}
	return &List{Title: "actions", Foot: "enter does it · esc", List: widget.NewList(items), Choose: func(it widget.Item) tea.Cmd {
		switch v := it.Value.(type) {
		case intent.Intent:
			return does.Do(v)
		case string:
			does.Type(v)
		}
		return nil
	}}
}
