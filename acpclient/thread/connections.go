package thread

import "slices"

// This file is about what remains of a conversation when it continues on another connection.

// Attach continues with another session. The items remain for reading, but later events
// do not belong to them. The agent knew those from index known on, and a line says that it does not remember them.
func (t *Thread) Attach(session string, known int) {
	t.disconnectCalls()
	fresh := New(session)
	fresh.Items, fresh.Turn, fresh.first, fresh.parted = t.Items, t.Turn, len(t.Items), len(t.Items)
	for it := range t.tools.all(t.Items) {
		it.terminals = t.terminals
	}
	fresh.Title = t.Title
	*t = *fresh
	if slices.ContainsFunc(t.Items[known:], (*Item).said) {
		t.add(&Item{Kind: Notice, Text: []byte(startedAgain)})
	}
}

// First returns the index of the first item of the session. Items before it belong to
// sessions before Attach.
func (t *Thread) First() int { return t.first }

// Revive continues the same session on another connection. What happened in between is
// unknown; note says so, "" adds no line.
func (t *Thread) Revive(note string) {
	t.State, t.Err, t.running, t.cancelled, t.loading, t.history = Idle, nil, false, false, false, false
	clear(t.questions)
	clear(t.holds)
	t.echo = echo{}
	if note != "" {
		t.AddNotice(note, "")
	}
	t.updateState()
}

// startedAgain marks the start of another connection.
const startedAgain = "started again: the agent does not remember what is above"
