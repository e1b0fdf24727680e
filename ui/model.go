package ui

import (
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/start"
	"parley/ui/status"
	"parley/ui/theme"
	"parley/ui/widget"
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
	opts Options

	terminal  theme.Terminal
	asked     bool    // the terminal was asked for its background
	themes    *picker // the list of themes, while it is open
	colouring bool    // a colouredMsg is under way

	width, height int
	page          page
	start         *start.Agents
	w             *workspace.Workspace
	chat          *chat // the page on the screen
	pages         map[*workspace.Session]*chat
	starting      *workspace.Agent // the one of the connecting page
	overview      *picker          // the list of sessions, while it is open
	ended         bool             // something has ended that can be long
	quitting      bool
	quitArmed     time.Time // ctrl+c on an empty composer came then
	notifier      *status.Notifier
	mouseOff      bool      // the mouse is the terminal's
	deaf          time.Time // keys are dropped until then: they were typed for a command

	inline   inlining
	pictures pictures

	past    past
	drafts  drafts
	runs    []*shellRun // the user's commands that run or wait, of all pages
	lastRun uint64      // key of the newest of all

	ticking bool
	looking bool // a quietMsg is under way

	dirty   bool
	flooded bool // more has come than a reader can follow
	drawn   time.Time
	view    tea.View
	draws   int // views that did work, for tests
}

// Messages of the model's own commands.
type (
	tickMsg   time.Time
	closedMsg struct{}
	quietMsg  struct{} // nothing may have been typed for a while
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.opts.Theme == "" || m.opts.Theme == "auto" {
		m.asked = true
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	cmds = append(cmds, m.loadPast())
	if m.opts.Start != "" {
		m.w.Start(m.w.Spec(m.opts.Start))
	}
	if m.inline.on {
		cmds = append(cmds, tea.RequestTerminalVersion)
	}
	return tea.Batch(append(cmds, status.Listen(m.w.Context(), speaker{m}, m.opts.Notices), m.sync())...)
}

// tick moves clocks and spinners. It runs only while something does.
func (m *Model) tick() tea.Cmd {
	if m.ticking {
		return nil
	}
	m.ticking = true
	return tea.Tick(200*time.Millisecond, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// refreshMsg says that something is over that was shown for a while.
type refreshMsg struct{}

func (refreshMsg) handle(*Model) tea.Cmd { return nil }

// later makes the screen look again, when something shown for a while is over.
func later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return refreshMsg{} })
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
	shells.Go(m.endShells)
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
	if !m.dirty {
		return m.view
	}
	m.dirty, m.drawn = false, m.Now()
	m.draws++
	if m.inlined() || m.quitting && m.inline.on && m.inline.screen != nil {
		m.view = m.inlineView()
		return m.view
	}
	v := tea.View{AltScreen: true, ReportFocus: true}
	v.WindowTitle, v.ProgressBar = m.outside()
	if !m.mouseOff && !m.inline.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	var rows []string
	switch {
	case m.width == 0 || m.height == 0:
	case m.quitting:
		rows = []string{widget.Truncate(m.Theme.Dim.Paint("ending "+m.names()+"…"), m.width, "…")}
	case m.width < 20 || m.height < 6:
		rows = []string{widget.Truncate("too small: parley wants 20 by 6", m.width, "")}
	case m.page == startPage:
		rows, v.Cursor = m.start.Rows(m.width, m.height)
	case m.page == connectingPage:
		rows, v.Cursor = connecting{m}.rows(m.width, m.height)
	default:
		rows, v.Cursor = m.chat.rows(m.width, m.height)
	}
	if m.inlined() { // what was scrolled back to is the end
		m.view = m.inlineView()
		return m.view
	}
	if m.inline.screen != nil {
		m.inline.screen.Hide()
	}
	v.Content = strings.Join(rows, "\n")
	m.view = v
	return v
}

// label is the first key of an action of the chat page; its command where it has
// no key.
func (m *Model) label(i intent.Intent) string {
	if key := m.Keys.Label(intent.Chat, i); key != "" {
		return key
	}
	for _, a := range intent.Commands() {
		if a.Intent == i {
			return m.chat.commandWord(a)
		}
	}
	return "none"
}
