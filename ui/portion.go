package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// maxPortion bounds the bytes of events that one Update hands to the pages. They take about
// two milliseconds, and keys are handled between portions.
const maxPortion = 256 << 10

// events hands a portion of an agent's events to its pages. The rest of the batch returns as
// a message at once; meanwhile the screen is drawn once per frame.
func (m *Model) events(b *workspace.Batch) tea.Cmd {
	if b.Weight() == 0 {
		m.Workspace.Done(b)
		return nil
	}
	m.flooded = m.flooded || b.Weight() >= flood
	var cmds []tea.Cmd
	more := true
	for room := maxPortion; more; {
		weight := b.NextWeight(room)
		if weight > room && room < maxPortion {
			cmds = append(cmds, func() tea.Msg { return resultMsg{b} })
			break
		}
		room -= weight
		more = m.Workspace.Done(b)
		cmds = append(cmds, m.sync())
	}
	for _, c := range m.chats() {
		c.Applied()
	}
	m.dirty = m.dirty || !more || m.Now().Sub(m.drawn) >= frame
	return tea.Batch(append(cmds, m.resting.reportIdle(m.Workspace.Sessions()))...)
}

// flood is a number of bytes in one batch that no reader can follow.
const flood = 64 << 10

// calm is how long highlighting waits during a flood: the code would be out of sight before
// it is ready.
const calm = 100 * time.Millisecond

// resting calls a function when everything that was running has ended.
type resting struct {
	notify func() // may be nil
	ended  bool   // something long has ended since the last check
}

// saw records the end of something that can take long.
func (r *resting) saw(e event.Event) {
	switch e.(type) {
	case event.TurnEnded, event.HistoryEnded, event.Disconnected:
		r.ended = true
	}
}

// reportIdle calls the function if something has ended and nothing is running.
func (r *resting) reportIdle(sessions []*workspace.Session) tea.Cmd {
	ended := r.ended
	r.ended = false
	busy := func(s *workspace.Session) bool {
		return s.Thread.State != thread.Idle && s.Thread.State != thread.Ended
	}
	if r.notify == nil || !ended || slices.ContainsFunc(sessions, busy) {
		return nil
	}
	return func() tea.Msg {
		r.notify()
		return nil
	}
}
