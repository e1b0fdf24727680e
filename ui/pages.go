package ui

import (
	"slices"

	"parley/internal/workspace"
)

// pages are those of the sessions of a workspace, made when they are first asked for.
type pages struct {
	w    *workspace.Workspace
	made map[*workspace.Session]*chat
	make func(*workspace.Session) *chat
}

// pageOf is the page of a session.
func (p *pages) pageOf(s *workspace.Session) *chat {
	c := p.made[s]
	if c == nil {
		c = p.make(s)
		p.made[s] = c
	}
	return c
}

// chats are the pages of the open sessions, in their order.
func (p *pages) chats() []*chat {
	var out []*chat
	for _, s := range p.w.Sessions() {
		out = append(out, p.pageOf(s))
	}
	return out
}

// front is the page that speaks for an agent.
func (p *pages) front(a *workspace.Agent) *chat { return p.pageOf(a.Front()) }

// forget drops the page of a session that is gone.
func (p *pages) forget(s *workspace.Session) { delete(p.made, s) }

// after are the other pages, in their order from that one on.
func (p *pages) after(c *chat) []*chat {
	all := p.chats()
	at := slices.Index(all, c)
	return slices.Concat(all[at+1:], all[:max(0, at)])
}
