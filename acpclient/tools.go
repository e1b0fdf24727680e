package acpclient

import (
	"slices"
	"strconv"

	"parley/acpclient/event"
	"parley/internal/safetext"
)

// Tools offers this machine's files and commands to agents of v2, which do not ask their
// client for them, as an MCP server that the agent starts. Agents of v1 use FS and
// Terminals instead.
//
// It prepares a server for a session that is about to be opened in cwd, on the goroutine that opens
// the session.
type Tools func(cwd string) (MCPServer, Offer, error)

// Offer is the server of one session. Its methods return at once, may be called from any
// goroutine, and may be called again. It is an interface because the engine knows no MCP server.
type Offer interface {
	// Bind sets the session. Tool calls that arrive earlier wait.
	Bind(session string)
	// Cancel ends the running tool calls with their questions and commands, all of them
	// because they do not say which of the agent's work they belong to. More may follow.
	Cancel()
	// Withdraw ends the offer and the running tool calls. It comes before the session's
	// questions are cancelled, so that their cause is known.
	Withdraw()
}

// noOffer is the Offer of a session to which nothing is offered.
type noOffer struct{}

func (noOffer) Bind(string) {}
func (noOffer) Cancel()     {}
func (noOffer) Withdraw()   {}

// withTools adds the server of Services.Tools to a session that is about to be opened.
// If that fails the session is opened without it.
func (c *Client) withTools(n NewSession) NewSession {
	tools := c.opts.Services.Tools
	n.offer = noOffer{}
	switch {
	case tools == nil, c.surface.version() == 1:
		return n
	case c.agent.NoMCPStdio:
		c.opts.Log.Add(event.LogClient, "files and commands are not offered: the agent starts no MCP servers")
		return n
	}
	server, offer, err := tools(n.Cwd)
	if err != nil {
		c.opts.Log.Add(event.LogClient, "files and commands are not offered: "+safetext.Line(err.Error(), 300))
		return n
	}
	name := server.Name // v2 refuses two servers with one name
	for i := 2; slices.ContainsFunc(n.MCP, func(m MCPServer) bool { return m.Name == server.Name }); i++ {
		server.Name = name + "-" + strconv.Itoa(i)
	}
	n.MCP, n.offer = append(slices.Clip(n.MCP), server), offer
	return n
}
