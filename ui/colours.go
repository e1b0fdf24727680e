package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/intent"
	"parley/ui/question"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/widget/diff"
)

// colours are what is known of the terminal's, and what is being coloured.
type colours struct {
	terminal  theme.Terminal
	themedFor theme.Terminal // the terminal that the theme was made for
	asked     bool           // the terminal was asked for its background
	colouring bool           // a colouredMsg is under way
}

// colouredMsg brings the colours of code that was drawn without.
type colouredMsg struct {
	view     *transcript.View
	diffs    []*transcript.Colouring
	question *question.Question
	asked    []*question.Diff
	found    []*diff.Syntax // for each of asked
}

// colour looks at the code of diffs and messages that has just come into sight,
// one portion at a time, away from the screen's goroutine. What is in sight is
// known once it was drawn; Bubble Tea gets that same view right after. In a flood
// it waits, so that one core is not kept busy with what nobody sees.
func (m *Model) colour() tea.Cmd {
	if m.colouring || m.quitting || m.page != chatPage {
		return nil
	}
	c := m.chat
	if m.flooded {
		m.colouring, m.flooded = true, false
		return tea.Tick(calm, func(time.Time) tea.Msg { return colouredMsg{} })
	}
	msg := colouredMsg{view: c.view, diffs: c.view.Uncoloured(), question: c.question, asked: c.question.Uncoloured()}
	if len(msg.diffs)+len(msg.asked) == 0 {
		return nil
	}
	m.colouring = true
	return func() tea.Msg {
		for _, d := range msg.diffs {
			d.Run()
		}
		for _, d := range msg.asked {
			msg.found = append(msg.found, d.Highlight())
		}
		return msg
	}
}

func (m *Model) coloured(msg colouredMsg) {
	m.colouring, m.dirty = false, m.dirty || len(msg.diffs)+len(msg.asked) > 0
	for _, d := range msg.diffs {
		msg.view.Coloured(d)
	}
	for i, d := range msg.asked {
		msg.question.Coloured(d, msg.found[i])
	}
}

// settleTheme puts on the theme that the terminal and the user want: while they
// choose one, the one under the cursor.
func (m *Model) settleTheme() {
	name := m.opts.Theme
	if l := m.chat.panels.listOf(intent.Theme); l != nil && m.page == chatPage {
		if it, ok := l.List.Selected(); ok {
			name = it.Value.(string)
		}
	}
	if theme.Resolve(name, m.terminal) == m.Theme.Name && m.themedFor == m.terminal {
		return
	}
	m.Theme, m.themedFor, m.dirty = theme.For(name, m.terminal), m.terminal, true
	for _, c := range m.chats() {
		c.view.SetTheme(m.Theme)
	}
}
