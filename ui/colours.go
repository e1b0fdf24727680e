package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/ui/question"
	"parley/ui/theme"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// colouredMsg brings the colours of code that was drawn without.
type colouredMsg struct {
	view     *transcript.View
	diffs    []*transcript.Colouring
	question *question.Question
	asked    []*question.Diff
	found    []*widget.Syntax // for each of asked
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

// profile takes how many colours the terminal has.
func (m *Model) profile(msg tea.ColorProfileMsg) {
	if m.opts.NoColor {
		return
	}
	switch msg.String() {
	case "NoTTY", "Ascii":
		m.terminal.Colours = theme.None
	case "ANSI":
		m.terminal.Colours = theme.Sixteen
	default:
		m.terminal.Colours = theme.Many
	}
}

// settleTheme puts on the theme that the terminal and the user want: while they
// choose one, the one under the cursor.
func (m *Model) settleTheme() {
	name := m.opts.Theme
	if p := m.themes; p != nil && m.page == chatPage && m.chat.picker == p {
		if it, ok := p.list.Selected(); ok {
			name = it.Value.(string)
		}
	} else {
		m.themes = nil
	}
	if theme.Resolve(name, m.terminal) == m.Theme.Name {
		return
	}
	m.Theme, m.dirty = theme.For(name, m.terminal), true
	for _, c := range m.chats() {
		c.view.SetTheme(m.Theme)
	}
}

var themeWords = map[string]string{
	"auto": "what the terminal's background and colours ask for", "dark": "for a dark background", "light": "for a light background",
	"contrast-dark": "much contrast, on dark", "contrast-light": "much contrast, on light", "ansi": "the terminal's own 16 colours", "plain": "no colour",
}

// showThemes lists the themes. The one under the cursor is on the screen at once;
// enter keeps it until parley ends, esc goes back to the one before.
func (c *chat) showThemes() tea.Cmd {
	m := c.m
	var items []widget.Item
	at := 0
	for i, name := range theme.Names() {
		hint := ""
		if name == m.opts.Theme || name == "auto" && m.opts.Theme == "" {
			hint, at = "now", i
		}
		items = append(items, widget.Item{Title: name, Detail: themeWords[name], Hint: hint, Value: name})
	}
	list := widget.NewList(items)
	list.Select(at)
	m.themes = &picker{title: "theme", foot: "enter keeps it · esc", list: list, choose: func(it widget.Item) tea.Cmd {
		name := it.Value.(string)
		m.opts.Theme = name
		return c.say(fmt.Sprintf("theme = %q in config.toml keeps it", name))
	}}
	c.picker = m.themes
	if !m.asked {
		m.asked = true
		return tea.RequestBackgroundColor
	}
	return nil
}
