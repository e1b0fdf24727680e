package page

import (
	"strings"

	"parley/internal/intent"
	"parley/internal/text"
	"parley/ui/panel"
	"parley/ui/theme"
)

// PreviewTemplate shows what a template would do.
func PreviewTemplate(c *Page, preview string) {
	preview += "\n\nPress " + c.screen.Keys.Label(intent.Reading, intent.Close) + ", then " + c.screen.Keys.ChatKey(intent.Send) + " to send it."
	c.Panels.Read(&panel.Reading{Title: "Template", Body: func(width int, _ *theme.Theme) []string {
		var rows []string
		for line := range strings.SplitSeq(preview, "\n") {
			rows = append(rows, text.Wrap(line, width)...)
		}
		return rows
	}})
}
