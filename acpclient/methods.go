package acpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrUnsupported is returned by methods that the agent has not advertised.
var ErrUnsupported = errors.New("the agent does not offer that")

// ErrSessionClosed is returned by the setters of a session that was closed while the
// connection remains.
var ErrSessionClosed = errors.New("the session is closed")

// ErrListTooLong means that not all sessions of an agent are listed.
var ErrListTooLong = errors.New("the agent's list is too long or has no end")

// Bounds of the results of session/list.
const (
	maxListed    = 10_000
	maxListPages = 1000 // pages may be empty and have successors
)

// ListSessions lists all sessions (session/list), page by page. cwd "" means those of
// every directory. With an error it returns the sessions listed before.
func (c *Client) ListSessions(ctx context.Context, cwd string) ([]event.StoredSession, error) {
	if !c.agent.List {
		return nil, fmt.Errorf("list sessions: %w", ErrUnsupported)
	}
	return c.listSessions(ctx, wire.ListSessionsRequest{Cwd: cwd})
}

func (c *Client) listSessions(ctx context.Context, req wire.ListSessionsRequest) ([]event.StoredSession, error) {
	var out []event.StoredSession
	seen := map[string]bool{}   // cursors
	listed := map[string]bool{} // a session may move between two pages
	cut := false
	for {
		var page wire.ListSessionsResponse
		if err := c.peer.Call(ctx, "session/list", req, &page); err != nil {
			return out, c.callFailed("list sessions", err)
		}
		for _, s := range page.Sessions {
			if listed[s.ID] {
				continue
			}
			if cut = len(out) == maxListed; cut {
				break
			}
			listed[s.ID] = true
			l := event.StoredSession{ID: s.ID, Cwd: s.Cwd, Title: safetext.Line(s.Title, maxTitle), Roots: s.AdditionalDirectories, Archived: s.Archived}
			l.Updated, _ = time.Parse(time.RFC3339, s.UpdatedAt)
			out = append(out, l)
		}
		switch {
		case cut, page.NextCursor != nil && (seen[*page.NextCursor] || len(seen) == maxListPages):
			return out, fmt.Errorf("only %d sessions are listed: %w", len(out), ErrListTooLong)
		case page.NextCursor == nil:
			return out, nil
		}
		seen[*page.NextCursor] = true
		req.Cursor = page.NextCursor
	}
}

// LoadSession opens a stored session and has its conversation replayed (session/load),
// between event.HistoryBegan and event.HistoryEnded. It returns after
// event.HistoryEnded. Some agents answer before the replay; what they send later is
// history until the first prompt. If ctx ends first the agent is listed, and later updates
// of the session are dropped.
func (c *Client) LoadSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.LoadSession {
		return nil, fmt.Errorf("load the session: %w", ErrUnsupported)
	}
	return c.reopen(ctx, true, "load the session", id, n)
}

// ResumeSession opens a stored session without a replay (session/resume).
func (c *Client) ResumeSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.Resume {
		return nil, fmt.Errorf("resume the session: %w", ErrUnsupported)
	}
	return c.reopen(ctx, false, "resume the session", id, n)
}

// reopen registers the session before it sends the request, because the replay arrives
// before the answer.
func (c *Client) reopen(ctx context.Context, replay bool, doing, id string, n NewSession) (*Session, error) {
	if c.sessions.session(id) != nil {
		return nil, fmt.Errorf("%s: it is open already", doing)
	}
	if err := n.System.takenBy(c.agent); err != nil {
		return nil, err
	}
	n = c.withTools(n)
	s, err := c.register(id, n, true)
	if err != nil {
		n.offer.Withdraw()
		return nil, c.explain(doing, err)
	}
	s.turns.reopens(replay)
	var mu sync.Mutex // guards the variables below until the call has ended
	over, late := false, false
	var failed error
	in := s.localContext()
	endHistory := func(err error) { // with mu
		if over = true; err != nil {
			failed = c.explain(doing, err)
			c.forget(s)
		}
		if late = late && err == nil; !late {
			s.turns.reopened(replay, in, failed)
		}
	}
	method, req := c.surface.reopen(c.openRequest(id, n), replay)
	var call *jsonrpc.Call
	call = c.peer.Reserve(method, func(raw json.RawMessage, err error) {
		mu.Lock()
		defer mu.Unlock()
		if over { // given up
			return
		}
		if call.Answered() {
			in, late = s.wireContext(), replay
		}
		if err == nil {
			err = c.surface.offered(s, method, raw)
		}
		endHistory(err)
	})
	call.Queue(req)
	err = call.Wait(ctx, nil)
	mu.Lock()
	defer mu.Unlock()
	if !over {
		endHistory(err)
	}
	if errors.Is(failed, event.ErrClosed) {
		return nil, c.callFailed(doing, err)
	}
	if failed != nil {
		return nil, failed
	}
	if late {
		c.in.stragglers(ctx, c.ended)
		s.turns.reopened(replay, in, nil)
	}
	return s, nil
}

// reopens records that the session is being opened, with or without a replay.
func (t *turns) reopens(replay bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reopening = true
	if replay {
		t.session.post(event.HistoryBegan{For: t.session.localContext()})
	}
}

