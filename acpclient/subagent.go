package acpclient

import (
	"fmt"
	"strings"

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

// sessionMessage posts a message between sessions. What a sub-agent is told by the session that has started it
// is a message of its user. Participants come with upserts alone, before, between or after the pieces.
func (s *Session) sessionMessage(u *wire.Update) {
	if s.parent != nil && u.Recipient == s.id && (u.Sender == s.parent.id || u.Sender == "") {
		s.told = u.MessageID
	}
	pieces := u.Kind == wire.SessionMessageChunk
	switch {
	case u.MessageID == s.told && pieces:
		s.chunk(event.User, u)
		return
	case u.MessageID == s.told:
		s.messageReplaced(event.User, u)
		return
	}
	e := event.SessionMessage{For: s.wireContext(), ID: u.MessageID, From: u.Sender, To: u.Recipient}
	blocks := []wire.ContentBlock{u.Content}
	clean := &s.texts.stream(peerText, u.MessageID).clean
	if !pieces {
		if u.Blocks == nil {
			s.post(e)
			return
		}
		blocks, e.Replaces, *clean = *u.Blocks, true, safetext.Stream{}
	}
	var text strings.Builder
	for _, b := range blocks {
		if b.Type == "text" {
			text.WriteString(clean.Write(b.Text))
		} else {
			text.WriteString("[" + safetext.Line(b.Type, 40) + "]")
		}
	}
	e.Text = text.String()
	s.post(e)
}

// subagentState reports the state that a sub-agent reports itself in the session that started it.
func (s *Session) subagentState(u wire.StateUpdate) {
	state := safetext.Line(u.State, 60)
	s.post(event.SubagentChanged{For: event.For{Session: s.parent.id, Wire: s.client.in.span()}, ID: s.id, State: &state, StopReason: safetext.Line(u.StopReason, 60), At: s.client.clock()})
}
