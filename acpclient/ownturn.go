package acpclient

import "parley/acpclient/event"

// In v1 a turn is a prompt and its answer, so nothing in the protocol says that an agent works without
// one, such as claude when a background task has ended. What such an agent says outside a turn begins
// one; a usage_update with its origin ends it. Agents that do not mark the end begin none: it would
// hold the user's prompts forever.

// ownTurn is the state of a turn that an agent of v1 has begun by itself.
type ownTurn int

const (
	noOwnTurn ownTurn = iota
	ownTurnRunning
	ownTurnStopped // the user has stopped it; the agent may still say something before its mark
)

// origins are the kinds of work that claude begins by itself.
var origins = map[string]bool{"task-notification": true, "peer": true, "coordinator": true, "observer": true, "observer-activity": true}

// contentArrived begins a turn for what the agent says outside one. Reader goroutine only.
func (s *Session) contentArrived() {
	if !s.client.quirk.marksOwnTurns || s.parent != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running || s.ended || s.reopening || s.own != noOwnTurn {
		return
	}
	s.running, s.cancelled, s.own = true, false, ownTurnRunning
	s.beginTurn() // the content is here already: nothing waits for it
	s.post(event.TurnStarted{For: s.wireContext(), At: s.client.clock(), ByItself: true})
}

// ownTurnEnded ends the turn that the agent began by itself, if origin is its mark. Reader goroutine only.
func (s *Session) ownTurnEnded(origin string) {
	if !origins[origin] {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.own
	s.own = noOwnTurn
	if was == ownTurnRunning {
		s.endUnnamedTexts()
		s.endOwnTurn(s.wireContext(), "end_turn", origin)
	}
}

// ownTurnCancelled ends such a turn after a session/cancel, which no answer follows. It needs mu.
func (s *Session) ownTurnCancelled() {
	if s.own == ownTurnRunning {
		s.own = ownTurnStopped
		s.endOwnTurn(s.localContext(), "cancelled", "")
	}
}

// endOwnTurn needs mu.
func (s *Session) endOwnTurn(in event.For, reason, origin string) {
	s.running, s.cancelled = false, false
	s.endTurn()
	s.post(event.TurnEnded{For: in, StopReason: reason, Origin: origin, At: s.client.clock()})
}
