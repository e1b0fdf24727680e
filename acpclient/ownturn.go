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

// contentArrived begins a turn for what the agent says outside one. Reader goroutine only.
func (t *turns) contentArrived() {
	if !t.session.client.quirk.marksOwnTurns || t.session.parent != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running || t.ended || t.reopening || t.own != noOwnTurn {
		return
	}
	t.running, t.cancelled, t.own = true, false, ownTurnRunning
	t.session.beginTurn() // the content is here already: nothing waits for it
	t.session.post(event.TurnStarted{For: t.session.wireContext(), At: t.session.client.clock(), ByItself: true})
}

// ownTurnEnded ends the turn that the agent began by itself, if origin is its mark. Reader goroutine only.
func (t *turns) ownTurnEnded(origin string) {
	if event.OwnTurnReasons[origin] == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.own
	t.own = noOwnTurn
	if was == ownTurnRunning {
		t.session.texts.endUnnamed()
		t.finish(event.TurnEnded{For: t.session.wireContext(), StopReason: "end_turn", Origin: origin})
	}
}

// ownTurnCancelled ends such a turn after a session/cancel, which no answer follows. It needs mu.
func (t *turns) ownTurnCancelled() {
	if t.own == ownTurnRunning {
		t.own = ownTurnStopped
		t.finish(event.TurnEnded{For: t.session.localContext(), StopReason: "cancelled"})
	}
}
