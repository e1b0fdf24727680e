package workspace

import (
	"context"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/permissions"
)

// Broker takes the answers to the open questions of the session, which events have reported; nil before the
// first.
func (s *Session) Broker() *permissions.Broker { return s.broker }

// AddRule adds a rule for a session to the user's file in a task, applies it, and calls done with the path
// of the file.
func (a *Agent) AddRule(session string, r permissions.Rule, done func(where string, err error)) {
	conn := a.conn
	if conn == nil {
		done("", event.ErrClosed)
		return
	}
	var where string
	var err error
	a.ask(func() { where, err = conn.AddRule(session, r) }, func() { done(where, err) })
}

// LastAsked returns a function that reads at most 50 of the last questions to the user, as facts that
// rules can judge in a session. It may be called on any goroutine.
func (a *Agent) LastAsked(session string) func() []permissions.Facts {
	conn := a.conn
	return func() (last []permissions.Facts) {
		if conn != nil {
			last = conn.LastAsked(session)
		}
		return last
	}
}

// Commands are the commands and tool calls that run in a session.
type Commands struct{ s *Session }

// Commands returns those of the session.
func (s *Session) Commands() Commands { return Commands{s} }

// LendKeyboard reports whether commands that parley runs for the agent can have the user's keyboard: only
// then Attended, Attach and TakeOver may be called.
func (c Commands) LendKeyboard() bool {
	return c.s.acp != nil && c.s.Agent.conn != nil
}

// Attended reports whether a command has a terminal of its own.
func (c Commands) Attended(id string) bool { return c.s.Agent.conn.Attended(c.s.acp.ID(), id) }

// Attach returns a Command that gives a command the user's terminal; line is the command's name for
// display. It returns nil when the command ends, or ErrTakenBack.
func (c Commands) Attach(id, line string) Command {
	return c.s.Agent.conn.Attach(c.s.acp.ID(), id, line)
}

// TakeOver returns a function that restarts a command in a terminal of its own. It may be called on any
// goroutine, and may take seconds.
func (c Commands) TakeOver(id string) func() error {
	conn, session := c.s.Agent.conn, c.s.acp.ID()
	return func() error { return conn.TakeOver(session, id) }
}

// Kill ends a command that parley runs for the agent, and calls done with the error.
func (c Commands) Kill(id string, done func(error)) {
	if conn := c.s.Agent.conn; conn != nil {
		c.s.set(func(_ context.Context, open *acpclient.Session) error { return conn.KillTerminal(open.ID(), id) }, done)
	}
}

// Stop asks the agent to stop a command that it runs itself, and calls done with the error.
func (c Commands) Stop(id string, done func(error)) {
	c.s.set(func(ctx context.Context, open *acpclient.Session) error { return open.CancelTerminal(ctx, id) }, done)
}

// StopSubagent asks the agent to stop a sub-agent, and calls done with the error.
func (c Commands) StopSubagent(id string, done func(error)) {
	c.s.set(func(_ context.Context, open *acpclient.Session) error { return open.CancelSubagent(id) }, done)
}

// StopTool asks the agent to stop one tool call, and calls done with the error.
func (c Commands) StopTool(id string, done func(error)) {
	c.s.set(func(ctx context.Context, open *acpclient.Session) error { return open.CancelTool(ctx, id) }, done)
}
