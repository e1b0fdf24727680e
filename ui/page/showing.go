package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/intent"
	"parley/ui/clipboard"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
)

// copyText copies a text and shows the outcome.
func (c *Page) copyText(text func() string) tea.Cmd {
	to := clipboard.Clipboard{Program: c.screen.Options.Copy, Multiplexer: c.screen.Options.Multiplexer}
	return to.Copy(c.screen.Workspace.Context(), text, c.say)
}

func toggleHelp(c *Page) tea.Cmd {
	first := intent.Chat
	if c.Review.Open() {
		first = intent.Review
	}
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.ToggleHelp, Title: "Keys", Body: func(width int, th *theme.Theme) []string {
		var all []panel.Command
		for _, cmd := range c.commands() {
			all = append(all, panel.Command{Slash: cmd.Name, Help: cmd.Help})
		}
		return panel.HelpRows(c.screen.Keys, first, all, width, th)
	}})
}

func toggleLog(c *Page) tea.Cmd {
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.ToggleLog, Title: "Log", Tail: true, Body: func(width int, th *theme.Theme) []string {
		lines, total := c.Agent.Log.Lines()
		return panel.LogRows(lines, total, width, th)
	}})
}

func togglePlan(c *Page) tea.Cmd {
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.TogglePlan, Title: "Plan", Body: func(width int, th *theme.Theme) []string {
		return panel.PlanRows(c.Thread.Plans, transcript.Markdown, width, th)
	}})
}

func showPalette(c *Page) tea.Cmd {
	var agent []panel.Command
	for _, cmd := range c.agentCommands() {
		agent = append(agent, panel.Command{Slash: cmd.Name, Help: cmd.Help})
	}
	c.Panels.Show(panel.Palette(c.screen.Keys, agent, c.Agent.Name(), c.useless, c.Do, c.Composer.SetValue))
	return nil
}

// goTo gives the keys to the transcript and selects one of its items.
func (c *Page) goTo(item int) tea.Cmd {
	c.focus(true)
	c.View.SelectItem(item)
	c.View.Step(transcript.ToTop)
	return nil
}

// showItem selects the first item that matches.
func showItem(c *Page, is func(*thread.Item) bool) tea.Cmd {
	if i := slices.IndexFunc(c.Thread.Items, is); i >= 0 {
		c.focus(true)
		c.View.SelectItem(i)
	}
	return nil
}

// showCopy lists the parts of the selected entry that can be copied.
func showCopy(c *Page) tea.Cmd {
	it := c.View.Selected()
	if it == nil {
		return nil
	}
	of := c.View.Copyable(it)
	menu := &panel.CopyMenu{All: of.All, Patch: of.Patch, Command: of.Command}
	for _, code := range of.Codes {
		menu.Codes = append(menu.Codes, panel.Code(code))
	}
	c.Panels.Show(menu)
	return nil
}

// doing describes a tool call: its command if it runs one, else its title.
func doing(t *thread.Tool) string {
	if cmd := describe.Command(t.RawInput); cmd != "" && t.Kind == "execute" {
		return cmd
	}
	return t.Title
}
