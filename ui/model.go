package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/text"
	"parley/internal/tty"
	"parley/ui/inline"
	"parley/ui/page"
	"parley/ui/start"
	"parley/ui/status"
)

// Model is the root model. Everything below it is a plain struct, used on the same goroutine.
type Model struct {
	page.Screen
	pages

	colours
	width, height int
	start         *start.Agents
	resting       resting
	notifier      *status.Notifier
	shownDir      string     // the directory that the terminal was told
	reviewed      *page.Page // the page in front, if its review was open

	painter   painter // nil: nobody looks
	terminals *terminals
	inline    *inline.Scrollback

	timers timers
	frames
}

// painter shows views. It is an interface so that tests have terminals that need no goroutine.
type painter interface {
	Show(v tea.View, urgent bool)
	SetTerminal(terminal tty.Profile)
	Detach()
	Attach(terminal tty.Profile)
}

// closedMsg says that everything that was started has ended.
type closedMsg struct{}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	m.requested = m.Options.Theme == "" || m.Options.Theme == "auto"
	cmds := []tea.Cmd{m.terminals.begin(m), m.Store.LoadHistory()}
	if m.Options.Start != "" {
		m.Workspace.Start(m.Workspace.Spec(m.Options.Start))
	} else {
		cmds = append(cmds, m.start.Open())
	}
	return tea.Batch(append(cmds, status.Listen(m.Workspace.Context(), m.notify, m.Options.Notices), m.sync())...)
}

// View implements tea.Model. It returns the same view until something changes.
func (m *Model) View() tea.View {
	if m.dirty && !m.terminals.away {
		m.dirty, m.drawn = false, m.Now()
		m.draws++
		m.last = m.draw()
	}
	return m.last.view
}

// draw draws the screen as it is.
func (m *Model) draw() drawing {
	if m.inlined() || m.Quitting && m.inline.Writes() {
		return m.inlineDrawing()
	}
	v := tea.View{AltScreen: true, ReportFocus: true}
	v.WindowTitle, v.ProgressBar = m.outside()
	if !m.Mouse.Off() && !m.inline.On() {
		v.MouseMode = tea.MouseModeCellMotion
	}
	var rows []string
	var on []page.Shown
	switch {
	case m.width == 0 || m.height == 0:
	case m.Quitting:
		rows = []string{text.Truncate(m.Theme.Dim.Paint("Ending "+strings.Join(m.Workspace.Names(), ", ")+"…"), m.width, "…")}
	case m.width < 20 || m.height < 6:
		rows = text.Wrap("Window too small (20×6 needed)", m.width)
		rows = rows[:min(len(rows), m.height)]
	case m.Choosing:
		rows, v.Cursor = m.start.Rows(m.width, m.height)
		on = make([]page.Shown, 1)
		on[0].Saw(m.start, m.width, m.height)
	default:
		rows, v.Cursor, on = m.pageRows()
	}
	v.Content = strings.Join(rows, "\n")
	return drawing{view: v, on: on}
}
