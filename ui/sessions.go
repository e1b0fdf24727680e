package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	chatview "parley/ui/chat"
	"parley/ui/widget"
)

// entry is a session in the overview: one that is open here, or one that the
// agent keeps.
type entry struct {
	chat   *chat
	listed *acpclient.Listed
}

// Messages of commands that work on sessions.
type (
	listedMsg struct {
		conn   *Connection
		listed []acpclient.Listed
		err    error
	}
	openedMsg struct {
		chat    *chat
		conn    *Connection
		session *acpclient.Session
		err     error
	}
	sessionGoneMsg struct {
		what string
		err  error
	}
)

// showSessions opens the overview and asks the agent for its list.
func (m *Model) showSessions() tea.Cmd {
	p := &picker{title: "sessions", foot: "enter opens · ctrl+n new · ctrl+x close · ctrl+d delete · esc", list: widget.NewList(m.sessionItems())}
	p.choose = func(it widget.Item) tea.Cmd { return m.openEntry(it.Value.(entry)) }
	p.keys = map[string]func(widget.Item) tea.Cmd{
		"ctrl+n": func(widget.Item) tea.Cmd { m.chat.picker = nil; return m.newSession() },
		"ctrl+x": func(it widget.Item) tea.Cmd { return m.closeEntry(p, it) },
		"ctrl+d": func(it widget.Item) tea.Cmd { return m.deleteEntry(p, it) },
	}
	if m.conn != nil && !m.conn.Client.Agent().List {
		p.note = "the agent does not list the sessions that it keeps"
	}
	m.chat.picker = p
	m.overview = p
	return m.listSessions()
}

// same tells whether two entries stand for the same session.
func (e entry) same(other entry) bool {
	if e.chat != nil || other.chat != nil {
		return e.chat == other.chat
	}
	return e.listed.ID == other.listed.ID
}

// refreshOverview shows the sessions anew, where they are on the screen.
func (m *Model) refreshOverview() {
	if p := m.overview; p != nil && m.chat.picker == p {
		p.refresh(m.sessionItems(), func(a, b any) bool { return a.(entry).same(b.(entry)) })
	}
}

// listSessions asks the agent, where it keeps a list.
func (m *Model) listSessions() tea.Cmd {
	conn := m.conn
	if conn == nil || !conn.Client.Agent().List {
		return nil
	}
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(m.conns.ctx, time.Minute)
		defer stop()
		listed, err := conn.Client.ListSessions(ctx, "")
		return listedMsg{conn, listed, err}
	}
}

func (m *Model) listed(msg listedMsg) {
	if msg.conn != m.conn {
		return
	}
	m.kept = msg.listed
	if m.overview == nil || m.chat.picker != m.overview {
		return
	}
	if msg.err != nil {
		m.overview.note = msg.err.Error()
	}
	m.refreshOverview()
}

// sessionItems lists what is open, newest last, and what the agent keeps.
func (m *Model) sessionItems() []widget.Item {
	var items []widget.Item
	open := map[string]bool{}
	for i, c := range m.chats {
		open[c.thread.Session] = true
		title := c.thread.Title
		if title == "" {
			title = firstPrompt(c.thread)
		}
		hint, mark := c.thread.State.String(), "" // the mark stays where there is no room for the hint
		switch {
		case c == m.chat:
			hint = "here · " + hint
		case c.question.open():
			hint, mark = "waits for you", "● "
		case c.unread:
			hint, mark = "unread", "• "
		}
		items = append(items, widget.Item{Title: fmt.Sprintf("%d %s%s", i+1, mark, title), Hint: hint, Section: "open", Value: entry{chat: c}})
	}
	for i, l := range m.kept {
		if open[l.ID] {
			continue
		}
		title := l.Title
		if title == "" {
			title = "without a title"
		}
		hint := ""
		if !l.Updated.IsZero() {
			hint = l.Updated.Local().Format("2006-01-02 15:04")
		}
		items = append(items, widget.Item{Title: title, Detail: safetext.Line(chatview.Home(l.Cwd, m.opts.Home), 200), Hint: hint, Section: "kept by the agent", Value: entry{listed: &m.kept[i]}})
	}
	return items
}

