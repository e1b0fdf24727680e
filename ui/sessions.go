package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// entry is a session in the overview: one that is open here, one that an agent
// keeps, one that it may keep, as parley's log has it, or one to be read in the log.
type entry struct {
	chat   *chat
	agent  *workspace.Agent // of one that its agent keeps
	listed *event.Listed
	logged *workspace.Logged
}

// showSessions opens the overview and asks the agents for their lists.
func (m *Model) showSessions() tea.Cmd {
	p := &picker{title: "sessions", foot: m.foot(hint{intent.NewSession, "new"}, hint{intent.AnotherAgent, "agent"}, hint{intent.CloseEntry, "close"}, hint{intent.DeleteEntry, "delete"}), list: widget.NewList(m.sessionItems())}
	p.choose = func(it widget.Item) tea.Cmd {
		m.openEntry(it.Value.(entry))
		return nil
	}
	p.keys = map[intent.Intent]func(widget.Item) tea.Cmd{
		intent.NewSession:   func(widget.Item) tea.Cmd { m.chat.picker = nil; return m.newSession() },
		intent.AnotherAgent: func(widget.Item) tea.Cmd { m.chat.picker = nil; return m.anotherAgent() },
		intent.CloseEntry:   func(it widget.Item) tea.Cmd { return m.closeEntry(p, it) },
		intent.DeleteEntry:  func(it widget.Item) tea.Cmd { return m.deleteEntry(p, it) },
	}
	if a := m.chat.Agent; a.Conn() != nil && !a.Conn().Client.Agent().List {
		p.note = a.Name() + " does not list sessions"
		if info := a.Conn().Client.Agent(); m.opts.Logs != nil && (info.LoadSession || info.Resume) {
			p.note += ": those of parley's logs can be opened"
		}
	}
	m.chat.picker = p
	m.overview = p
	m.w.List()
	return nil
}

// newSession opens another session with the agent in front.
func (m *Model) newSession() tea.Cmd {
	if m.chat.ReadOnly {
		return m.chat.say(m.chat.nobody())
	}
	m.chat.Agent.NewSession()
	return nil
}

// anotherAgent shows the start screen; what is open goes on.
func (m *Model) anotherAgent() tea.Cmd {
	m.start.Reset()
	m.page = startPage
	return nil
}

// same tells whether two entries stand for the same session.
func (e entry) same(other entry) bool {
	switch {
	case e.chat != nil || other.chat != nil:
		return e.chat == other.chat
	case e.logged != nil && other.logged != nil:
		return e.logged.Agent == other.logged.Agent && e.logged.Session == other.logged.Session && e.logged.Dir == other.logged.Dir
	case e.listed != nil && other.listed != nil:
		return e.agent == other.agent && e.listed.ID == other.listed.ID
	}
	return false
}

// refreshOverview shows the sessions anew, where they are on the screen.
func (m *Model) refreshOverview() {
	if p := m.overview; p != nil && m.chat.picker == p {
		p.refresh(m.sessionItems(), func(a, b any) bool { return a.(entry).same(b.(entry)) })
	}
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
	agents := m.w.Agents()
	first := m.waiting()
	rest := slices.DeleteFunc(m.chats(), func(c *chat) bool { return slices.Contains(first, c) })
	for _, c := range slices.Concat(first, rest) {
		open[c.Agent.Spec.Name+"\x00"+c.Thread.Session] = true
		it := m.openItem(slices.Index(m.w.Sessions(), c.Session), c)
		if len(agents) > 1 {
			it.Detail = c.Agent.Name()
		}
		items = append(items, it)
	}
	for _, a := range agents {
		section := "kept by the agent"
		if len(agents) > 1 {
			section = "kept by " + a.Name()
		}
		info := a.Info()
		able := info != nil && (info.LoadSession || info.Resume)
		for _, kept := range a.Listed() {
			if key := a.Spec.Name + "\x00" + kept.ID; !open[key] {
				items = append(items, m.keptItem(section, kept.Title, kept.Cwd, "", kept.Updated, entry{agent: a, listed: &kept}))
				open[key] = able // its log is only worth a row where nothing better is there
			}
		}
	}
	var toRead []widget.Item
	logs := m.w.Logs()
	for i := range logs {
		g := &logs[i]
		if open[g.Agent+"\x00"+g.Session] {
			continue
		}
		if a := m.w.Opener(*g); a != nil {
			kept := &event.Listed{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated}
			items = append(items, m.keptItem("known from parley's logs", g.Title, g.Cwd, a.Name(), g.Updated, entry{agent: a, listed: kept, logged: g}))
			continue
		}
		toRead = append(toRead, m.keptItem("in parley's logs, to read", g.Title, g.Cwd, g.Called(), g.Updated, entry{logged: g}))
	}
	return append(items, toRead...)
}

// openItem is the row of an open session.
func (m *Model) openItem(i int, c *chat) widget.Item {
	title := c.Thread.Title
	if title == "" {
		title = firstPrompt(c.Thread)
	}
	hint, mark := c.Thread.State.String(), "" // the mark stays where there is no room for the hint
	if c.ReadOnly {
		hint = "from the log"
	}
	if c.Lost.State == workspace.StateGone {
		hint = "gone"
	}
	switch {
	case c == m.chat:
		hint = "here · " + hint
	case c.waits():
		hint, mark = "waits for you", "● "
	case c.unread && c.Thread.State == thread.Ended:
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
	hint, detail := "", safetext.Line(transcript.Home(cwd, m.opts.Home), 200)
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
			_, own := transcript.SplitCarried(string(it.Text))
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
	case len(m.w.Sessions()) == 1:
		p.note = "this is the only open session; ctrl+c twice quits"
	case e.chat.GiveUp():
		p.note = "it is still being opened: given up"
	case e.chat.Busy() && !p.sure(intent.CloseEntry, e.chat.Thread.Session, "its turn is still running: "+m.listKey(intent.CloseEntry)+" again stops it and closes the session"):
	default:
		e.chat.Session.Close()
		cmd := m.sync()
		m.chat.picker = p
		m.refreshOverview()
		return cmd
	}
	return nil
}

func (m *Model) deleteEntry(p *picker, it widget.Item) tea.Cmd {
	e, ok := it.Value.(entry)
	switch {
	case !ok || e.listed == nil:
		p.note = "only a session that the agent keeps and that is not open can be deleted; close it first"
	case !e.agent.Live():
		p.note = "the agent is gone"
	case !e.agent.Conn().Client.Agent().Delete:
		p.note = "the agent cannot delete sessions"
	case p.sure(intent.DeleteEntry, e.listed.ID, "delete \""+widget.Truncate(it.Title, 40, "…")+"\" for good? "+m.listKey(intent.DeleteEntry)+" again does"):
		e.agent.Delete(e.listed.ID)
	}
	return nil
}

// openEntry shows a session that is open, or has the agent open one it keeps.
func (m *Model) openEntry(e entry) {
	switch {
	case e.chat != nil:
		m.w.Show(e.chat.Session)
	case e.logged != nil && e.agent == nil:
		m.w.OpenLogged(*e.logged, m.w.WhyReadOnly(*e.logged))
	default:
		e.agent.OpenListed(*e.listed, e.logged)
	}
}