// reopened records the outcome.
func (t *turns) reopened(replay bool, in event.For, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reopening = false
	if replay {
		t.session.post(event.HistoryEnded{For: in, Err: err})
	}
}

// openRequest describes a session to open; id is "" for a new one.
func (c *Client) openRequest(id string, n NewSession) wire.OpenSessionRequest {
	req := wire.NewSessionRequest{Cwd: n.Cwd, MCPServers: c.mcpServers(n.MCP), SystemPrompt: n.System.wire()}
	if c.agent.Roots {
		req.AdditionalDirectories = otherRoots(n.Cwd, n.Roots)
	}
	return wire.OpenSessionRequest{SessionID: id, NewSessionRequest: req}
}

// ForkSession copies a stored session into a new one (session/fork), without a replay.
func (c *Client) ForkSession(ctx context.Context, id string, n NewSession) (*Session, error) {
	if !c.agent.Fork {
		return nil, fmt.Errorf("fork the session: %w", ErrUnsupported)
	}
	if err := n.System.takenBy(c.agent); err != nil {
		return nil, err
	}
	n = c.withTools(n)
	return c.openNew(ctx, "session/fork", "fork the session", c.openRequest(id, n), n)
}

// CloseSession ends a session: its turn is cancelled, its questions are answered, and
// further prompts are refused. If the agent has no session/close the session is only
// forgotten here. It is closed whatever the agent answers.
func (c *Client) CloseSession(ctx context.Context, s *Session) error {
	s.Cancel()
	s.closed()
	var err error
	if c.agent.CloseSession {
		err = c.peer.Call(ctx, "session/close", wire.SessionRef{SessionID: s.id}, nil)
	}
	c.forget(s)
	if err != nil && !errors.Is(err, &jsonrpc.Error{Code: jsonrpc.CodeResourceNotFound}) {
		return c.callFailed("close the session", err)
	}
	return nil
}

// DeleteSession deletes a stored session (session/delete). It is not an error if the
// session does not exist.
func (c *Client) DeleteSession(ctx context.Context, id string) error {
	var gone *event.AgentError
	err := c.offers(ctx, c.agent.Delete, "session/delete", "delete the session", wire.SessionRef{SessionID: id}, nil)
	if errors.As(err, &gone) && gone.Code == jsonrpc.CodeResourceNotFound {
		return nil
	}
	return err
}

// LogOut ends the login (logout). Open sessions may stop working.
func (c *Client) LogOut(ctx context.Context) error {
	return c.offers(ctx, c.agent.Logout, c.surface.logout(), "log out", struct{}{}, nil)
}

// SetMode switches the session's mode (session/set_mode).
func (s *Session) SetMode(ctx context.Context, id string) error {
	if s.client.surface.version() != 1 { // v2 has an option instead
		return fmt.Errorf("switch the mode: %w", ErrUnsupported)
	}
	req := map[string]string{"sessionId": s.id, "modeId": id}
	return s.set(ctx, "session/set_mode", req, "switch the mode", func(json.RawMessage) error {
		s.post(event.ModeChanged{For: s.wireContext(), ModeID: id})
		return nil
	})
}

// SetOption changes a config option (session/set_config_option). value is the id of a
// choice, or a bool for an option of type boolean. The legacy option "models" is set
// with session/set_model.
func (s *Session) SetOption(ctx context.Context, id string, value any) error {
	if id == event.LegacyModels && s.client.surface.version() == 1 {
		choice, _ := value.(string)
		req := map[string]string{"sessionId": s.id, "modelId": choice}
		return s.set(ctx, "session/set_model", req, "switch the model", func(json.RawMessage) error {
			s.post(event.ModelChanged{For: s.wireContext(), ModelID: choice})
			return nil
		})
	}
	switch value.(type) {
	case bool, string:
	default:
		return fmt.Errorf("change the option: a %T is no value of an option", value)
	}
	surface := s.client.surface
	return s.set(ctx, "session/set_config_option", surface.option(s, id, value), "change the option", func(raw json.RawMessage) error {
		options, err := s.client.optionsSet(raw)
		if options != nil {
			s.post(event.ConfigChanged{For: s.wireContext(), Options: options})
		}
		return err
	})
}

// set sends a request and handles its result on the reader goroutine, so that a later
// update of the agent takes precedence.
func (s *Session) set(ctx context.Context, method string, params any, doing string, handle func(json.RawMessage) error) error {
	s.turns.mu.Lock()
	ended := s.turns.ended
	s.turns.mu.Unlock()
	if ended {
		return fmt.Errorf("%s: %w", doing, cmp.Or(s.client.Err(), ErrSessionClosed))
	}
	var failed error
	call := s.client.peer.BeginThen(method, params, func(raw json.RawMessage, err error) {
		if failed = err; err == nil {
			failed = handle(raw)
		}
	})
	if err := call.Wait(ctx, nil); err != nil {
		return s.client.callFailed(doing, err)
	}
	if failed != nil {
		return s.client.callFailed(doing, failed)
	}
	return nil
}
