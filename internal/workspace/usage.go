package workspace

import (
	"parley/acpclient/event"
	"parley/internal/memory"
)

// countTokens adds what a turn took to the usage of the day. An error is reported as Said.
func countTokens(s *Session, took *event.TurnUsage) {
	store, agent := s.w.opts.Usage, s.Agent.Spec.Name
	if store == nil || took == nil {
		return
	}
	s.w.begin(func() Result {
		if err := store.Add(agent, *took); err != nil {
			return after(func() { s.Say(err.Error()) })
		}
		return nil
	})
}

// UsageOfToday calls then with what the turns of all sessions took today, by agent.
func (w *Workspace) UsageOfToday(then func([]memory.AgentUsage)) {
	store := w.opts.Usage
	if store == nil {
		return
	}
	w.begin(func() Result {
		today, err := store.Today()
		return after(func() {
			if err != nil {
				w.say(err.Error())
			}
			then(today)
		})
	})
}
