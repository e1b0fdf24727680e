package ui

import (
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
)

// maxPortion bounds the bytes of events that one Update hands to the pages, hardly
// more: what takes about two milliseconds. Keys come in between.
const maxPortion = 256 << 10

// eventWeight is what an event counts for besides its text, in bytes.
const eventWeight = 256

// events hands a portion of an agent's to its pages. It waits for the next one
// once there is no rest; the screen is drawn once a frame meanwhile.
func (m *Model) events(msg eventsMsg) tea.Cmd {
	l := m.linkOf(msg.from)
	if l == nil {
		return nil // of a connection whose place another one has taken
	}
	l.last = m.now()
	events, rest := cutPortion(msg.events, maxPortion)
	cmds := []tea.Cmd{l.listen()}
	if len(rest) > 0 {
		cmds[0] = func() tea.Msg { return eventsMsg{msg.from, rest} }
	}
	for _, e := range events {
		cmds = append(cmds, l.route(e))
	}
	if len(events) > 0 {
		for _, c := range m.chats {
			c.applied()
		}
		m.dirty = m.dirty || len(rest) == 0 || m.now().Sub(m.drawn) >= frame
		m.flooded = m.flooded || weightOf(events) >= flood
	}
	if m.moving() {
		cmds = append(cmds, m.tick())
	}
	return tea.Batch(append(cmds, m.rested(events))...)
}

// cutPortion takes about so many bytes of events, and at least one event or a
// part of it.
func cutPortion(events []event.Event, most int) (portion, rest []event.Event) {
	for i, e := range events {
		if weight(e) <= most {
			most -= weight(e)
			continue
		}
		if head, tail, ok := cutText(e, most); ok {
			rest = append([]event.Event{tail}, events[i+1:]...)
			return append(events[:i:i], head), rest
		}
		i = max(i, 1)
		return events[:i], events[i:]
	}
	return events, nil
}

// weightOf is about how many bytes there are to read in events.
func weightOf(events []event.Event) (n int) {
	for _, e := range events {
		n += weight(e)
	}
	return n
}

func weight(e event.Event) int {
	switch e := e.(type) {
	case event.TextArrived:
		return eventWeight + len(e.Text)
	case event.TerminalOutput:
		return eventWeight + len(e.Data)
	}
	return eventWeight
}

// cutText parts a text behind about so many bytes, between two letters.
func cutText(e event.Event, most int) (head, tail event.Event, ok bool) {
	t, ok := e.(event.TextArrived)
	n := most - eventWeight
	if !ok || t.Role == event.User || n <= 0 {
		return nil, nil, false
	}
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(t.Text[n]); back++ {
		n--
	}
	if n == 0 {
		return nil, nil, false
	}
	first, second := t, t
	first.Text, second.Text = t.Text[:n], t.Text[n:]
	return first, second, true
}

// flood is how many bytes at once are more than a reader can follow.
const flood = 64 << 10

// calm is how long the colours of code wait while more comes than that: what they
// are for is not in sight any more when they are there.
const calm = 100 * time.Millisecond
