package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
)

// SweepAfter is how long after the start it is looked for what others have left:
// first of all the screen is to be there, and the agent.
const SweepAfter = time.Second

// noticePause is how long a line waits until it is seen again whether it can be said.
const noticePause = time.Second

// adviceMsg is the line of Options.Advice.
type adviceMsg string

func (msg adviceMsg) handle(m *Model) tea.Cmd {
	m.chat.Agent.Log.Add(event.LogClient, string(msg)) // where it can be read again
	return m.chat.say(string(msg))
}

// noticedMsg is a line from behind the screen; "" for none.
type noticedMsg struct {
	line string
	more bool // it is one of Notices
}

// sweep looks for what others have left, on a goroutine of its own.
func (m *Model) sweep() tea.Cmd {
	swept := m.opts.Swept
	if swept == nil {
		return nil
	}
	ctx := m.w.Context()
	return tea.Tick(SweepAfter, func(time.Time) tea.Msg { return noticedMsg{line: swept(ctx)} })
}

// notices waits for the next line.
func (m *Model) notices() tea.Cmd {
	lines := m.opts.Notices
	if lines == nil {
		return nil
	}
	ctx := m.w.Context()
	return func() tea.Msg {
		select {
		case line := <-lines:
			return noticedMsg{line, true}
		case <-ctx.Done():
			return nil
		}
	}
}

// handle says the line, once there is a page to say it on where nothing else is being
// said.
func (msg noticedMsg) handle(m *Model) tea.Cmd {
	switch {
	case m.quitting:
		return nil
	case msg.line == "":
	case m.page != chatPage || m.chat.toast != "" && m.Now().Before(m.chat.toastUntil):
		return tea.Tick(noticePause, func(time.Time) tea.Msg { return msg })
	}
	var next tea.Cmd
	if msg.more {
		next = m.notices()
	}
	if msg.line == "" {
		return next
	}
	m.chat.Agent.Log.Add(event.LogClient, msg.line) // where it can be read again
	return tea.Batch(m.chat.say(msg.line), next)
}
