package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/ui/layer"
	"parley/ui/panel"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/widget/list"
)

func toggleHelp(c *Page) tea.Cmd {
	first := intent.Chat
	if c.Review.Open() {
		first = intent.Review
	}
	return c.Panels.toggle(&panel.Reading{OpenedBy: intent.ToggleHelp, Title: "Keys", Body: func(width int, th *theme.Theme) []string {
		var all []panel.Command
		for _, cmd := range c.slash().all() {
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
	for _, cmd := range c.slash().ofAgent() {
		agent = append(agent, panel.Command{Slash: cmd.Name, Help: cmd.Help})
	}
	c.Panels.Show(panel.Palette(c.screen.Keys, agent, c.Agent.Name(), c.slash().useless, func(i intent.Intent) tea.Cmd { return c.out.Add(layer.Do(i)) }, c.Composer.SetValue))
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

// search lists earlier prompts, the newest first. The draft stays until one is chosen.
func searchHistory(c *Page) tea.Cmd {
	c.Panels.Show(&panel.List{OpenedBy: intent.SearchHistory, Title: "Prompt history", Foot: "enter use · esc close", Empty: "Nothing sent yet", List: list.NewRecent(c.Composer.Entries()), Same: func(a, b any) bool { return a == b }, EscCloses: true, Choose: func(it list.Item) tea.Cmd {
		c.Composer.AddDraftToHistory() // as ctrl+c does
		c.Composer.SetValue(it.Value.(string))
		c.Composer.Refresh()
		return nil
	}})
	return c.screen.Store.LoadHistory() // other processes may have added to it
}
