package ui

import (
	"cmp"
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/workspace"
	"parley/ui/intent"
)

// link is one agent of the screen: its connection, or the attempt at one, or
// what is left of it. Several may live side by side, each with sessions, events
// and a log of its own.
type link struct {
	m     *Model
	agent workspace.Spec // the one chosen; zero before that
	queue *event.Queue   // of the connection of the moment
	over  chan struct{}  // closed when another one takes its place
	log   *event.Log
	last  time.Time // when the last portion of events was handed over

	conn          *workspace.Connection // nil while there is none
	cancelConnect context.CancelFunc
	connectedAt   time.Time // when connecting began
	connectErr    error
	backoff       reopen.Backoff
	retryAt       time.Time         // when the next one comes; zero: none does
	redialing     bool              // one is under way
	lastErr       error             // how the last one ended
	logged        *workspace.Logged // what is left of the session that could not be opened

	pending *chat           // the page whose session has no id yet
	gone    map[string]bool // sessions whose page is gone; late events are nobody's
	kept    []acpclient.Listed

	login       *picker // on the connecting page
	used        bool    // the agent was told to log in with the variables it was given
	toldText    bool    // that it gets no files was said
	loggingIn   string  // the way under way
	loginLine   int     // how many lines the log had when that began
	cancelLogin context.CancelFunc
}

func newLink(m *Model) *link {
	return &link{m: m, queue: event.NewQueue(), over: make(chan struct{}), log: event.NewLog(), gone: map[string]bool{}}
}

// name is what the agent is called on the screen: the name the user chose it by,
// or what it calls itself where the user only typed a command.
func (l *link) name() string {
	if l.agent.Custom {
		return l.agent.Title
	}
	return l.agent.Name
}

// live tells whether the agent is there to be talked to.
func (l *link) live() bool {
	if l.conn == nil {
		return false
	}
	for _, c := range l.chats() {
		if c.thread.State == thread.Ended {
			return false
		}
	}
	return true
}

// info is what the agent says of itself; nil while it is not there to be talked to.
func (l *link) info() *acpclient.AgentInfo {
	if !l.live() {
		return nil
	}
	info := l.conn.Client.Agent()
	return &info
}

// chats are the pages of the agent's sessions.
func (l *link) chats() []*chat {
	return slices.DeleteFunc(slices.Clone(l.m.chats), func(c *chat) bool { return c.link != l })
}

// front is the page that speaks for the agent: the one on the screen, if it is
// the agent's.
func (l *link) front() *chat {
	if l.m.chat.link == l {
		return l.m.chat
	}
	if own := l.chats(); len(own) > 0 {
		return own[0]
	}
	return l.m.chat
}

