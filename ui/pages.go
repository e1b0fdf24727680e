package ui

import (
	"slices"

	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/page"
)

// pages are the pages of a workspace's sessions, made on first use.
type pages struct {
	screen *page.Screen
	made   map[*workspace.Session]*page.Page
}

// pageOf returns the page of a session.
func (p *pages) pageOf(s *workspace.Session) *page.Page {
	c := p.made[s]
	if c == nil {
		c = page.New(p.screen, s)
		p.made[s] = c
	}
	return c
}

// chats returns the pages of the open sessions, in order.
func (p *pages) chats() []*page.Page {
	var out []*page.Page
	for _, s := range p.screen.Workspace.Sessions() {
		out = append(out, p.pageOf(s))
	}
	return out
}

// front returns the page of an agent's front session.
func (p *pages) front(a *workspace.Agent) *page.Page { return p.pageOf(a.Front()) }

// forget drops the page of a closed session.
func (p *pages) forget(s *workspace.Session) { delete(p.made, s) }

// after returns the other pages, in order, starting after c.
func (p *pages) after(c *page.Page) []*page.Page {
	all := p.chats()
	at := slices.Index(all, c)
	return slices.Concat(all[at+1:], all[:max(0, at)])
}

// compared returns the pages that are compared with one, itself included; nil if there is no other.
func (p *pages) compared(c *page.Page) (all []*page.Page) {
	for _, s := range c.Compared() {
		all = append(all, p.pageOf(s))
	}
	return all
}

// waiting returns the other pages that wait for the user, in order, starting after c.
func (p *pages) waiting(c *page.Page) []*page.Page {
	return slices.DeleteFunc(p.after(c), func(c *page.Page) bool { return !c.Waits() })
}

// newStore makes the store that the composers share.
func newStore(m *Model) *composer.Store {
	o := m.Options
	pages := func() []*composer.Composer {
		out := []*composer.Composer{m.Front.Composer}
		for _, c := range m.chats() {
			if c != m.Front {
				out = append(out, c.Composer)
			}
		}
		return out
	}
	return composer.NewStore(composer.Options{Tools: o.Tools, Env: &m.Env, Context: m.Workspace.Context(), Pages: pages, Images: m.Workspace.Images(),
		History: o.History, Drafts: o.Drafts, Home: o.Home})
}
