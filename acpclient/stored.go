package acpclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/jsonrpc"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// ErrNoArchive means that an agent that archives sessions does not list the archived ones.
var ErrNoArchive = errors.New("the agent does not list archived sessions")

// SetTitle renames a session that the agent lists, open or not (session/set_title), and returns the
// title as the agent has stored it, safe to show.
func (c *Client) SetTitle(ctx context.Context, id, title string) (string, error) {
	var r wire.Titled
	err := c.offers(ctx, c.agent.SetTitle, "session/set_title", "rename the session", wire.SetTitleRequest{SessionID: id, Title: title}, &r)
	if err == nil && r.Title == "" {
		r.Title = title
	}
	return safetext.Line(r.Title, maxTitle), err
}

// Archive takes a session off the agent's list, or puts it back (session/archive, session/unarchive). The
// agent closes a session that is open.
func (c *Client) Archive(ctx context.Context, id string, archived bool) error {
	method, doing := "session/archive", "archive the session"
	if !archived {
		method, doing = "session/unarchive", "take the session out of the archive"
	}
	return c.offers(ctx, c.agent.Archive, method, doing, wire.SessionRef{SessionID: id}, nil)
}

// ListAllSessions is ListSessions with those that are archived. ErrNoArchive means that the agent does not
// list these.
func (c *Client) ListAllSessions(ctx context.Context, cwd string) ([]event.StoredSession, error) {
	if !c.agent.Archive {
		return nil, fmt.Errorf("list archived sessions: %w", ErrUnsupported)
	}
	all, err := c.listSessions(ctx, wire.ListSessionsRequest{Cwd: cwd, Archived: "include"})
	var refused *event.AgentError
	if errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams {
		err = fmt.Errorf("list archived sessions: %w", ErrNoArchive)
	}
	return all, err
}

// SessionStatus reports whether the agent has a stored session in memory, and whether a turn runs there
// (session/status). It changes nothing.
func (c *Client) SessionStatus(ctx context.Context, id string) (open, running bool, err error) {
	var r wire.SessionStatus
	err = c.offers(ctx, c.agent.Status, "session/status", "ask for the session's state", wire.SessionRef{SessionID: id}, &r)
	open = r.Status == "open"
	return open, open && r.State != "" && r.State != "idle", err
}

// statusPatience bounds TurnRuns, which other requests wait for.
const statusPatience = time.Second

// TurnRuns reports whether a turn runs in a stored session, if the agent says so within a second.
func (c *Client) TurnRuns(ctx context.Context, id string) bool {
	if !c.agent.Status {
		return false
	}
	ctx, stop := context.WithTimeout(ctx, statusPatience)
	defer stop()
	_, running, err := c.SessionStatus(ctx, id)
	return err == nil && running
}

// AuthStatus asks who is signed in (auth/status).
func (c *Client) AuthStatus(ctx context.Context) (event.AuthStatusChanged, error) {
	var r wire.AuthStatus
	err := c.offers(ctx, c.agent.AuthStatus, "auth/status", "ask who is signed in", struct{}{}, &r)
	return authStatus(r), err
}

// maxAccounts bounds the accounts of an agent.
const maxAccounts = 20

func authStatus(r wire.AuthStatus) event.AuthStatusChanged {
	e := event.AuthStatusChanged{State: event.AuthUnknown}
	switch s := event.AuthState(r.State); s {
	case event.SignedIn, event.SignedOut, event.LoginNotNeeded:
		e.State = s
	}
	for _, a := range r.Accounts[:min(len(r.Accounts), maxAccounts)] {
		e.Accounts = append(e.Accounts, event.Account{Label: safetext.Line(a.Label, 80), Name: safetext.Line(a.Name, 80),
			Email: safetext.Line(a.Email, 80), Organization: safetext.Line(a.Organization, 80), Active: a.Active})
	}
	return e
}

// offers calls an optional method, if the agent has advertised it.
func (c *Client) offers(ctx context.Context, advertised bool, method, doing string, params, result any) error {
	if !advertised {
		return fmt.Errorf("%s: %w", doing, ErrUnsupported)
	}
	if err := c.peer.Call(ctx, method, params, result); err != nil {
		return c.callFailed(doing, err)
	}
	return nil
}
