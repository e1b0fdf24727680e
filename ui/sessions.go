package ui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/safetext"
	"parley/internal/workspace"
	chatview "parley/ui/chat"
	"parley/ui/intent"
	"parley/ui/widget"
)

// entry is a session in the overview: one that is open here, one that an agent
// keeps, one that it may keep, as parley's log has it, or one to be read in the log.
type entry struct {
	chat   *chat
	link   *link // of one that its agent keeps
	listed *acpclient.Listed
	logged *workspace.Logged
}

// Messages of commands that work on sessions.
type (
	listedMsg struct {
		link   *link
		conn   *workspace.Connection
		listed []acpclient.Listed
		err    error
	}
	loggedMsg struct {
		logged []workspace.Logged
		err    error
	}
	openedMsg struct {
		chat    *chat
		conn    *workspace.Connection
		session *acpclient.Session
		err     error
		logged  *workspace.Logged // of which the session is; nil: the agent has listed it, or it is new
	}
	sessionGoneMsg struct {
		link *link
		what string
		err  error
	}
)

// showSessions opens the overview and asks the agents for their lists.
func (m *Model) showSessions() tea.Cmd {
	p := &picker{title: "sessions", foot: m.foot(hint{intent.NewSession, "new"}, hint{intent.AnotherAgent, "agent"}, hint{intent.CloseEntry, "close"}, hint{intent.DeleteEntry, "delete"}), list: widget.NewList(m.sessionItems())}
	p.choose = func(it widget.Item) tea.Cmd { return m.openEntry(it.Value.(entry)) }
	p.keys = map[intent.Intent]func(widget.Item) tea.Cmd{
		intent.NewSession:   func(widget.Item) tea.Cmd { m.chat.picker = nil; return m.newSession() },
		intent.AnotherAgent: func(widget.Item) tea.Cmd { m.chat.picker = nil; return m.anotherAgent() },
		intent.CloseEntry:   func(it widget.Item) tea.Cmd { return m.closeEntry(p, it) },
		intent.DeleteEntry:  func(it widget.Item) tea.Cmd { return m.deleteEntry(p, it) },
	}
	if l := m.chat.link; l.conn != nil && !l.conn.Client.Agent().List {
		p.note = l.name() + " does not list sessions"
		if info := l.conn.Client.Agent(); m.opts.Logs != nil && (info.LoadSession || info.Resume) {
			p.note += ": those of parley's logs can be opened"
		}
	}
	m.chat.picker = p
	m.overview = p
	return m.listSessions()
}

// anotherAgent shows the start screen; what is open goes on.
func (m *Model) anotherAgent() tea.Cmd {
	m.start.note = ""
	m.start.list.SetFilter("")
	m.page = startPage
	return nil
}

// same tells whether two entries stand for the same session.
func (e entry) same(other entry) bool {
	switch {
	case e.chat != nil || other.chat != nil:
		return e.chat == other.chat
	case e.logged != nil && other.logged != nil:
		return e.logged.Agent == other.logged.Agent && e.logged.Session == other.logged.Session
	case e.listed != nil && other.listed != nil:
		return e.link == other.link && e.listed.ID == other.listed.ID
	}
	return false
}

// refreshOverview shows the sessions anew, where they are on the screen.
func (m *Model) refreshOverview() {
	if p := m.overview; p != nil && m.chat.picker == p {
		p.refresh(m.sessionItems(), func(a, b any) bool { return a.(entry).same(b.(entry)) })
	}
}

// listSessions asks the agents, where they keep a list, and looks into the logs.
func (m *Model) listSessions() tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range m.links() {
		if !l.live() || !l.conn.Client.Agent().List {
			continue
		}
		conn := l.conn
		cmds = append(cmds, func() tea.Msg {
			ctx, stop := context.WithTimeout(m.conns.ctx, time.Minute)
			defer stop()
			listed, err := conn.Client.ListSessions(ctx, "")
			return listedMsg{l, conn, listed, err}
		})
	}
	if m.opts.Logs != nil {
		cmds = append(cmds, func() tea.Msg {
			logged, err := m.opts.Logs()
			return loggedMsg{logged, err}
		})
	}
	return tea.Batch(cmds...)
}

func (m *Model) listed(msg listedMsg) {
	if msg.conn != msg.link.conn {
		return
	}
	msg.link.kept = msg.listed
	m.heard(msg.err)
}

// heard shows the sessions with what was just learnt of them.
func (m *Model) heard(err error) {
	if m.overview == nil || m.chat.picker != m.overview {
		return
	}
	if err != nil {
		m.overview.note = err.Error()
	}
	m.refreshOverview()
}

