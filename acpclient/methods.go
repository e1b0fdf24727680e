package acpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrUnsupported is returned by methods that the agent has not advertised.
var ErrUnsupported = errors.New("the agent does not offer that")

// Listed is a session that the agent keeps. ID and Cwd are verbatim, the rest is
// safe to show.
type Listed struct {
	ID, Cwd string
	Title   string
	Updated time.Time // zero when unknown
	Roots   []string
}

// maxListed bounds what is taken from session/list.
const maxListed = 10_000

// ListSessions asks for all sessions (session/list), page by page. cwd "" asks
// for those of every directory.
func (c *Client) ListSessions(ctx context.Context, cwd string) ([]Listed, error) {
	if !c.agent.List {
		return nil, fmt.Errorf("list sessions: %w", ErrUnsupported)
	}
	var out []Listed
	req := wire.ListSessionsRequest{Cwd: cwd}
	seen := map[string]bool{}
	for {
		var page wire.ListSessionsResponse
		if err := c.peer.Call(ctx, "session/list", req, &page); err != nil {
			return out, c.explain("list sessions", err)
		}
		for _, s := range page.Sessions {
			l := Listed{ID: s.ID, Cwd: s.Cwd, Title: safetext.Line(s.Title, maxTitle), Roots: s.AdditionalDirectories}
			l.Updated, _ = time.Parse(time.RFC3339, s.UpdatedAt)
			out = append(out, l)
		}
		switch {
		case page.NextCursor == nil:
			return out, nil
		case seen[*page.NextCursor], len(out) >= maxListed:
			c.opts.Log.Add(LogClient, "session/list does not end: the rest is left out")
			return out, nil
		}
		seen[*page.NextCursor] = true
		req.Cursor = page.NextCursor
	}
}

// LoadSession opens a session of the agent's and has the conversation replayed
// (session/load): between HistoryBegan and HistoryEnded, and from agents that
// answer too early also after it.
func (c *Client) LoadSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.LoadSession {
		return nil, fmt.Errorf("load the session: %w", ErrUnsupported)
	}
	return c.reopen(ctx, "session/load", "load the session", id, n)
}

// ResumeSession goes on with a session of the agent's without a replay
// (session/resume).
func (c *Client) ResumeSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.Resume {
		return nil, fmt.Errorf("resume the session: %w", ErrUnsupported)
	}
	return c.reopen(ctx, "session/resume", "resume the session", id, n)
}

// reopen makes the session known before it asks for it, because what is
// replayed comes before the answer.
func (c *Client) reopen(ctx context.Context, method, doing, id string, n NewSession) (*Session, error) {
	if c.session(id) != nil {
		return nil, fmt.Errorf("%s: it is open already", doing)
	}
	s, err := c.register(id, n)
	if err != nil {
		return nil, err
	}
	replay := method == "session/load"
	if replay {
		s.post(HistoryBegan{s.for_()})
	}
	req := wire.OpenSessionRequest{SessionID: id, Cwd: n.Cwd, MCPServers: c.mcpServers(n.MCP)}
	if c.agent.Roots {
		req.AdditionalDirectories = otherRoots(n.Cwd, n.Roots)
	}
	failed := error(nil)
	call := c.peer.BeginThen(method, req, func(raw json.RawMessage, err error) {
		var r wire.OpenSessionResponse
		if err == nil {
			err = jsonrpc.Decode(method, raw, &r)
		}
		if failed = err; err == nil {
			s.offered(r.Modes, r.Config, r.Models)
		}
		if replay {
			s.post(HistoryEnded{For: s.for_(), Err: err})
		}
	})
	if err = call.Wait(ctx, nil); err == nil {
		err = failed
	}
	if err != nil {
		c.forget(s)
		return nil, c.explain(doing, err)
	}
	return s, nil
}

// ForkSession copies a session of the agent's into a new one (session/fork).
// Nothing need be replayed.
func (c *Client) ForkSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.Fork {
		return nil, fmt.Errorf("fork the session: %w", ErrUnsupported)
	}
	req := wire.OpenSessionRequest{SessionID: id, Cwd: n.Cwd, MCPServers: c.mcpServers(n.MCP)}
	if c.agent.Roots {
		req.AdditionalDirectories = otherRoots(n.Cwd, n.Roots)
	}
	return c.openNew(ctx, "session/fork", "fork the session", req, n)
}

