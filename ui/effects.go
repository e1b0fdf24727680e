package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// carryOut does what the components of the pages want.
func (m *Model) carryOut() tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range m.chats() {
		for _, e := range c.out.Take() {
			switch e := e.(type) {
			case layer.Do:
				cmds = append(cmds, c.panels.Do(intent.Intent(e)))
			case layer.Say:
				cmds = append(cmds, c.say(string(e)))
			case layer.Copy:
				cmds = append(cmds, c.copyText(e))
			case layer.OpenURL:
				cmds = append(cmds, func() tea.Msg { return openedURLMsg{c, c.m.opts.OpenURL(string(e))} })
			}
		}
	}
	return tea.Batch(cmds...)
}