// listen waits for events and hands over all that wait, at most once a frame.
// Exactly one of it is under way for the connection of the moment; it ends when
// another connection takes its place.
func (l *link) listen() tea.Cmd {
	last, queue, over := l.last, l.queue, l.over
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

// forget makes everything that is under way for the agent nobody's.
func (l *link) forget() {
	close(l.over)
	l.over = make(chan struct{})
	l.queue = event.NewQueue()
	if l.cancelConnect != nil {
		l.cancelConnect()
	}
	if l.cancelLogin != nil {
		l.cancelLogin()
	}
	l.cancelConnect, l.cancelLogin = nil, nil
	l.retryAt = time.Time{}
	l.login, l.loggingIn, l.kept, l.gone = nil, "", nil, map[string]bool{}
}

// connect runs the start of the agent. Of its pages the one in front stays, with
// transcript and draft; the sessions of the others are gone with the connection
// before.
func (l *link) connect() tea.Cmd {
	m := l.m
	l.forget()
	m.page, m.starting, m.dirty = connectingPage, l, true
	l.connectErr, l.logged, l.connectedAt, l.used = nil, nil, m.now(), false
	front := l.front()
	for _, c := range l.chats() {
		if c != front {
			front.rescue(c)
		}
	}
	m.chats = slices.DeleteFunc(m.chats, func(c *chat) bool { return c.link == l && c != front })
	front.fresh()
	l.pending = front
	ctx, cancel := context.WithCancel(m.conns.ctx)
	l.cancelConnect = cancel
	agent, queue, log := l.equipped(), l.queue, l.log
	start := func() tea.Msg {
		conn, err := m.conns.start(ctx, agent, m.opts.Connect, queue, log)
		return connectedMsg{queue, conn, err}
	}
	return tea.Batch(l.listen(), start, m.tick())
}

// restart starts the agent again and ends the one before.
func (l *link) restart() tea.Cmd {
	old := l.conn
	l.conn = nil
	return tea.Batch(l.connect(), l.m.end(old))
}

// connected shows the chat, or why there is none.
func (l *link) connected(msg connectedMsg) tea.Cmd {
	m := l.m
	l.cancelConnect = nil
	if m.quitting {
		return nil // quit ends it
	}
	l.conn = msg.conn
	if l.conn != nil {
		if info := l.conn.Client.Agent(); l.agent.Custom && info.Name+info.Title != "" {
			l.agent.Title = cmp.Or(info.Title, info.Name)
		}
	}
	if msg.err != nil {
		l.connectErr = msg.err
		if msg.conn != nil && wantsLogin(msg.err) {
			if cmd, ok := l.useGiven(msg.err); ok {
				return cmd
			}
			l.login = l.loginPicker()
			l.login.unasked = m.now() // an enter that was one too many chooses nothing
			return m.lookAgain(quiet)
		}
		return l.findLog()
	}
	m.opts.Resume = ""
	front := l.front()
	l.pending = nil
	front.attach(msg.conn.Session)
	if m.starting == l {
		m.page, m.starting = chatPage, nil
		m.show(front)
	}
	cmd := front.resume // what was sent before it was open
	if text := m.opts.Prompt; text != "" {
		m.opts.Prompt = ""
		cmd = func() tea.Cmd { return front.prompt(text) }
	}
	if msg.conn.Note != "" {
		return tea.Batch(front.say(msg.conn.Note), cmd())
	}
	return cmd()
}

// route hands an event to the page of its session. The first event of a session
// that is being opened tells which page is its.
func (l *link) route(e event.Event) tea.Cmd {
	id := e.EventSession()
	if id == "" {
		return l.announce(e)
	}
	own := l.chats()
	for _, c := range own {
		if c.thread.Session == id {
			return l.m.deliver(c, e)
		}
	}
	if c := l.pending; c != nil && !l.gone[id] {
		l.pending = nil
		c.thread.Session = id
		return l.m.deliver(c, e)
	}
	return nil
}

// announce hands out what concerns the connection as a whole.
func (l *link) announce(e event.Event) tea.Cmd {
	var cmds []tea.Cmd
	switch e := e.(type) {
	case event.ElicitationCompleted: // of which page, only its key tells
		for _, c := range l.chats() {
			cmds = append(cmds, c.elicitCompleted(e.Key))
		}
		return tea.Batch(cmds...)
	case event.ElicitationSettled: // it may stand on another page than the one in front now
		for _, c := range l.chats() {
			cmds = append(cmds, c.elicitSettled(e.Key))
		}
		return tea.Batch(cmds...)
	case event.Disconnected:
		for _, c := range l.chats() {
			cmds = append(cmds, c.apply(e))
		}
		if l.m.chat.link != l && !l.m.quitting {
			cmds = append(cmds, l.m.chat.say(l.name()+" is gone: "+l.m.label(intent.Sessions)))
		}
		if l.agent.Remote && !l.starting() {
			cmds = append(cmds, l.lost(e.Err))
		}
		return tea.Batch(cmds...)
	}
	return l.m.deliver(l.front(), e)
}
