package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
)

// scrollBy moves the transcript. After it is drawn the next page is laid out in advance,
// since one page turn is usually followed by another.
func scrollBy(c *Page, by intent.Intent) tea.Cmd {
	switch by {
	case intent.PageUp:
		c.View.Page(-1)
		return func() tea.Msg { return aheadMsg{c, -1} }
	case intent.PageDown:
		c.View.Page(1)
		return func() tea.Msg { return aheadMsg{c, 1} }
	case intent.ScrollUp:
		c.View.Scroll(-1)
	case intent.ScrollDown:
		c.View.Scroll(1)
	case intent.Home:
		c.View.Home()
	case intent.End:
		c.View.End()
	}
	return nil
}

// aheadMsg asks to lay out the next page in advance.
type aheadMsg struct {
	page *Page
	dir  int
}

// Handle implements layer.Message.
func (msg aheadMsg) Handle() tea.Cmd {
	if msg.page.InFront() {
		msg.page.View.PreparePage(msg.dir)
	}
	return nil
}

// nextColumn shows the next page that is compared.
func nextColumn(c *Page) tea.Cmd {
	all := c.Compared()
	if all == nil {
		return c.say("No agents are compared here: /compare PROMPT")
	}
	c.screen.Workspace.Show(all[(slices.Index(all, c.Session)+1)%len(all)])
	return nil
}
