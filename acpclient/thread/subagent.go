package thread

import (
	"cmp"
	"strings"
	"time"

	"parley/acpclient/event"
)

// Subagent is a session that the agent has started itself, in the thread of the session that started it.
type Subagent struct {
	ID                 string
	Title, Description string
	// Thread is its conversation. Its sub-agents are in the same Family.
	Thread *Thread

	Cancelable     bool      // Session.CancelSubagent may be used
	Started, Ended time.Time // Ended is zero while it runs; both are if the agent has not said

	item        *Item // its line in the thread of the session that started it
	state, ends string
}

// subagentStates describe what a subagent does. An idle one has stopped for a reason.
var subagentStates = map[string]string{"running": "running", "requires_action": "waiting", "idle": "idle", "end_turn": "done", "cancelled": "cancelled", "error": "failed"}

// State describes what it does or how it has ended; "" if that is unknown.
func (s *Subagent) State() string {
	state := s.state
	if state == "idle" && s.ends != "" {
		state = s.ends
	}
	if word := subagentStates[state]; word != "" {
		return word
	}
	return state
}

// Runs reports whether it works or waits for an answer, as far as the agent has said.
func (s *Subagent) Runs() bool { return s.state == "running" || s.state == "requires_action" }

// Doing returns the last thing that it did or said; nil if there is none.
func (s *Subagent) Doing() *Item {
	for i := len(s.Thread.Items) - 1; i >= 0; i-- {
		switch it := s.Thread.Items[i]; it.Kind {
		case AgentMessage, ThoughtMessage, ToolCall:
			return it
		}
	}
	return nil
}

// Duration returns how long it has been running since it last began; 0 if that is not known.
func (s *Subagent) Duration(now time.Time) time.Duration {
	if !s.Ended.IsZero() {
		now = s.Ended
	}
	if s.Started.IsZero() {
		return 0
	}
	return now.Sub(s.Started)
}

// Label returns its title and its description.
func (s *Subagent) Label() string {
	if s.Description == "" {
		return s.Title
	}
	if s.Title == "" {
		return s.Description
	}
	return s.Title + " (" + s.Description + ")"
}

// Name returns its title, or what stands for it.
func (s *Subagent) Name() string {
	if s.Title == "" {
		return "sub-agent"
	}
	return "sub-agent " + s.Title
}

// family is what the thread of a session shares with those of its sub-agents, however deep.
type family struct {
	byID    map[string]*Subagent
	all     []*Subagent // in the order in which they were announced
	answers []answer    // of the user, to any of them
}

// Subagent returns the sub-agent with this id, nil if there is none.
func (t *Thread) Subagent(id string) *Subagent { return t.family.byID[id] }

// Subagents returns the sub-agents of the session and theirs, in the order in which they were announced.
func (t *Thread) Subagents() []*Subagent { return t.family.all }

// threads returns the thread and those of its sub-agents.
func (t *Thread) threads() []*Thread {
	out := []*Thread{t}
	for _, s := range t.family.all {
		out = append(out, s.Thread)
	}
	return out
}

// Of returns the thread of a sub-agent of the session, or t if s is nil.
func (t *Thread) Of(s *Subagent) *Thread {
	if s == nil {
		return t
	}
	return s.Thread
}

// Parent returns the id of the session that has started it.
func (s *Subagent) Parent() string { return s.of().Session }

// Depth returns how many sub-agents are between it and the session.
func (s *Subagent) Depth() (n int) {
	for t := s.of(); t.parent != nil; t = t.parent {
		n++
	}
	return n
}

// Place returns the index of the line in the root's thread that stands for the sub-agent.
func (s *Subagent) Place() int {
	for s.of().parent != nil {
		s = s.of().family.byID[s.of().Session]
	}
	return s.item.Index
}

// Calls returns the items of all tool calls of the session and then of its sub-agents, with the sub-agent,
// nil for the session itself.
func (t *Thread) Calls(yield func(*Subagent, *Item) bool) {
	for i, of := range t.threads() {
		var s *Subagent
		if i > 0 {
			s = t.family.all[i-1]
		}
		for _, it := range of.Items {
			if it.Tool != nil && !yield(s, it) {
				return
			}
		}
	}
}

// applySubagent applies an event of a sub-agent to its thread. What it says about the turn, the history and
// the user's decisions holds for the whole session.
func (t *Thread) applySubagent(s *Subagent, e event.Event) {
	child := s.Thread
	child.Turn, child.loading, child.history = t.Turn, t.loading, t.history
	child.Apply(e)
	switch e := e.(type) {
	case event.PermissionRequested:
		t.questions[e.Key] = e.Wire
	case event.PermissionAnswered:
		asked := t.questions[e.Key]
		delete(t.questions, e.Key)
		e.Subject = s.Name() + ": " + e.Subject
		t.add(&Item{Kind: Decision, Answer: &e, At: e.At}).from(asked)
	}
	for up := s; up != nil; up = t.Subagent(up.of().Session) {
		up.of().line(up)
	}
	t.updateState()
}

// of returns the thread of the session that has started it.
func (s *Subagent) of() *Thread { return s.Thread.parent }

// subagent keeps one line for each subagent, where it first appeared.
func (t *Thread) subagent(e event.SubagentChanged) {
	s := t.family.byID[e.ID]
	if s == nil {
		s = &Subagent{ID: e.ID, Thread: New(e.ID), item: t.add(&Item{Kind: Notice, At: e.At})}
		s.item.Subagent = s
		s.Thread.family, s.Thread.parent, s.Thread.separate = t.family, t, true
		t.family.byID[e.ID] = s
		t.family.all = append(t.family.all, s)
	}
	set(&s.Title, e.Title)
	set(&s.Description, e.Description)
	set(&s.Cancelable, e.Cancelable)
	if e.State != nil {
		s.changeState(*e.State, e.StopReason, e.At)
	}
	s.item.from(e.Wire)
	s.of().line(s)
}

// changeState applies a report of the state. A state that is repeated is no second start or end.
func (s *Subagent) changeState(state, ends string, at time.Time) {
	ran := s.Runs()
	s.state, s.ends = cmp.Or(state, "unknown"), ends
	switch {
	case s.Runs() && !ran:
		s.Started, s.Ended = at, time.Time{}
	case ran && !s.Runs():
		s.Ended = at
	}
	if s.state == "idle" {
		s.Thread.giveUp(ends == "cancelled")
	}
	s.Thread.running, s.Thread.waits = s.Runs(), state == "requires_action"
	s.Thread.updateState()
}

// disconnected ends what is known of it: nobody says any longer when it ends.
func (s *Subagent) disconnected() {
	if s.Runs() {
		s.changeState("unfinished", "", time.Time{})
		s.Started = time.Time{}
		s.of().line(s)
	}
}

// line writes the line of a sub-agent of this session, whose row also shows what it does.
func (t *Thread) line(s *Subagent) {
	line := strings.TrimSpace("sub-agent " + s.Label())
	if state := s.State(); state != "" {
		line += ": " + state
	}
	if unasked := s.Thread.Unasked + s.Thread.RanDenied; unasked > 0 {
		line += ", ⚠ ran without asking: see /trust"
	}
	s.item.Text = []byte(line)
	t.touch(s.item)
}
