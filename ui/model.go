package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
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
	opts  Options
	queue *acpclient.Queue // of the connection of the moment
	over  chan struct{}    // closed when another one takes its place
	log   *acpclient.Log
	th    *theme.Theme
	dark  bool
	now   func() time.Time

	width, height int
	page          page
	start         *start
	chat          *chat           // the one on the screen
	chats         []*chat         // all open sessions
	pending       *chat           // the one whose session has no id yet
	gone          map[string]bool // sessions whose page is gone; late events are nobody's
	kept          []acpclient.Listed
	overview      *picker // the list of sessions, while it is open
	login         *picker // on the connecting page
	loggingIn     string  // the way under way
	cancelLogin   context.CancelFunc
	agent         Agent // the one chosen
	conns         *connections
	conn          *Connection
	cancelConnect context.CancelFunc
	connectedAt   time.Time // when connecting began
	connectErr    error
	quitting      bool
	quitArmed     time.Time // ctrl+c on an empty composer came then
	focused       bool

	ticking bool
	last    time.Time // when the last portion of events was handed over

	dirty bool
	view  tea.View
	draws int // views that did work, for tests
}

// Messages of the model's own commands.
type (
	eventsMsg struct {
		from   *acpclient.Queue
		events []acpclient.Event
	}
	tickMsg      time.Time
	connectedMsg struct {
		from *acpclient.Queue
		conn *Connection
		err  error
	}
	closedMsg  struct{}
	refreshMsg struct{} // something that was only for a while is over
)

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	var cmds []tea.Cmd
	if m.opts.Theme == "" || m.opts.Theme == "auto" {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	if m.page == connectingPage {
		cmds = append(cmds, m.connect())
	}
	return tea.Batch(cmds...)
}

// listen waits for events and hands over all that wait, at most once a frame.
// Exactly one of it is under way for the connection of the moment; it ends when
// another connection takes its place.
func (m *Model) listen() tea.Cmd {
	last, queue, over := m.last, m.queue, m.over
	return func() tea.Msg {
		select {
		case <-queue.Ready():
		case <-over:
			return nil
		}
		if rest := frame - time.Since(last); rest > 0 {
			time.Sleep(rest)
		}
		return eventsMsg{queue, queue.Take()}
	}
}

// tick moves clocks and spinners. It runs only while something does.
func (m *Model) tick() tea.Cmd {
	if m.ticking {
		return nil
	}
	m.ticking = true
	return tea.Tick(200*time.Millisecond, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// later makes the screen look again, when something shown for a while is over.
func later(d time.Duration) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return refreshMsg{} })
}

// begin starts the agent with this name.
func (m *Model) begin(name string) {
	for _, a := range m.opts.Agents {
		if a.Name == name {
			m.agent = a
		}
	}
	m.page, m.connectErr, m.connectedAt, m.dirty = connectingPage, nil, m.now(), true
	// What an earlier connection still has to say is nobody's any more.
	close(m.over)
	m.over = make(chan struct{})
	m.queue = acpclient.NewQueue()
	if m.cancelLogin != nil {
		m.cancelLogin()
	}
	m.login, m.loggingIn, m.cancelLogin, m.kept, m.gone = nil, "", nil, nil, map[string]bool{}
	m.chats = []*chat{m.chat} // the others belonged to what is gone
	m.chat.fresh()
	m.pending = m.chat
}

// restart starts the agent of the moment again and ends the one before.
func (m *Model) restart() tea.Cmd {
	old := m.conn
	m.conn = nil
	m.begin(m.agent.Name)
	return tea.Batch(m.connect(), m.end(old))
}

// connect runs the start of an agent.
func (m *Model) connect() tea.Cmd {
	ctx, cancel := context.WithCancel(m.conns.ctx)
	m.cancelConnect = cancel
	agent, queue := m.agent, m.queue
	start := func() tea.Msg {
		conn, err := m.conns.start(ctx, agent, m.opts.Connect, queue, m.log)
		return connectedMsg{queue, conn, err}
	}
	return tea.Batch(m.listen(), start, m.tick())
}

// connected shows the chat, or why there is none.
func (m *Model) connected(msg connectedMsg) tea.Cmd {
	if msg.from != m.queue || m.page == startPage { // given up in the meantime
		return m.end(msg.conn)
	}
	m.dirty = true
	m.cancelConnect = nil
	if m.quitting {
		return nil // quit ends it
	}
	m.conn = msg.conn
	if msg.err != nil {
		m.connectErr = msg.err
		if msg.conn != nil && wantsLogin(msg.err) {
			m.login = m.loginPicker(msg.conn)
		}
		return nil
	}
	m.pending = nil
	m.page = chatPage
	m.chat.attach(msg.conn)
	if info := msg.conn.Client.Agent(); m.agent.Custom && info.Name+info.Title != "" {
		if m.agent.Title = info.Title; info.Title == "" {
			m.agent.Title = info.Name
		}
	}
	if prompt := m.opts.Prompt; prompt != "" {
		m.opts.Prompt = ""
		return m.chat.prompt(prompt)
	}
	return nil
}

// end closes a connection that is no longer needed.
func (m *Model) end(conn *Connection) tea.Cmd {
	return func() tea.Msg { m.conns.end(conn); return nil }
}

// quit ends the program once what was started is gone.
func (m *Model) quit() tea.Cmd {
	m.quitting, m.dirty = true, true
	if m.cancelConnect != nil {
		m.cancelConnect()
	}
	return func() tea.Msg {
		m.conns.endAll()
		return closedMsg{}
	}
}

// View implements tea.Model. It returns the same view until something changed.
func (m *Model) View() tea.View {
	if !m.dirty {
		return m.view
	}
	m.dirty = false
	m.draws++
	v := tea.View{AltScreen: true, ReportFocus: true, MouseMode: tea.MouseModeCellMotion, WindowTitle: m.title()}
	var rows []string
	switch {
	case m.width == 0 || m.height == 0:
	case m.quitting:
		rows = []string{m.th.Dim.Paint("ending " + m.agent.Name + "…")}
	case m.width < 20 || m.height < 6:
		rows = []string{widget.Truncate("too small: parley wants 20 by 6", m.width, "")}
	case m.page == startPage:
		rows, v.Cursor = m.start.rows(m)
	case m.page == connectingPage:
		rows, v.Cursor = m.connecting()
	default:
		rows, v.Cursor = m.chat.rows(m.width, m.height)
	}
	v.Content = strings.Join(rows, "\n")
	m.view = v
	return v
}

func (m *Model) title() string {
	switch {
	case m.page != chatPage:
		return "parley"
	case m.chat.thread.Title != "":
		return m.chat.thread.Title + " - parley"
	}
	return m.agentName() + " - parley"
}

// agentName is what the agent is called on the screen: the name the user chose
// it by, or what it calls itself where the user only typed a command.
func (m *Model) agentName() string {
	if m.agent.Custom {
		return m.agent.Title
	}
	return m.agent.Name
}
