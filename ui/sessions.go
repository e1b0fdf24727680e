package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/intent"
	"parley/internal/keeper"
	"parley/internal/snippet"
	"parley/internal/text"
	"parley/internal/words"
	"parley/internal/workspace"
	"parley/ui/page"
	"parley/ui/panel"
)

// entry is a row of the list of sessions: a kept one, an open one, one saved by an agent, one that
// parley's log says the agent may have saved, or one to read from the log.
type entry struct {
	kept   *keeper.Session
	chat   *page.Page
	agent  *workspace.Agent // if saved by an agent
	listed *event.StoredSession
	logged *workspace.Logged
}

// newSession opens another session with the agent in front.
func (m *Model) newSession() tea.Cmd {
	if m.Front.ReadOnly {
		m.Front.Say(m.Front.WhyReadOnly())
	} else {
		m.Front.Agent.NewSession()
	}
	return nil
}

// anotherAgent shows the start screen. Open sessions continue.
func (m *Model) anotherAgent(c *page.Page, name string) tea.Cmd {
	if name = strings.TrimSpace(name); name != "" {
		spec := m.Workspace.Spec(name)
		switch {
		case spec.Command == "":
			c.Say("No agent " + name + ": /agent lists them")
			return nil
		case spec.Missing != "":
			c.Say(spec.Name + " is not installed: " + spec.Missing)
			return nil
		}
		return page.OfferHandOver(c, spec)
	}
	m.Choosing = true
	return m.start.Open()
}

// nextWaiting shows the next session that waits.
func (m *Model) nextWaiting() tea.Cmd {
	if next := m.waiting(m.Front); len(next) > 0 {
		m.Workspace.Show(next[0].Session)
	} else {
		m.Front.Say("No other session is waiting for you")
	}
	return nil
}

// same reports whether two entries are the same session.
func (e entry) same(other entry) bool {
	switch {
	case e.kept != nil || other.kept != nil:
		return e.kept != nil && other.kept != nil && e.kept.Name == other.kept.Name
	case e.chat != nil || other.chat != nil:
		return e.chat == other.chat
	case e.logged != nil && other.logged != nil:
		return e.logged.Agent == other.logged.Agent && e.logged.Session == other.logged.Session && e.logged.Dir == other.logged.Dir
	case e.listed != nil && other.listed != nil:
		return e.agent == other.agent && e.listed.ID == other.listed.ID
	}
	return false
}

// sessions makes the list of sessions.
type sessions struct{ m *Model }

// show lists the sessions and asks the agents for their lists.
func (s sessions) show() tea.Cmd {
	m := s.m
	a := m.Front.Agent
	does := panel.SessionActions{
		Open:       s.open,
		New:        m.newSession,
		Another:    func() tea.Cmd { return m.anotherAgent(m.Front, "") },
		InWorktree: func() tea.Cmd { return m.Front.Do(intent.InWorktree) },
		Rename:     s.rename,
		Close:      s.close,
		Delete:     s.delete,
	}
	if slices.ContainsFunc(m.Workspace.Agents(), func(a *workspace.Agent) bool { return a.Info() != nil && a.Info().Archive }) {
		does.Archive, does.ShowArchived = s.archive, s.showArchived
	}
	l := panel.Sessions(m.Keys, s.all, func(a, b any) bool { return a.(entry).same(b.(entry)) }, does)
	if info := a.Info(); info != nil && !info.List {
		l.Note = a.Name() + " does not list sessions"
		if m.Options.Logs != nil && (info.LoadSession || info.Resume) {
			l.Note += "; those in parley's logs can be opened"
		}
	}
	m.Front.Panels.Show(l)
	m.Workspace.ListArchived(false)
	return nil
}

