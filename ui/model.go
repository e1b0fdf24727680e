package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/text"
	"parley/ui/composer"
	"parley/ui/inline"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/start"
	"parley/ui/status"
)

// Model is the root model. Everything below it is a plain struct, used on the same goroutine.
type Model struct {
	layer.Env
	pages
	opts Options

	colours
	width, height int
	start         *start.Agents
	choosing      bool  // start is on the screen
	chat          *chat // the page on the screen otherwise
	resting       resting
	asksChanged   bool // on some page
	quitting      bool
	quitArmed     time.Time // when ctrl+c was last pressed, unless another key was since
	notifier      *status.Notifier
	toldDir       string // the directory that the terminal was told
	mouse         *mouse.Mouse
	input         *layer.Input

	screen interface { // shows views; nil: nobody looks
		Show(v tea.View, urgent bool)
	}
	inline *inline.Scrollback
	store  *composer.Store

	timers timers
	frames
}

// Messages of the model's own commands.
type (
	closedMsg struct{}
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.opts.Theme == "" || m.opts.Theme == "auto" {
		m.requested = true
		cmds = append(cmds, tea.Raw(ansi.RequestBackgroundColor))
	}
	cmds = append(cmds, m.store.LoadHistory())
	if m.opts.Start != "" {
		m.w.Start(m.w.Spec(m.opts.Start))
	}
	if m.inline.On() {
		cmds = append(cmds, tea.Raw(ansi.RequestNameVersion))
	}
	return tea.Batch(append(cmds, status.Listen(m.w.Context(), narrator{m}, m.opts.Notices), m.sync())...)
}

// View implements tea.Model. It returns the same view until something changes.
func (m *Model) View() tea.View {
	if m.dirty {
		m.dirty, m.drawn = false, m.Now()
		m.draws++
		m.last = m.draw()
	}
	return m.last.view
}

// draw draws the screen as it is.
func (m *Model) draw() drawing {
	if m.inlined() || m.quitting && m.inline.Writes() {
		return m.inlineDrawing()
	}
	v := tea.View{AltScreen: true, ReportFocus: true}
	v.WindowTitle, v.ProgressBar = m.outside()
	if !m.mouse.Off() && !m.inline.On() {
		v.MouseMode = tea.MouseModeCellMotion
	}
	var rows []string
	var on []onScreen
	switch {
	case m.width == 0 || m.height == 0:
	case m.quitting:
		rows = []string{text.Truncate(m.Theme.Dim.Paint("Ending "+strings.Join(m.w.Names(), ", ")+"…"), m.width, "…")}
	case m.width < 20 || m.height < 6:
		rows = text.Wrap("Window too small (20×6 needed)", m.width)
		rows = rows[:min(len(rows), m.height)]
	case m.choosing:
		rows, v.Cursor = m.start.Rows(m.width, m.height)
		on = []onScreen{{viewed: []viewed{{m.start, m.width, m.height}}}}
	default:
		rows, v.Cursor, on = m.pageRows()
		if side := m.sideWidth(); side > 0 {
			rows = m.beside(rows, m.width-side)
		}
	}
	v.Content = strings.Join(rows, "\n")
	return drawing{view: v, on: on}
}
