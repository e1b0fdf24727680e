package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/tty"
	"parley/ui/panel"
	"parley/ui/question"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/widget/diff"
)

// colours are those that the theme was made for, and whether code is being highlighted.
type colours struct {
	themedFor tty.Colours
	requested bool // the terminal was asked for its background
	colouring bool // a colouredMsg is pending
}

// colouredMsg brings the highlighting of code that was drawn without it.
type colouredMsg struct {
	view     *transcript.View
	diffs    []*transcript.Colouring
	question *question.Question
	asked    []*question.Diff
	found    []*diff.Syntax // for each of asked
}

// colour highlights the code of diffs and messages that has just become visible, one
// portion at a time, off the screen's goroutine. What is visible is known after drawing;
// Bubble Tea gets that view first. During a flood of events it waits, so as not to
// highlight code that scrolls away at once.
func (m *Model) colour() tea.Cmd {
	if m.colouring || m.Quitting || m.Choosing {
		return nil
	}
	if m.flooded {
		m.colouring, m.flooded = true, false
		return tea.Tick(calm, func(time.Time) tea.Msg { return colouredMsg{} })
	}
	var msg colouredMsg
	for _, c := range m.divided().columns {
		msg = colouredMsg{view: c.View, diffs: c.View.Uncoloured(), question: c.Question, asked: c.Question.Uncoloured()}
		if len(msg.diffs)+len(msg.asked) > 0 {
			break
		}
	}
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

// settleTheme applies the theme for the terminal and the user's choice. While the list of
// themes is open, that is the one under the cursor.
func (m *Model) settleTheme() {
	name := m.Options.Theme
	if l := m.Front.Panels.ListOf(intent.Theme); l != nil && m.conversing() {
		if it, ok := l.List.Selected(); ok {
			name = it.Value.(string)
		}
	}
	on := m.Options.Terminal.Colours
	if theme.Resolve(name, on) == m.Theme.Name && m.themedFor == on {
		return
	}
	m.Theme, m.themedFor, m.dirty = theme.For(name, on), on, true
	for _, c := range m.chats() {
		c.SetTheme(m.Theme)
	}
}

// showThemes lists the themes. The one under the cursor is applied at once; enter keeps it
// until parley ends, esc restores the previous one.
func (m *Model) showThemes() tea.Cmd {
	m.Front.Panels.Show(panel.Themes(m.Options.Theme, func(name string) tea.Cmd {
		m.Options.Theme = name
		m.Front.Say(fmt.Sprintf("Set theme = %q in config.toml to keep it", name))
		return nil
	}))
	if !m.requested {
		m.requested = true
		return tea.Raw(tty.AskBackground)
	}
	return nil
}