// all returns the kept sessions, the open ones, those that wait first and the newest last, then those saved
// by the agents, then those known only from logs.
func (s sessions) all() []panel.Session {
	m := s.m
	all := s.keptRows()
	open := map[string]bool{} // by agent and session
	agents := m.Workspace.Agents()
	logs := m.Workspace.Logs()
	logOf := make(map[string]*workspace.Logged, len(logs)) // by agent and session
	for i, g := range logs {
		logOf[g.Agent+"\x00"+g.Session] = &logs[i]
	}
	first := m.waiting(m.Front)
	rest := slices.DeleteFunc(m.chats(), func(c *page.Page) bool { return slices.Contains(first, c) })
	for _, c := range slices.Concat(first, rest) {
		open[c.Agent.Spec.Name+"\x00"+c.Thread.Session] = true
		agent := ""
		if len(agents) > 1 {
			agent = c.Agent.Name()
		}
		all = append(all, s.openRow(c, agent))
	}
	var archived []panel.Session
	for _, a := range agents {
		by := "by the agent"
		if len(agents) > 1 {
			by = "by " + a.Name()
		}
		info := a.Info()
		able := info != nil && (info.LoadSession || info.Resume)
		for _, kept := range a.StoredSessions() {
			key := a.Spec.Name + "\x00" + kept.ID
			if open[key] {
				continue
			}
			row := func(section string) panel.Session {
				return s.closedRow(section, m.Workspace.TitleOf(a.Spec.Name, kept.ID, kept.Title), logOf[key], kept.Cwd, "", kept.Updated, entry{agent: a, listed: &kept})
			}
			if kept.Archived {
				archived = append(archived, row("Archived "+by))
			} else {
				all = append(all, row("Saved "+by))
			}
			open[key] = able // its log is only worth a row where nothing better is there
		}
	}
	all = append(all, archived...)
	var toRead []panel.Session
	for i := range logs {
		g := &logs[i]
		if open[g.Agent+"\x00"+g.Session] {
			continue
		}
		title := m.Workspace.TitleOf(g.Agent, g.Session, g.Title)
		if a := m.Workspace.Opener(*g); a != nil {
			kept := &event.StoredSession{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated}
			all = append(all, s.closedRow("From parley's logs", title, g, g.Cwd, a.Name(), g.Updated, entry{agent: a, listed: kept, logged: g}))
			continue
		}
		toRead = append(toRead, s.closedRow("From parley's logs, read-only", title, g, g.Cwd, g.DisplayName(), g.Updated, entry{logged: g}))
	}
	return append(all, toRead...)
}

// keptRows returns the rows of the kept sessions.
func (s sessions) keptRows() (rows []panel.Session) {
	for _, k := range s.m.Workspace.Kept.All() {
		state, about := workspace.DescribeKept(k)
		row := panel.Session{Section: "Kept", Title: k.Name, Detail: strings.TrimSpace(about + "  " + s.where(k.Agent, k.Dir)), State: state, Value: entry{kept: &k}}
		if at := cmp.Or(k.Ended, k.Since); !at.IsZero() {
			row.Age = words.Ago(at, s.m.Now())
		}
		rows = append(rows, row)
	}
	return rows
}

// openRow returns the row of an open session.
func (s sessions) openRow(c *page.Page, agent string) panel.Session {
	m := s.m
	one := panel.Session{Section: "Open", Title: c.Heading(), Detail: s.where(agent, c.Where()), Value: entry{chat: c}, Number: slices.Index(m.Workspace.Sessions(), c.Session) + 1,
		Holds: func(word string) (string, bool) { return says(c.Thread, word) },
		State: c.Thread.State.String(), Here: c == m.Front, Waits: c.Waits(), Unread: c.Unread, Ended: c.Thread.State == thread.Ended}
	if c.ReadOnly {
		one.State = "read-only log"
	}
	if c.Opening() && c.Thread.State == thread.Idle { // the answer to the request is still missing
		one.State = "opening"
	}
	if c.Lost.State == workspace.StateGone {
		one.State = "gone"
	}
	return one
}