// firstPrompt stands in for a title.
func firstPrompt(t *thread.Thread) string {
	for _, it := range t.Items {
		if it.Kind == thread.UserMessage {
			return widget.Truncate(string(it.Text), 60, "…")
		}
	}
	return "new session"
}

// openEntry shows a session that is open, or has the agent open one it keeps.
func (m *Model) openEntry(e entry) tea.Cmd {
	if e.chat != nil {
		m.show(e.chat)
		return nil
	}
	l, info := e.listed, m.conn.Client.Agent()
	if !info.LoadSession && !info.Resume {
		return m.chat.say("the agent cannot open a session again")
	}
	// The directory is the session's own and stood in the list. Further ones are
	// the user's: the agent's list must not widen what it may read.
	n := m.conn.Template
	if l.Cwd != "" {
		n.Cwd = l.Cwd
	}
	c, ctx := m.addChat()
	c.thread.Session = l.ID
	c.thread.Title = l.Title
	conn := m.conn
	return func() tea.Msg {
		open := conn.Client.LoadSession
		if !info.LoadSession {
			open = conn.Client.ResumeSession
		}
		s, err := open(ctx, l.ID, n)
		return openedMsg{c, conn, s, err}
	}
}

// newSession opens another session with the same agent.
func (m *Model) newSession() tea.Cmd {
	if m.conn == nil {
		return nil
	}
	if m.pending != nil {
		return m.chat.say("a session is being opened already")
	}
	c, ctx := m.addChat()
	m.pending = c
	conn := m.conn
	return func() tea.Msg {
		s, err := conn.Client.NewSession(ctx, conn.Template)
		return openedMsg{c, conn, s, err}
	}
}

// addChat makes a page and shows it. Its session is opened under ctx, which
// giving up ends.
func (m *Model) addChat() (c *chat, ctx context.Context) {
	c = newChat(m)
	c.conn, c.from = m.conn, m.chat
	ctx, c.giveUp = context.WithCancel(m.conns.ctx)
	m.chats = append(m.chats, c)
	m.show(c)
	return c, ctx
}

func (m *Model) show(c *chat) {
	m.chat = c
	c.unread = false
	c.lastKey = m.now() // what was typed elsewhere answers no question here
	if c.question.open() {
		c.question.turn(c.question.current)
	}
}

// opened takes a session that was asked for; the page of one that could not be
// opened goes away again.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if m.pending == msg.chat {
		m.pending = nil
	}
	if msg.conn != m.conn {
		return nil
	}
	msg.chat.giveUp()
	if msg.err != nil {
		m.drop(msg.chat)
		m.chat.rescue(msg.chat)
		m.refreshOverview()
		if errors.Is(msg.err, context.Canceled) {
			return m.chat.say("opening the session was given up")
		}
		return m.chat.say(msg.err.Error())
	}
	msg.chat.session = msg.session
	msg.chat.thread.Session = msg.session.ID()
	return msg.chat.next(acpclient.TurnEnded{}) // what was sent before it was open
}

// rescue takes over what was typed on a page that goes away.
func (c *chat) rescue(from *chat) {
	for _, text := range append(from.queued, from.composer.Value()) {
		if text == "" {
			continue
		}
		c.history.Add(text)
		if c.composer.Empty() {
			c.composer.SetValue(text)
		}
	}
}

// drop removes a page and shows the one it was opened from, or else the one
// before it; the last one stays.
func (m *Model) drop(c *chat) {
	i := slices.Index(m.chats, c)
	if i < 0 || len(m.chats) == 1 {
		return
	}
	if c.thread.Session != "" {
		m.gone[c.thread.Session] = true
	}
	m.chats = slices.Delete(slices.Clone(m.chats), i, i+1)
	for _, other := range m.chats {
		if other.from == c {
			other.from = c.from
		}
	}
	if m.chat != c {
		return
	}
	if slices.Contains(m.chats, c.from) {
		m.show(c.from)
		return
	}
	m.show(m.chats[max(0, i-1)])
}

