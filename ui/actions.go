package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/page"
)

// handlers returns what does the actions of the pages, and those that concern more than one of them.
func (m *Model) handlers() map[intent.Intent]page.Handler {
	all := page.Handlers()
	for i, do := range map[intent.Intent]func() tea.Cmd{
		intent.Quit: departure{m}.leave, intent.Detach: departure{m}.detach, intent.Suspend: departure{m}.suspend, intent.Sessions: sessions{m}.show, intent.NextWaiting: m.nextWaiting, intent.NewSession: m.newSession,
		intent.Theme: m.showThemes, intent.SidePanel: m.toggleSide, intent.Inline: m.toggleInline,
	} {
		all[i] = func(*page.Page, string) tea.Cmd { return do() }
	}
	all[intent.ShowReview] = func(c *page.Page, _ string) tea.Cmd { return m.showReview(c) }
	all[intent.Compare] = func(c *page.Page, args string) tea.Cmd { return contest{m, c}.compare(args) }
	all[intent.AnotherAgent] = m.anotherAgent
	all[intent.Rename] = sessions{m}.renamePage
	return all
}