// closedRow returns the row of a session that is not open. log is nil if parley has none of it. Those
// that parley run made in other directories are left out until something is typed.
func (s sessions) closedRow(section, title string, log *workspace.Logged, cwd, agent string, updated time.Time, e entry) panel.Session {
	agentName, session := e.key()
	one := panel.Session{Section: section, Title: title, Detail: s.where(agent, cwd), Value: e}
	if !updated.IsZero() {
		one.Age = words.Ago(updated, s.m.Now())
	}
	if e.listed != nil && e.listed.Running {
		one.State = thread.Running.String()
	}
	first := ""
	if log != nil {
		first = log.First
		if log.Run {
			one.Detail += "  " + madeByRun
		}
		one.Aside = log.Run && !log.Here
	}
	one.Holds = func(word string) (string, bool) {
		if around, ok := s.m.Workspace.Found(agentName, session, word); ok {
			return around, true
		}
		return snippet.Find(first, word)
	}
	return one
}

// madeByRun marks a session that parley run has made.
const madeByRun = "parley run"

// where names the agent of a session, unless it is "", and the directory.
func (s sessions) where(agent, dir string) string {
	dir = s.m.Options.Place(dir)
	if agent == "" {
		return dir
	}
	return agent + "  " + dir
}

// search looks for what is typed into the list of sessions in the logs, too, and says in its
// title how far that has come, and how to see the sessions that are left out.
func (s sessions) search() {
	w, l := s.m.Workspace, s.m.Front.Panels.ListOf(intent.Sessions)
	if l == nil {
		w.Search("")
		return
	}
	w.Search(l.List.Filter())
	l.Title = panel.SessionsTitle
	if n := l.List.Aside(); n > 0 {
		l.Title += fmt.Sprintf(" · %d more of %s in other directories: type run", n, madeByRun)
	}
	switch w.Searching() {
	case workspace.SearchRunning:
		l.Title += " · searching logs…"
	case workspace.SearchCut:
		l.Title += " · only the newest logs were searched"
	}
}

// maxSearched is how many bytes of a session's conversation its list searches, the newest
// first: the list is made again with each message of an agent.
const maxSearched = 256 << 10

// says looks for a lower-case word in the user's and the agent's messages, the newest first, and
// returns the text around it.
func says(t *thread.Thread, word string) (around string, ok bool) {
	searched := 0
	for _, it := range slices.Backward(t.Items) {
		if it.Kind != thread.UserMessage && it.Kind != thread.AgentMessage {
			continue
		}
		if searched += len(it.Text); searched > maxSearched {
			break
		}
		if around, ok := snippet.Find(string(it.Text), word); ok {
			return around, true
		}
	}
	return "", false
}

// close closes an open session. The list stays open.
func (s sessions) close(l *panel.List, value any) tea.Cmd {
	m := s.m
	e, ok := value.(entry)
	switch {
	case !ok || e.chat == nil:
		l.Note = "Only an open session can be closed"
	case len(m.Workspace.Sessions()) == 1 && m.terminals.keeper != nil:
		return departure{m}.leave()
	case len(m.Workspace.Sessions()) == 1:
		l.Note = "This is the only open session; " + m.Keys.ChatKey(intent.Interrupt) + " twice quits"
	case e.chat.CancelOpen():
		l.Note = "Cancelled opening it"
	case e.chat.Busy() && !l.Confirmed(intent.CloseEntry, e.chat.Thread.Session, "Its turn is still running: press "+m.Keys.KeyOf(intent.List, intent.CloseEntry)+" again to stop it and close the session"):
	default:
		e.chat.Session.Close()
		cmd := m.sync()
		m.Front.Panels.Show(l) // the page on the screen may have changed
		return cmd
	}
	return nil
}

// key returns the name of the agent and the id of the session, which identify it for its name.
func (e entry) key() (agent, session string) {
	switch {
	case e.chat != nil:
		return e.chat.Agent.Spec.Name, e.chat.Thread.Session
	case e.agent != nil:
		return e.agent.Spec.Name, e.listed.ID
	}
	return e.logged.Agent, e.logged.Session
}

// title returns the user's name for the session, else the agent's title.
func (s sessions) title(e entry) string {
	agent, session := e.key()
	switch {
	case e.chat != nil:
		return e.chat.Title()
	case e.listed != nil:
		return s.m.Workspace.TitleOf(agent, session, e.listed.Title)
	}
	return s.m.Workspace.TitleOf(agent, session, e.logged.Title)
}

