package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/widget/text"
)

// useTemplate sends the prompt of a template that the draft names; false if it names none. One that has
// a preview is shown first, and the draft stays.
func (c *chat) useTemplate(draft string) (tea.Cmd, bool) {
	restore := func() {
		if c.composer.Empty() {
			c.composer.SetValue(draft)
		}
	}
	preview, ok, err := c.UseTemplate(draft, c.listed(), restore)
	switch {
	case err != nil:
		restore()
		return c.say("Not sent: " + err.Error()), true
	case preview != "":
		restore()
		c.previewTemplate(preview)
	}
	return nil, ok
}

// previewTemplate shows what a template would do.
func (c *chat) previewTemplate(preview string) {
	preview += "\n\nPress esc, then enter to send it."
	c.panels.read(&panel.Reading{Title: "Template", Body: func(width int, _ *theme.Theme) []string {
		var rows []string
		for line := range strings.SplitSeq(preview, "\n") {
			rows = append(rows, text.Wrap(line, width)...)
		}
		return rows
	}})
}
