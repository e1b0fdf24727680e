package ui

import (
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/workspace"
	"parley/ui/composer"
	"parley/ui/inline"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/mouse"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/widget/text"
)

// page is what the screen shows.
type page int

const (
	startPage page = iota
	connectingPage
	chatPage
)

// Model is the root. Everything below it is a plain struct of the same
// goroutine.
type Model struct {
	layer.Env
	pages
	opts Options

	colours
	width, height int
	page          page
	start         *start.Agents
	chat          *chat            // the page on the screen
	starting      *workspace.Agent // the one of the connecting page
	resting       resting
	quitting      bool
	quitArmed     time.Time // ctrl+c on an empty composer came then
	notifier      *status.Notifier
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
		m.asked = true
		cmds = append(cmds, tea.Raw(ansi.RequestBackgroundColor))
	}
	cmds = append(cmds, m.store.LoadHistory())
	if m.opts.Start != "" {
		m.w.Start(m.w.Spec(m.opts.Start))
	}
	if m.inline.On() {
		cmds = append(cmds, tea.Raw(ansi.RequestNameVersion))
	}
	return tea.Batch(append(cmds, status.Listen(m.w.Context(), speaker{m}, m.opts.Notices), m.sync())...)
}

// quit ends the program once what was started is gone.
func (m *Model) quit() tea.Cmd {
	m.quitting, m.dirty = true, true
	m.w.End()
	return func() tea.Msg {
		m.endAll()
		return closedMsg{}
	}
}

// endAll ends everything that was started, all at once. Any goroutine.
func (m *Model) endAll() {
	var shells sync.WaitGroup
	if m.opts.Shell != nil {
		shells.Go(m.opts.Shell.Close)
	}
	m.w.Close()
	shells.Wait()
}

// left tells what there is to come back to.
func (m *Model) left() Left {
	if !m.chat.Resumable() {
		return Left{}
	}
	return Left{m.chat.Agent.Spec, m.chat.ACP.ID()}
}

// View implements tea.Model. It returns the same view until something changed.
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
	var on onScreen
	switch {
	case m.width == 0 || m.height == 0:
	case m.quitting:
		rows = []string{text.Truncate(m.Theme.Dim.Paint("ending "+strings.Join(m.w.Names(), ", ")+"…"), m.width, "…")}
	case m.width < 20 || m.height < 6:
		rows = []string{text.Truncate("too small: parley wants 20 by 6", m.width, "")}
	case m.page == startPage:
		rows, v.Cursor = m.start.Rows(m.width, m.height)
		on.saw(m.start, m.width, m.height)
	case m.page == connectingPage:
		rows, v.Cursor, on = connecting{m}.rows(m.width, m.height)
	default:
		rows, v.Cursor, on = m.chat.rows(m.width, m.height)
	}
	v.Content = strings.Join(rows, "\n")
	return drawing{view: v, on: on}
}

// label is the first key of an action of the chat page; its command where it has
// no key.
func (m *Model) label(i intent.Intent) string {
	if key := m.Keys.Label(intent.Chat, i); key != "" {
		return key
	}
	for _, a := range intent.Commands() {
		if a.Intent == i {
			return commandWord(a, m.chat.agentHas)
		}
	}
	return "none"
}