// rename lets the user edit the name of a session in its row.
func (s sessions) rename(l *panel.List, value any) tea.Cmd {
	e, ok := value.(entry)
	if !ok || e.kept != nil {
		return nil
	}
	if agent, session := e.key(); session == "" {
		l.Note = words.Sentence(workspace.ErrNotNamed.Error())
	} else {
		l.Rename(s.title(e), func(name string) tea.Cmd {
			if err := s.m.Workspace.Rename(agent, session, name); err != nil {
				l.Note = words.Sentence(err.Error())
			}
			return nil
		})
	}
	return nil
}

// renamePage renames the session of a page; without a name, in the list of sessions.
func (s sessions) renamePage(c *page.Page, name string) tea.Cmd {
	if name != "" {
		if err := c.Rename(name); err != nil {
			c.Say(words.Sentence(err.Error()))
			return nil
		}
		c.Say("Renamed: " + c.Title())
		return nil
	}
	s.show()
	l := c.Panels.List()
	for i := range l.List.Len() {
		l.List.Select(i)
		if it, ok := l.List.Selected(); ok && it.Value.(entry).chat == c {
			l.Edited = func(saved bool) {
				if saved {
					c.Say("Renamed: " + c.Title())
				}
			}
			return s.rename(l, it.Value)
		}
	}
	return nil
}

// delete asks the agent to delete a session that it has saved.
func (s sessions) delete(l *panel.List, value any) tea.Cmd {
	e, ok := value.(entry)
	switch {
	case !ok || e.listed == nil:
		l.Note = "Only closed sessions saved by the agent can be deleted"
	case !e.agent.Live():
		l.Note = "The agent has ended"
	case !e.agent.Info().Delete:
		l.Note = "This agent cannot delete sessions"
		if e.agent.Info().Archive {
			l.Note += " · " + s.m.Keys.KeyOf(intent.List, intent.ArchiveEntry) + " archives it"
		}
	case l.Confirmed(intent.DeleteEntry, e.listed.ID, s.deleteQuestion(e)):
		e.agent.Delete(e.listed.ID)
	}
	return nil
}

// deleteQuestion asks whether a session is to be deleted.
func (s sessions) deleteQuestion(e entry) string {
	question := "Delete \"" + text.Truncate(cmp.Or(s.title(e), panel.Untitled), 40, "…") + "\"? "
	if e.agent.Info().DeleteArchives {
		question += e.agent.Name() + " only archives it. "
	}
	return question + "Press " + s.m.Keys.KeyOf(intent.List, intent.DeleteEntry) + " again to confirm"
}

// archive asks the agent to archive a session that it has saved, or to take it out of the archive.
func (s sessions) archive(l *panel.List, value any) tea.Cmd {
	e, ok := value.(entry)
	switch {
	case !ok || e.listed == nil:
		l.Note = "Only closed sessions saved by the agent can be archived"
	case !e.agent.Live():
		l.Note = "The agent has ended"
	case !e.agent.Info().Archive:
		l.Note = "This agent cannot archive sessions"
	default:
		e.agent.Archive(e.listed.ID, !e.listed.Archived)
	}
	return nil
}

// showArchived shows the sessions that are archived, or hides them.
func (s sessions) showArchived(*panel.List, any) tea.Cmd {
	s.m.Workspace.ListArchived(!s.m.Workspace.Archived())
	return nil
}

// open shows an open session, or asks the agent to open one that it has saved.
func (s sessions) open(value any) tea.Cmd {
	m, e := s.m, value.(entry)
	switch {
	case e.kept != nil:
		return openKept(m, *e.kept)
	case e.chat != nil:
		m.Workspace.Show(e.chat.Session)
	case e.logged != nil && e.agent == nil:
		m.Workspace.OpenLogged(*e.logged, m.Workspace.WhyReadOnly(*e.logged))
	default:
		e.agent.OpenStored(*e.listed, e.logged)
	}
	return nil
}
