package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/thread"
	"parley/internal/tty"
	"parley/ui/page"
)

// unwritten returns the rows to write to the scrollback after the screen has ended.
func (m *Model) unwritten() []string {
	if c := m.Front; m.inline.On() && m.conversing() && m.width > 0 && c.Thread.State != thread.Loading {
		return m.inline.Last(c.InScrollback(m.width))
	}
	return nil
}

// inlined reports whether the conversation is in the terminal's own screen now.
func (m *Model) inlined() bool {
	return m.inline.Writes() && m.conversing() && m.width >= 20 && m.height >= 6 && !m.Front.NeedsScreen(m.height)
}

// write writes the finished part of the conversation to the scrollback.
func (m *Model) write() tea.Cmd {
	if m.terminals.away || !m.inlined() {
		return nil
	}
	if m.Front.Thread.State == thread.Loading {
		m.inline.Hold()
		return nil
	}
	wrote, more := m.inline.Write(m.Front.InScrollback(m.width))
	m.dirty = m.dirty || wrote
	if more {
		return func() tea.Msg { return page.Refresh{} }
	}
	return nil
}

// inlineDrawing draws the live part.
func (m *Model) inlineDrawing() drawing {
	var on []page.Shown
	v := tea.View{ReportFocus: true}
	v.WindowTitle, v.ProgressBar = m.outside()
	rows := []string{m.Theme.Dim.Paint("Ending " + strings.Join(m.Workspace.Names(), ", ") + "…")}
	if !m.Quitting {
		live, cursor, shown := m.Front.Live(m.width, m.height, m.around(division{}))
		rows, v.Cursor, on = live, cursor, []page.Shown{shown}
	}
	v.Content = strings.Join(rows, "\n")
	return drawing{view: v, on: on}
}

func (m *Model) toggleInline() tea.Cmd {
	m.Front.Say(m.inline.Toggle())
	if m.inline.On() {
		return tea.Raw(tty.AskName)
	}
	return nil
}
