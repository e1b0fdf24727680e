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

// TakesRules reports whether AddRule can add rules.
func (a *Agent) TakesRules() bool { return a.conn != nil && a.conn.AddRule != nil }

// AddRule adds a rule for a session to the user's file in a task, applies it, and calls done with the path
// of the file.
func (a *Agent) AddRule(session string, r permissions.Rule, done func(where string, err error)) {
	if !a.TakesRules() {
		done("", event.ErrClosed)
		return
	}
	add := a.conn.AddRule
	var where string
	var err error
	a.ask(func() { where, err = add(session, r) }, func() { done(where, err) })
}

// LastAsked returns a function that reads at most 50 of the last questions to the user, as facts that
// rules can judge in a session. It may be called on any goroutine.
func (a *Agent) LastAsked(session string) func() []permissions.Facts {
	if a.conn == nil || a.conn.LastAsked == nil {
		return func() []permissions.Facts { return nil }
	}
	read := a.conn.LastAsked
	return func() []permissions.Facts { return read(session) }
}

// KillsTerminals reports whether KillTerminal can end commands.
func (a *Agent) KillsTerminals() bool { return a.conn != nil && a.conn.KillTerminal != nil }

// Commands are the commands and tool calls that run in a session.
type Commands struct{ s *Session }

// Commands returns those of the session.
func (s *Session) Commands() Commands { return Commands{s} }

// LendKeyboard reports whether commands that parley runs for the agent can have the user's keyboard: only
// then Attended, Attach and TakeOver may be called.
func (c Commands) LendKeyboard() bool {
	return c.s.acp != nil && c.s.Agent.conn != nil && c.s.Agent.conn.Attach != nil
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
	take, session := c.s.Agent.conn.TakeOver, c.s.acp.ID()
	return func() error { return take(session, id) }
}

// Kill ends a command that parley runs for the agent, and calls done with the error.
func (c Commands) Kill(id string, done func(error)) {
	if !c.s.Agent.KillsTerminals() {
		return
	}
	kill := c.s.Agent.conn.KillTerminal
	c.s.set(func(_ context.Context, open *acpclient.Session) error { return kill(open.ID(), id) }, done)
}

// Stop asks the agent to stop a command that it runs itself, and calls done with the error.
func (c Commands) Stop(id string, done func(error)) {
	c.s.set(func(ctx context.Context, open *acpclient.Session) error { return open.CancelTerminal(ctx, id) }, done)
}

// StopTool asks the agent to stop one tool call, and calls done with the error.
func (c Commands) StopTool(id string, done func(error)) {
	c.s.set(func(ctx context.Context, open *acpclient.Session) error { return open.CancelTool(ctx, id) }, done)
}
