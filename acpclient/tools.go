package acpclient

import (
	"slices"
	"strconv"

	"parley/acpclient/event"
	"parley/internal/safetext"
)

// Tools gives agents of v2, which ask for no files and commands, those of this
// machine all the same: as an MCP server that the agent starts. Agents of v1 are
// offered none of it; they have FS and Terminals.
type Tools interface {
	// Offer prepares a server for one session, which works in cwd and is about to
	// be opened. It is called on the goroutine of whoever opens the session.
	Offer(cwd string) (MCPServer, Offer, error)
}

// Offer is the server of one session. Its methods return at once, may be called
// from any goroutine, and do no harm when they are called again.
type Offer interface {
	// Bind tells which session it is. Calls of tools that came before wait.
	Bind(session string)
	// Cancel ends the calls that are under way, with their questions and commands;
	// others may follow.
	Cancel()
	// Withdraw ends the offer, and the calls that are under way.
	Withdraw()
}

// withTools adds the server of Services.Tools to a session that is about to be
// opened. Where there is none the session is opened without.
func (c *Client) withTools(n NewSession) NewSession {
	tools := c.opts.Services.Tools
	switch {
	case tools == nil, c.surface.version() == 1:
		return n
	case c.agent.NoMCPStdio:
		c.opts.Log.Add(event.LogClient, "files and commands are not offered: the agent starts no MCP servers")
		return n
	}
	server, offer, err := tools.Offer(n.Cwd)
	if err != nil {
		c.opts.Log.Add(event.LogClient, "files and commands are not offered: "+safetext.Line(err.Error(), 300))
		return n
	}
	name := server.Name // v2 refuses two of one name
	for i := 2; slices.ContainsFunc(n.MCP, func(m MCPServer) bool { return m.Name == server.Name }); i++ {
		server.Name = name + "-" + strconv.Itoa(i)
	}
	n.MCP, n.offer = append(slices.Clip(n.MCP), server), offer
	return n
}

// withdrawTools ends the offer of a session that will not be, or is over.
func (n NewSession) withdrawTools() {
	if n.offer != nil {
		n.offer.Withdraw()
	}
}

// cancelTools ends the calls of the session's tools: they do not say what of the
// agent's work they belong to, so all or none. (v2)
func (s *Session) cancelTools() {
	if s.offer != nil {
		s.offer.Cancel()
	}
}

// withdrawTools comes before the session's questions are cancelled: then it is
// known why.
func (s *Session) withdrawTools() {
	if s.offer != nil {
		s.offer.Withdraw()
	}
}
