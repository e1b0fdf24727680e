package workspace

import (
	"parley/acpclient/event"
	"parley/permissions"
)

// Answer answers the open question with that key, which an event has reported. The methods below are those
// of permissions.Broker.
func (s *Session) Answer(key uint64, option string) error { return s.broker.Answer(key, option) }

// AnswerWith answers with another text for a write.
func (s *Session) AnswerWith(key uint64, option, text string) error {
	return s.broker.AnswerWith(key, option, text)
}

// AnswerAttended allows a command once, with the user's keyboard.
func (s *Session) AnswerAttended(key uint64, option string) error {
	return s.broker.AnswerAttended(key, option)
}

// Reject rejects what is asked.
func (s *Session) Reject(key uint64) error { return s.broker.Reject(key) }

// CancelQuestion answers with none of the options.
func (s *Session) CancelQuestion(key uint64) { s.broker.Cancel(key) }

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

// LendsKeyboard reports whether commands that parley runs for the agent can have the user's keyboard: only
// then Attended, Attach and TakeOver may be called.
func (s *Session) LendsKeyboard() bool {
	return s.acp != nil && s.Agent.conn != nil && s.Agent.conn.Attach != nil
}

// Attended reports whether a command has a terminal of its own.
func (s *Session) Attended(id string) bool { return s.Agent.conn.Attended(s.acp.ID(), id) }

// Attach returns a Command that gives a command the user's terminal; line is the command's name for
// display. It returns nil when the command ends, or ErrTakenBack.
func (s *Session) Attach(id, line string) Command { return s.Agent.conn.Attach(s.acp.ID(), id, line) }

// TakeOver returns a function that restarts a command in a terminal of its own. It may be called on any
// goroutine, and may take seconds.
func (s *Session) TakeOver(id string) func() error {
	take, session := s.Agent.conn.TakeOver, s.acp.ID()
	return func() error { return take(session, id) }
}
