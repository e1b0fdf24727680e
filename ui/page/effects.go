package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// CarryOut does what the components of the page want, and returns what is left to the screen.
func (c *Page) CarryOut() (tea.Cmd, []ForScreen) {
	var cmds []tea.Cmd
	var left []ForScreen
	for len(c.out) > 0 { // an action may want more
		for _, e := range c.out.Take() {
			switch e := e.(type) {
			case layer.Do:
				cmds = append(cmds, c.Do(intent.Intent(e)))
			case layer.Say:
				cmds = append(cmds, c.say(string(e)))
			case layer.Copy:
				cmds = append(cmds, c.copyText(e))
			case layer.OpenURL:
				open := c.screen.Options.OpenURL
				cmds = append(cmds, func() tea.Msg { return openedURLMsg{c, open(string(e))} })
			case ForScreen:
				left = append(left, e)
			}
		}
	}
	return tea.Batch(cmds...), left
}

// Do does an action that a component wants. While an agent starts there is no session for an action to
// apply to.
func (c *Page) Do(i intent.Intent) tea.Cmd {
	if c.Agent.Opening() {
		return nil
	}
	cmd, _ := c.do(i)
	return cmd
}
