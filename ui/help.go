package ui

import (
	"fmt"
	"strings"

	"parley/ui/intent"
	"parley/ui/widget"
)

// helpRows lists the keys and commands, from the declaration that dispatches
// them.
func (c *chat) helpRows(width int) []string {
	th := c.m.Theme
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
			if label := c.keysOf(in, a.Intent, column); label != "" {
				line(label, a.Help)
			}
		}
	}
	rows = append(rows, "", th.Strong.Paint("commands"))
	agent, own := c.commands()
	for _, cmd := range agent {
		line("/"+cmd.Name, cmd.Description)
	}
	for _, a := range own {
		line("/"+a.Slash, a.Help)
	}
	return rows
}

// keysOf are the keys of an action that fit beside its words.
func (c *chat) keysOf(in intent.Context, i intent.Intent, column int) string {
	label := ""
	for _, key := range c.m.Keys.Keys(in, i) {
		next := strings.TrimSpace(label + " " + intent.Shown(key))
		if label != "" && len(next) >= column {
			break
		}
		label = next
	}
	return label
}
