package panel

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/theme"
	"parley/ui/widget/list"
)

// Command is a slash command.
type Command struct{ Slash, Help string }

// HelpRows lists the keys, those of one context first, and the commands, from the declaration that dispatches them.
func HelpRows(keys *intent.Keymap, first intent.Context, commands []Command, width int, th *theme.Theme) []string {
	column := 22
	if width < 60 {
		column = 13
	}
	var rows []string
	line := func(label, help string) {
		for i, r := range text.Wrap(help, max(1, width-column-2)) {
			if i > 0 {
				label = ""
			}
			rows = append(rows, "  "+th.Key.Paint(text.Pad(text.Truncate(label, column-1, "…"), column))+r)
		}
	}
	at := slices.Index(intent.Contexts, first)
	for _, in := range slices.Insert(slices.Delete(slices.Clone(intent.Contexts), at, at+1), 0, first) {
		title := in.Title()
		if in == intent.Chat && len(rows) > 0 {
			title = "In a session"
		}
		if title != "" {
			rows = append(rows, "", th.Strong.Paint(title))
		}
		if in == intent.Question {
			for _, a := range intent.Answers {
				line(a.Label, a.Help)
			}
		}
		if in == intent.Draft {
			line("! first", "Run a shell command of your own; "+keys.ChatKey(intent.Stop)+" stops it; its result goes with your next prompt")
		}
		for _, a := range intent.Of(in) {
			if label := fitting(keys.Keys(in, a.Intent), column); label != "" {
				line(label, a.Help)
			}
		}
	}
	rows = append(rows, "", th.Strong.Paint("Commands"))
	for _, cmd := range commands {
		line("/"+cmd.Slash, cmd.Help)
	}
	return rows
}

// fitting joins as many keys as fit in a column, but at least the first.
func fitting(keys []string, column int) string {
	label := ""
	for _, key := range keys {
		next := strings.TrimSpace(label + " " + intent.DisplayKey(key))
		if label != "" && len(next) >= column {
			break
		}
		label = next
	}
	return label
}

// Palette lists every action that works now, with its key and slash command, and the
// agent's commands. Choosing an action does it; choosing a command of the agent's puts it
// into the composer.
func Palette(keys *intent.Keymap, commands []Command, agent string, useless func(intent.Action) bool, do func(intent.Intent) tea.Cmd, put func(command string)) *List {
	var items []list.Item
	listed := append(intent.Of(intent.Chat), intent.Of(intent.Always)...)
	for _, g := range intent.Groups {
		for _, i := range g.Intents {
			at := slices.IndexFunc(listed, func(a intent.Action) bool { return a.Intent == i })
			if a := listed[at]; !useless(a) {
				title, about := a.Parts()
				items = append(items, list.Item{Title: title, Detail: strings.TrimSuffix("/"+a.Command, "/"), More: about, Hint: keys.Label(a.In, i), Section: g.Title, Value: i})
			}
		}
	}
	for _, cmd := range commands {
		items = append(items, list.Item{Title: "/" + cmd.Slash, Detail: cmd.Help, Section: "Commands of " + agent, Value: "/" + cmd.Slash + " "})
	}
	return &List{Title: "Actions", Foot: "enter select · esc close", List: list.New(items), Choose: func(it list.Item) tea.Cmd {
		switch v := it.Value.(type) {
		case intent.Intent:
			return do(v)
		case string:
			put(v) // it may take arguments
		}
		return nil
	}}
}
