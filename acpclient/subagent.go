package acpclient

import (
	"fmt"

	"parley/acpclient/event"
	"parley/acpclient/wire"
	"parley/internal/safetext"
)

// A sub-agent is a session that the agent has started itself. A subagent_update of the session that
// started it announces it, and its own updates and requests bear its id. Nothing is ever sent for it but a cancel
// that it allows.
// What it asks is asked in the session at the root, whose rules, mode and answers hold for it.

// subagentChanged serves subagent_update. Updates of the sub-agent that arrived before are posted after
// its announcement. Reader goroutine only.
func (s *Session) subagentChanged(u wire.Subagent) {
	c := s.client
	child, early := c.sessions.subagent(s, u)
	if child == nil {
		c.problem("a sub-agent that cannot be used, its id is another session's or there are too many: "+u.ID, nil)
		return
	}
	if u.Title != nil {
		child.title = safetext.Line(*u.Title, maxTitle)
	}
	e := event.SubagentChanged{For: s.wireContext(), ID: u.ID, Title: line(u.Title, maxTitle), Description: line(u.Description, maxTitle), At: c.clock()}
	if u.State != nil {
		e.State, e.StopReason = line(&u.State.State, 60), safetext.Line(u.State.StopReason, 60)
	}
	if e.State != nil && *e.State == "idle" {
		child.texts.endUnnamed()
	}
	if u.Can != nil {
		e.Cancelable = &u.Can.Cancel
		child.stoppable.Store(u.Can.Cancel)
	}
	s.post(e)
	c.updatedEarly(early)
}

// CancelSubagent stops what a sub-agent of the session does, if the agent allows that: session/cancel with its
// id. Its state says when it has stopped.
func (s *Session) CancelSubagent(id string) error {
	child := s.client.sessions.session(id)
	if child == nil || child.parent == nil || child.root() != s || !child.stoppable.Load() {
		return fmt.Errorf("stop the sub-agent: %w", ErrUnsupported)
	}
	return s.client.peer.Notify("session/cancel", wire.SessionRef{SessionID: id})
}

// root returns the session that the user has opened: s, or the one whose sub-agent s is.
func (s *Session) root() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// sessionMessage posts what a sub-agent was told as a message of its user. Its sender shows the same message,
// and the recipient's answer, in its own words.
func (s *Session) sessionMessage(u *wire.Update) {
	switch {
	case s.parent == nil || u.Recipient != s.id:
	case u.Kind == wire.SessionMessageChunk:
		s.chunk(event.User, u)
	default:
		s.messageReplaced(event.User, u)
	}
}

// subagentState reports the state that a sub-agent reports itself in the session that started it.
func (s *Session) subagentState(u wire.StateUpdate) {
	state := safetext.Line(u.State, 60)
	s.post(event.SubagentChanged{For: event.For{Session: s.parent.id, Wire: s.client.in.span()}, ID: s.id, State: &state, StopReason: safetext.Line(u.StopReason, 60), At: s.client.clock()})
}