// CloseSession ends a session: its turn is cancelled, its questions are
// answered. Where the agent has no session/close it is only forgotten here.
func (c *Client) CloseSession(ctx context.Context, s *Session) error {
	s.Cancel()
	s.cancelQuestions()
	var err error
	if c.agent.CloseSession {
		err = c.peer.Call(ctx, "session/close", wire.SessionRef{SessionID: s.id}, nil)
	}
	c.forget(s)
	if err = ignoreGone(err); err != nil {
		return c.explain("close the session", err)
	}
	return nil
}

// DeleteSession deletes a session that the agent keeps (session/delete). One
// that is gone already counts as deleted.
func (c *Client) DeleteSession(ctx context.Context, id string) error {
	if !c.agent.Delete {
		return fmt.Errorf("delete the session: %w", ErrUnsupported)
	}
	if err := ignoreGone(c.peer.Call(ctx, "session/delete", wire.SessionRef{SessionID: id}, nil)); err != nil {
		return c.explain("delete the session", err)
	}
	return nil
}

// ignoreGone drops the error for a session that does not exist.
func ignoreGone(err error) error {
	if errors.Is(err, &jsonrpc.Error{Code: jsonrpc.CodeResourceNotFound}) {
		return nil
	}
	return err
}

// Authenticate logs in with a method that the agent carries out itself. It may
// take minutes; the end of ctx gives it up.
func (c *Client) Authenticate(ctx context.Context, methodID string) error {
	for _, m := range c.agent.AuthMethods {
		if m.ID != methodID {
			continue
		}
		if m.Type != "" && m.Type != "agent" {
			return fmt.Errorf("log in: a method of type %q is not the agent's to carry out", m.Type)
		}
		if err := c.peer.Call(ctx, "authenticate", map[string]string{"methodId": methodID}, nil); err != nil {
			return c.explain("log in", err)
		}
		return nil
	}
	return fmt.Errorf("log in: %w", ErrUnsupported)
}

// LogOut ends the login (logout). Open sessions may stop working.
func (c *Client) LogOut(ctx context.Context) error {
	if !c.agent.Logout {
		return fmt.Errorf("log out: %w", ErrUnsupported)
	}
	if err := c.peer.Call(ctx, "logout", struct{}{}, nil); err != nil {
		return c.explain("log out", err)
	}
	return nil
}

// SetMode switches the session's mode (session/set_mode).
func (s *Session) SetMode(ctx context.Context, id string) error {
	req := map[string]string{"sessionId": s.id, "modeId": id}
	return s.set(ctx, "session/set_mode", req, "switch the mode", func(json.RawMessage) error {
		s.post(ModeChanged{For: s.for_(), ModeID: id})
		return nil
	})
}

// SetOption changes a config option (session/set_config_option). value is the id
// of a choice, or a bool for an option of type boolean. The legacy option
// "models" goes by session/set_model.
func (s *Session) SetOption(ctx context.Context, id string, value any) error {
	if id == LegacyModels {
		choice, _ := value.(string)
		req := map[string]string{"sessionId": s.id, "modelId": choice}
		return s.set(ctx, "session/set_model", req, "switch the model", func(json.RawMessage) error {
			s.post(ModelChanged{For: s.for_(), ModelID: choice})
			return nil
		})
	}
	req := map[string]any{"sessionId": s.id, "configId": id, "value": value}
	if _, ok := value.(bool); ok {
		req["type"] = "boolean"
	}
	return s.set(ctx, "session/set_config_option", req, "change the option", func(raw json.RawMessage) error {
		var r wire.SetConfigOptionResponse
		if err := jsonrpc.Decode("session/set_config_option", raw, &r); err != nil {
			return err
		}
		if r.Config != nil {
			s.post(ConfigChanged{For: s.for_(), Options: configOptions(r.Config)})
		}
		return nil
	})
}

// set sends a request and takes its result on the reader goroutine, so that a
// later update of the agent wins over it.
func (s *Session) set(ctx context.Context, method string, params any, doing string, taken func(json.RawMessage) error) error {
	var failed error
	call := s.client.peer.BeginThen(method, params, func(raw json.RawMessage, err error) {
		if failed = err; err == nil {
			failed = taken(raw)
		}
	})
	if err := call.Wait(ctx, nil); err != nil {
		return s.client.explain(doing, err)
	}
	if failed != nil {
		return s.client.explain(doing, failed)
	}
	return nil
}
