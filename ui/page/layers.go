package page

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/ui/layer"
)

// Layers returns the layers of the page.
func (c *Page) Layers() []layer.Layer {
	if c.Agent.Opening() {
		return connecting{c}.layers()
	}
	popup := c.Composer.Popup()
	return []layer.Layer{
		anywhere{c},
		when(c.Panels.open != nil, c.Panels.open),
		when(logins{c}.shown(), c.login),
		when(c.Elicits.Current() != nil, c.Elicits.Current()),
		when(logins{c}.addressShown(), logins{c}.address()),
		when(c.find.Typing(), c.find),
		when(c.View.DraggedText() != "", selection{c}),
		when(c.Panels.reading != nil, c.Panels.reading),
		when(c.Review.Open(), c.Review),
		interrupt{c},
		when(c.Question.Open(), c.Question),
		when(c.focused, conversation{c}),
		when(popup != nil && c.Panels.reading == nil, popup),
		draft{c},
		asked{c},
		session{c},
	}
}

func when(there bool, l layer.Layer) layer.Layer {
	if there {
		return l
	}
	return nil
}

// typing reports whether the composer has the keys, or would without an overlay.
func (c *Page) typing() bool {
	held := false
	layer.Reach(c.Layers(), func(l layer.Holder) bool { held = l.Armed(); return held })
	return !held
}

// anywhere handles the keys that work on the page whatever is open.
type anywhere struct{ c *Page }

func (l anywhere) Key(p layer.Press) (tea.Cmd, bool) {
	if p.Want == intent.NextWaiting || p.Want == intent.NextColumn {
		return l.c.do(p.Want, "")
	}
	return nil, false
}

// Waits reports whether the page waits for the user: a question, a form, a login.
func (c *Page) Waits() bool {
	return c.Question.Open() || c.Elicits.Wait() || c.login.Unasked()
}

// nextColumn shows the next page that is compared.
func (c *Page) nextColumn() tea.Cmd {
	all := c.Compared()
	if all == nil {
		return c.say("No agents are compared here: /compare PROMPT")
	}
	c.screen.Workspace.Show(all[(slices.Index(all, c.Session)+1)%len(all)])
	return nil
}
