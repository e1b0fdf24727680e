package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

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
	return tea.Batch(append(cmds, m.rested())...)
}

// flood is how many bytes at once are more than a reader can follow.
const flood = 64 << 10

// calm is how long the colours of code wait while more comes than that: what they
// are for is not in sight any more when they are there.
const calm = 100 * time.Millisecond
