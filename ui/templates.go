package ui

import (
	"strings"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/panel"
	"parley/ui/theme"
)

// previewTemplate shows what a template would do.
func (c *chat) previewTemplate(preview string) {
	preview += "\n\nPress " + c.m.Keys.Label(intent.Reading, intent.Close) + ", then " + c.m.Keys.ChatKey(intent.Send) + " to send it."
	c.panels.read(&panel.Reading{Title: "Template", Body: func(width int, _ *theme.Theme) []string {
		var rows []string
		for line := range strings.SplitSeq(preview, "\n") {
			rows = append(rows, text.Wrap(line, width)...)
		}
		return rows
	}})
}