func (m *Model) closeEntry(p *picker, it widget.Item) tea.Cmd {
	e, ok := it.Value.(entry)
	switch {
	case !ok || e.chat == nil:
		p.note = "only an open session can be closed"
	case len(m.chats) == 1:
		p.note = "this is the only open session; ctrl+c twice quits"
	case e.chat.session == nil:
		p.note = "it is still being opened: given up"
		e.chat.giveUp()
	case e.chat.busy() && !p.sure("ctrl+x", e.chat.thread.Session, "its turn is still running: ctrl+x again stops it and closes the session"):
	default:
		conn, s := m.conn, e.chat.session
		m.drop(e.chat)
		m.chat.picker = p
		m.refreshOverview()
		return func() tea.Msg {
			ctx, stop := context.WithTimeout(m.conns.ctx, 10*time.Second)
			defer stop()
			return sessionGoneMsg{"closed", conn.Client.CloseSession(ctx, s)}
		}
	}
	return nil
}

func (m *Model) deleteEntry(p *picker, it widget.Item) tea.Cmd {
	e, ok := it.Value.(entry)
	switch {
	case !ok || e.listed == nil:
		p.note = "only a session that the agent keeps and that is not open can be deleted; close it first"
	case !m.conn.Client.Agent().Delete:
		p.note = "the agent cannot delete sessions"
	case p.sure("ctrl+d", e.listed.ID, "delete \""+widget.Truncate(it.Title, 40, "…")+"\" for good? ctrl+d again does"):
		conn, id := m.conn, e.listed.ID
		return func() tea.Msg {
			ctx, stop := context.WithTimeout(m.conns.ctx, 30*time.Second)
			defer stop()
			return sessionGoneMsg{"deleted", conn.Client.DeleteSession(ctx, id)}
		}
	}
	return nil
}

// sessionGone says what became of closing or deleting one.
func (m *Model) sessionGone(msg sessionGoneMsg) tea.Cmd {
	text := msg.what
	if msg.err != nil {
		text = msg.err.Error()
	}
	return tea.Batch(m.chat.say(text), m.listSessions())
}

// route hands an event to the page of its session. The first event of a session
// that is being opened tells which page is its.
func (m *Model) route(e acpclient.Event) tea.Cmd {
	id := e.EventSession()
	if id == "" {
		if done, ok := e.(acpclient.ElicitationCompleted); ok { // of which page, only its key tells
			var cmds []tea.Cmd
			for _, c := range m.chats {
				cmds = append(cmds, c.elicitCompleted(done.Key))
			}
			return tea.Batch(cmds...)
		}
		if _, over := e.(acpclient.Disconnected); over {
			var cmds []tea.Cmd
			for _, c := range m.chats {
				cmds = append(cmds, c.apply(e))
			}
			return tea.Batch(cmds...)
		}
		return m.chat.apply(e)
	}
	for _, c := range m.chats {
		if c.thread.Session == id {
			return m.deliver(c, e)
		}
	}
	if c := m.pending; c != nil && !m.gone[id] {
		m.pending = nil
		c.thread.Session = id
		return m.deliver(c, e)
	}
	return nil
}

// deliver applies an event to a page; what happens on one that is not on the
// screen is marked.
func (m *Model) deliver(c *chat, e acpclient.Event) tea.Cmd {
	cmd := c.apply(e)
	if c == m.chat {
		return cmd
	}
	switch e.(type) {
	case acpclient.TurnEnded:
		if c.session != nil && c.session.Running() {
			return cmd // it goes on with what was queued
		}
		c.unread = true
		return tea.Batch(cmd, m.chat.say("another session is done: ctrl+s"))
	case acpclient.PermissionAsked:
		return tea.Batch(cmd, m.chat.say("another session waits for you: ctrl+s"))
	}
	return cmd
}
