package acpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
)

// NewSession describes a session to open.
type NewSession struct {
	Cwd   string   // absolute
	Roots []string // more directories the agent may work in, absolute
	MCP   []MCPServer
	// System is instructions for the agent. An agent that does not offer to take them is asked nothing.
	System SystemPrompt

	offer Offer // of Services.Tools, included in MCP, or noOffer
}

// SystemPrompt is instructions for a session: added to the agent's own, or in their place. "" is none.
type SystemPrompt struct {
	Text     string
	Override bool
}

func (p SystemPrompt) wire() *wire.SystemPrompt {
	if p.Text == "" {
		return nil
	}
	mode := "append"
	if p.Override {
		mode = "override"
	}
	return &wire.SystemPrompt{Mode: mode, Content: []any{wire.TextBlock(p.Text)}}
}

// takenBy returns an error if the agent has not offered to take such instructions.
func (p SystemPrompt) takenBy(agent event.AgentInfo) error {
	switch {
	case p.Text == "":
	case !agent.SystemPrompt:
		return fmt.Errorf("open a session with a system prompt: %w", ErrUnsupported)
	case p.Override && !agent.OverridePrompt:
		return fmt.Errorf("open a session with a system prompt in place of the agent's: %w", ErrUnsupported)
	}
	return nil
}

// MCPServer is a server that the agent should connect to. Type: stdio, http, sse.
type MCPServer struct {
	Name, Type string
	Command    string
	Args       []string
	Env        []wire.EnvVar
	URL        string
	Headers    []wire.EnvVar
}

// NewSession opens a session (session/new). Updates for it may be posted before
// NewSession returns. If ctx ends first the agent is told.
func (c *Client) NewSession(ctx context.Context, n NewSession) (*Session, error) {
	if c.agent.NoSessions {
		return nil, fmt.Errorf("open a session: %w", ErrUnsupported)
	}
	if err := n.System.takenBy(c.agent); err != nil {
		return nil, err
	}
	n = c.withTools(n)
	return c.openNew(ctx, "session/new", "open a session", c.openRequest("", n).NewSessionRequest, n)
}

// openNew sends a request whose answer names a new session.
func (c *Client) openNew(ctx context.Context, method, doing string, req any, n NewSession) (opened *Session, err error) {
	defer func() {
		if opened == nil {
			n.offer.Withdraw()
		}
	}()
	var s *Session
	var failed error
	var mu sync.Mutex // guards s and givenUp until the call has ended
	givenUp := false
	call := c.peer.BeginThen(method, req, func(raw json.RawMessage, err error) {
		mu.Lock()
		defer mu.Unlock()
		var r wire.NewSessionResponse
		if err == nil {
			err = jsonrpc.Decode(method, raw, &r)
		}
		if err == nil && givenUp {
			c.sessions.disown(r.SessionID, c.clock())
			return
		}
		if err == nil {
			s, err = c.adopt(r.SessionID, raw, n)
		}
		failed = err
	})
	if err := call.Wait(ctx, nil); err != nil {
		mu.Lock()
		defer mu.Unlock()
		if givenUp = true; s != nil { // the answer came first
			return s, nil
		}
		return nil, c.callFailed(doing, err)
	}
	if failed != nil {
		return nil, c.callFailed(doing, failed)
	}
	return s, nil
}

// otherRoots drops duplicates and the working directory itself.
func otherRoots(cwd string, roots []string) []string {
	seen := map[string]bool{cwd: true}
	var out []string
	for _, r := range roots {
		if !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	}
	return out
}

// mcpServers returns the servers in the form of the connection's version. Those that the
// agent cannot use are left out and logged.
func (c *Client) mcpServers(servers []MCPServer) []any {
	out := []any{}
	for _, m := range servers {
		if server := c.surface.server(m, c.agent); server != nil {
			out = append(out, server)
			continue
		}
		kind := m.Type
		if kind == "" {
			kind = "stdio"
		}
		c.opts.Log.Add(event.LogClient, fmt.Sprintf("MCP server %s not passed on: the agent does not take %s servers", m.Name, kind))
		c.opts.Sink.Post(event.NoticeArrived{Severity: "warning", Title: "MCP server " + m.Name + " left out", Description: "the agent does not take " + kind + " servers"})
	}
	return out
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// adopt adds a new session, on the reader goroutine, and posts the updates that arrived
// for it before.
func (c *Client) adopt(id string, result []byte, n NewSession) (*Session, error) {
	s, err := c.register(id, n, false)
	if err != nil {
		return nil, err
	}
	early := c.sessions.kept(id, c.clock())
	if err := c.surface.offered(s, "session/new", result); err != nil {
		c.problem("the offers of a session that cannot be read: "+err.Error(), nil)
	}
	c.updatedEarly(early)
	return s, nil
}

// updatedEarly posts updates that have waited for their session. Reader goroutine only.
func (c *Client) updatedEarly(early []earlyUpdate) {
	now := c.in.current
	for _, u := range early {
		c.in.current = u.n
		c.sessionUpdated(u.params)
	}
	c.in.current = now
}

// register adds a session: from now on its updates are posted.
func (c *Client) register(id string, n NewSession, resumed bool) (*Session, error) {
	if !c.sessions.reserve(id) {
		return nil, ErrSessionOpen
	}
	defer c.sessions.unreserve(id)
	s := newSession(c, id)
	s.cwd, s.offer = n.Cwd, n.offer
	services := c.opts.Services.Sessions
	if services != nil {
		if err := services.OpenSession(id, append([]string{n.Cwd}, otherRoots(n.Cwd, n.Roots)...), resumed); err != nil {
			return nil, err
		}
	}
	err := c.sessions.add(s, func() {
		c.in.openStream(id)
		s.offer.Bind(id)
	})
	if err != nil { // watch has already ended the sessions
		if services != nil {
			services.CloseSession(id)
		}
		return nil, err
	}
	return s, nil
}