// sessionItems lists what is open, newest last but those that wait first, what the
// agents keep, and what only the logs know.
func (m *Model) sessionItems() []widget.Item {
	var items []widget.Item
	open := map[string]bool{} // by agent and session
	links := m.links()
	first := m.waiting()
	rest := slices.DeleteFunc(slices.Clone(m.chats), func(c *chat) bool { return slices.Contains(first, c) })
	for _, c := range slices.Concat(first, rest) {
		open[c.link.agent.Name+"\x00"+c.thread.Session] = true
		it := m.openItem(slices.Index(m.chats, c), c)
		if len(links) > 1 {
			it.Detail = c.link.name()
		}
		items = append(items, it)
	}
	for _, l := range links {
		section := "kept by the agent"
		if len(links) > 1 {
			section = "kept by " + l.name()
		}
		able := l.live() && (l.conn.Client.Agent().LoadSession || l.conn.Client.Agent().Resume)
		for i := range l.kept {
			kept := &l.kept[i]
			if key := l.agent.Name + "\x00" + kept.ID; !open[key] {
				items = append(items, m.keptItem(section, kept.Title, kept.Cwd, "", kept.Updated, entry{link: l, listed: kept}))
				open[key] = able // its log is only worth a row where nothing better is there
			}
		}
	}
	var toRead []widget.Item
	for i := range m.logs {
		g := &m.logs[i]
		if open[g.Agent+"\x00"+g.Session] {
			continue
		}
		if l := m.opener(*g); l != nil {
			kept := &acpclient.Listed{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated}
			items = append(items, m.keptItem("known from parley's logs", g.Title, g.Cwd, l.name(), g.Updated, entry{link: l, listed: kept, logged: g}))
			continue
		}
		toRead = append(toRead, m.keptItem("in parley's logs, to read", g.Title, g.Cwd, g.Agent, g.Updated, entry{logged: g}))
	}
	return append(items, toRead...)
}

// openItem is the row of an open session.
func (m *Model) openItem(i int, c *chat) widget.Item {
	title := c.thread.Title
	if title == "" {
		title = firstPrompt(c.thread)
	}
	hint, mark := c.thread.State.String(), "" // the mark stays where there is no room for the hint
	if c.recorded {
		hint = "from the log"
	}
	if c.lost.State == reopen.SessionGone {
		hint = "gone"
	}
	switch {
	case c == m.chat:
		hint = "here · " + hint
	case c.waits():
		hint, mark = "waits for you", "● "
	case c.unread && c.thread.State == thread.Ended:
		mark = "• "
	case c.unread:
		hint, mark = "unread", "• "
	}
	return widget.Item{Title: fmt.Sprintf("%d %s%s", i+1, mark, title), Hint: hint, Section: "open", Value: entry{chat: c}}
}

// keptItem is the row of a session that is not open.
func (m *Model) keptItem(section, title, cwd, agent string, updated time.Time, e entry) widget.Item {
	if title == "" {
		title = "without a title"
	}
	hint, detail := "", safetext.Line(chatview.Home(cwd, m.opts.Home), 200)
	if !updated.IsZero() {
		hint = updated.Local().Format("2006-01-02 15:04")
	}
	if agent != "" {
		detail = agent + "  " + detail
	}
	return widget.Item{Title: title, Detail: detail, Hint: hint, Section: section, Value: e}
}

// firstPrompt stands in for a title.
func firstPrompt(t *thread.Thread) string {
	for _, it := range t.Items {
		if it.Kind == thread.UserMessage {
			_, own := chatview.SplitCarried(string(it.Text))
			return widget.Truncate(own, 60, "…")
		}
	}
	return "new session"
}

func (m *Model) closeEntry(p *picker, it widget.Item) tea.Cmd {
	e, ok := it.Value.(entry)
	switch {
	case !ok || e.chat == nil:
		p.note = "only an open session can be closed"
	case len(m.chats) == 1:
		p.note = "this is the only open session; ctrl+c twice quits"
	case e.chat.session == nil && e.chat.giveUp != nil:
		p.note = "it is still being opened: given up"
		e.chat.giveUp()
	case e.chat.busy() && !p.sure(intent.CloseEntry, e.chat.thread.Session, "its turn is still running: "+m.listKey(intent.CloseEntry)+" again stops it and closes the session"):
	default:
		c, l := e.chat, e.chat.link
		m.drop(c)
		m.chat.picker = p
		m.refreshOverview()
		if len(l.chats()) == 0 { // the agent has nothing left to do
			l.forget()
			return m.end(l.conn)
		}
		if c.session == nil {
			return nil
		}
		conn := l.conn
		return func() tea.Msg {
			ctx, stop := context.WithTimeout(m.conns.ctx, 10*time.Second)
			defer stop()
			return sessionGoneMsg{l, "closed", conn.Client.CloseSession(ctx, c.session)}
		}
	}
	return nil
}

func (m *Model) deleteEntry(p *picker, it widget.Item) tea.Cmd {
	e, ok := it.Value.(entry)
	switch {
	case !ok || e.listed == nil:
		p.note = "only a session that the agent keeps and that is not open can be deleted; close it first"
	case !e.link.live():
		p.note = "the agent is gone"
	case !e.link.conn.Client.Agent().Delete:
		p.note = "the agent cannot delete sessions"
	case p.sure(intent.DeleteEntry, e.listed.ID, "delete \""+widget.Truncate(it.Title, 40, "…")+"\" for good? "+m.listKey(intent.DeleteEntry)+" again does"):
		l, conn, id := e.link, e.link.conn, e.listed.ID
		return func() tea.Msg {
			ctx, stop := context.WithTimeout(m.conns.ctx, 30*time.Second)
			defer stop()
			return sessionGoneMsg{l, "deleted", conn.Client.DeleteSession(ctx, id)}
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
