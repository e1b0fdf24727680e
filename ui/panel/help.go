package panel

import (
	"fmt"
	"strings"

	"parley/ui/intent"
	"parley/ui/theme"
	"parley/ui/widget"
)

// Command is a slash command.
type Command struct{ Slash, Help string }

// HelpRows list the keys and commands, from the declaration that dispatches them.
func HelpRows(keys *intent.Keymap, commands []Command, width int, th *theme.Theme) []string {
	column := 22
	if width < 60 {
		column = 13
	}
	var rows []string
	line := func(label, help string) {
		for i, r := range widget.Wrap(help, max(1, width-column-2)) {
			if i > 0 {
				label = ""
			}
			rows = append(rows, "  "+th.Key.Paint(fmt.Sprintf("%-*s", column, widget.Truncate(label, column-1, "…")))+r)
		}
	}
	for _, in := range intent.Contexts {
		if title := in.Title(); title != "" {
			rows = append(rows, "", th.Strong.Paint(title))
		}
		if in == intent.Question {
			for _, a := range intent.Answers {
				line(a.Label, a.Help)
			}
		}
		if in == intent.Draft {
			line("! first", "a shell command of your own; esc stops it; what came of it goes with the next prompt")
		}
		for _, a := range intent.Of(in) {
			if label := fitting(keys.Keys(in, a.Intent), column); label != "" {
				line(label, a.Help)
			}
		}
	}
	rows = append(rows, "", th.Strong.Paint("commands"))
	for _, cmd := range commands {
		line("/"+cmd.Slash, cmd.Help)
	}
	return rows
}

// fitting are the keys that fit in a column, the first one at least.
func fitting(keys []string, column int) string {
	label := ""
	for _, key := range keys {
		next := strings.TrimSpace(label + " " + intent.Shown(key))
		if label != "" && len(next) >= column {
			break
		}
		label = next
	}
	return label
}
