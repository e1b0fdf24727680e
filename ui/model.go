package ui

import (
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
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
	start         *start
	w             *workspace.Workspace
	chat          *chat // the page on the screen
	pages         map[*workspace.Session]*chat
	starting      *workspace.Agent          // the one of the connecting page
	login         *picker                   // its ways to log in, while they are offered there
	saidText      map[*workspace.Agent]bool // that it gets no files
	overview      *picker                   // the list of sessions, while it is open
	ended         bool                      // something has ended that can be long
	quitting      bool
	quitArmed     time.Time // ctrl+c on an empty composer came then
	focused       bool      // the terminal has the focus
	focusKnown    bool      // it reports that
	mouseOff      bool      // the mouse is the terminal's
	lastInput     time.Time // of a key, a paste or the mouse
	deaf          time.Time // keys are dropped until then: they were typed for a command
	notified      time.Time

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
	last    drawing // drawn last
	draws   int     // views that did work, for tests
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
	if advice := m.opts.Advice; advice != nil {
		cmds = append(cmds, func() tea.Msg {
			if line := advice(); line != "" {
				return adviceMsg(line)
			}
			return nil
		})
	}
	return tea.Batch(append(cmds, m.sweep(), m.notices(), m.sync())...)
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

// leave gives up the start of an agent. A page that was made for it goes away.
func (m *Model) leave() {
	m.starting.Leave()
	m.starting, m.login = nil, nil
	m.start.list.SetFilter("")
	m.page = startPage
}

// back leaves the start screen for the page it was opened from; false where
// there is none.
func (m *Model) back() bool {
	if !m.canGoBack() {
		return false
	}
	if m.chat.Blank() {
		m.w.Remove(m.chat.Session)
	}
	m.page = chatPage
	return true
}

// canGoBack tells whether the start screen was opened from a page.
func (m *Model) canGoBack() bool { return len(m.w.Sessions()) > 1 || !m.chat.Blank() }

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
	if m.dirty {
		m.dirty, m.drawn = false, m.Now()
		m.draws++
		m.last = m.draw()
	}
	return m.last.view
}

// draw draws the screen as it is.
func (m *Model) draw() drawing {
	if m.inlined() || m.quitting && m.inline.on && m.inline.screen != nil {
		return m.inlineDrawing()
	}
	v := tea.View{AltScreen: true, ReportFocus: true, WindowTitle: m.titleOf(), ProgressBar: m.progress()}
	if !m.mouseOff && !m.inline.on {
		v.MouseMode = tea.MouseModeCellMotion
	}
	var rows []string
	var on onScreen
	switch {
	case m.width == 0 || m.height == 0:
	case m.quitting:
		rows = []string{widget.Truncate(m.Theme.Dim.Paint("ending "+m.names()+"…"), m.width, "…")}
	case m.width < 20 || m.height < 6:
		rows = []string{widget.Truncate("too small: parley wants 20 by 6", m.width, "")}
	case m.page == startPage:
		rows, v.Cursor = m.start.rows(m)
	case m.page == connectingPage:
		rows, v.Cursor, on = m.connecting()
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
			return m.chat.commandWord(a)
		}
	}
	return "none"
}
