package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
)

// maxPortion bounds the bytes of events that one Update hands to the pages, hardly
// more: what takes about two milliseconds. Keys come in between.
const maxPortion = 256 << 10

// events hands a portion of an agent's events to its pages. What is left of the batch
// comes back at once; the screen is drawn once a frame meanwhile.
func (m *Model) events(b *workspace.Batch) tea.Cmd {
	if b.Weight() == 0 {
		m.w.Done(b)
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
		more = m.w.Done(b)
		cmds = append(cmds, m.sync())
	}
	for _, c := range m.chats() {
		c.applied()
	}
	m.dirty = m.dirty || !more || m.Now().Sub(m.drawn) >= frame
	return tea.Batch(append(cmds, m.resting.over(m.w.Sessions()))...)
}

// flood is how many bytes at once are more than a reader can follow.
const flood = 64 << 10

// calm is how long the colours of code wait while more comes than that: what they
// are for is not in sight any more when they are there.
const calm = 100 * time.Millisecond

// resting tells the user of the screen when all that went on is over.
type resting struct {
	told  func() // nil: nobody wants to know
	ended bool   // something that can be long, since the last time that it was looked at
}

// saw notes the end of something that can be long.
func (r *resting) saw(e event.Event) {
	switch e.(type) {
	case event.TurnEnded, event.HistoryEnded, event.Disconnected:
		r.ended = true
	}
}

// over tells it where something has ended and nothing runs any longer.
func (r *resting) over(sessions []*workspace.Session) tea.Cmd {
	ended := r.ended
	r.ended = false
	busy := func(s *workspace.Session) bool {
		return s.Thread.State != thread.Idle && s.Thread.State != thread.Ended
	}
	if r.told == nil || !ended || slices.ContainsFunc(sessions, busy) {
		return nil
	}
	return func() tea.Msg {
		r.told()
		return nil
	}
}
