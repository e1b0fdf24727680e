package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/transcript"
	"parley/ui/widget"
)

// resultMsg is what a task of the workspace has brought.
type resultMsg struct{ workspace.Result }

// sync runs the tasks of the workspace and shows its news. It is called after
// everything that may have changed it.
func (m *Model) sync() tea.Cmd {
	var cmds []tea.Cmd
	for {
		for _, task := range m.w.Tasks() {
			cmds = append(cmds, func() tea.Msg {
				if r := task(); r != nil {
					return resultMsg{r}
				}
				return nil
			})
		}
		n, ok := m.w.TakeNews()
		if !ok {
			return tea.Batch(cmds...)
		}
		cmds = append(cmds, m.hear(n))
	}
}

// result takes what a task has brought.
func (m *Model) result(r workspace.Result) tea.Cmd {
	if b, ok := r.(*workspace.Batch); ok {
		return m.events(b)
	}
	m.dirty = true
	m.w.Done(r)
	return nil
}

// pageOf is the page of a session.
func (m *Model) pageOf(s *workspace.Session) *chat {
	c := m.pages[s]
	if c == nil {
		c = newChat(m, s)
		m.pages[s] = c
	}
	return c
}

// chats are the pages of the open sessions, in their order.
func (m *Model) chats() []*chat {
	var out []*chat
	for _, s := range m.w.Sessions() {
		out = append(out, m.pageOf(s))
	}
	return out
}

// front is the page that speaks for an agent.
func (m *Model) front(a *workspace.Agent) *chat { return m.pageOf(a.Front()) }

// hear shows one piece of news of the workspace.
func (m *Model) hear(n workspace.News) tea.Cmd {
	m.dirty = m.dirty || !isApplied(n)
	switch n := n.(type) {
	case workspace.Applied:
		return m.deliver(m.pageOf(n.Session), n)
	case workspace.Starting:
		m.page, m.starting, m.login = connectingPage, n.Agent, nil
		m.front(n.Agent).fresh()
		return m.tick()
	case workspace.Started:
		return m.started(n)
	case workspace.LoginWanted:
		return m.loginWanted(n)
	case workspace.LoggingIn:
		return m.tick()
	case workspace.LoggedIn:
		if m.starts(n.Agent) {
			m.login = nil
			return m.tick()
		}
		return m.front(n.Agent).say("logged in")
	case workspace.LoginFailed:
		m.loginFailed(n)
	case workspace.Lost, workspace.Redialing:
		return m.tick()
	case workspace.Redialed:
		if n.Err != nil {
			return m.front(n.Agent).say(n.Err.Error())
		}
	case workspace.Gone:
		if m.chat.Agent != n.Agent && !m.quitting {
			return m.chat.say(n.Agent.Name() + " is gone: " + m.label(intent.Sessions))
		}
	case workspace.Shown:
		m.show(m.pageOf(n.Session))
		if m.moving() {
			return m.tick()
		}
	case workspace.NotOpened:
		m.refreshOverview()
		if n.Logged != nil {
			return m.chat.say(m.chat.nobody())
		}
		return m.chat.say(n.Err.Error())
	case workspace.Removed:
		return m.removed(n.Session)
	case workspace.Reconnected:
		c := m.pageOf(n.Session)
		if n.Replaced {
			c.showLoaded()
		}
		c.refreshPopup()
		return c.say("Reconnected")
	case workspace.StartedOver:
		if n.Err != nil && !workspace.WantsLogin(n.Err) {
			return m.pageOf(n.Session).say(n.Err.Error())
		}
	case workspace.Remarked:
		m.pageOf(n.Session).view.Changed(n.Items)
	case workspace.Sent:
		return m.pageOf(n.Session).sent(n)
	case workspace.NotSent:
		return m.pageOf(n.Session).notSent(n)
	case workspace.Returned:
		return m.pageOf(n.Session).returned(n)
	case workspace.Deferred:
		return m.pageOf(n.Session).say("not taken while a turn runs; it is sent after this one: " + n.Err.Error())
	case workspace.Unannounced:
		c := m.pageOf(n.Session)
		c.view.Changed([]int{c.Thread.Remark("⚠ "+UnsaidWords(n.N), "")})
	case workspace.Listed:
		m.heard(n.Err)
	case workspace.Said:
		return m.pageOf(n.Session).say(n.Line)
	}
	return nil
}

func isApplied(n workspace.News) bool {
	_, ok := n.(workspace.Applied)
	return ok
}

// deliver shows what an event has changed; what happens on a page that is not on the
// screen is marked.
func (m *Model) deliver(c *chat, n workspace.Applied) tea.Cmd {
	c.changed = append(c.changed, n.Items...)
	m.ended = m.ended || ends(n.Event)
	cmd := tea.Batch(c.happened(n.Event), m.notify(c, n.Event))
	if _, ended := n.Event.(event.TurnEnded); !ended || c == m.chat || c.ACP != nil && c.ACP.Running() { // it continues with what was queued
		return cmd
	}
	c.unread = true
	return tea.Batch(cmd, m.chat.say("another session is done: "+m.label(intent.Sessions)))
}

// ends tells whether an event is the end of something that can be long.
func ends(e event.Event) bool {
	switch e.(type) {
	case event.TurnEnded, event.HistoryEnded, event.Disconnected:
		return true
	}
	return false
}

// rested tells Options.Rested when something has ended and nothing runs any longer.
func (m *Model) rested() tea.Cmd {
	ended := m.ended
	m.ended = false
	if m.opts.Rested == nil || !ended {
		return nil
	}
	for _, s := range m.w.Sessions() {
		if s.Thread.State != thread.Idle && s.Thread.State != thread.Ended {
			return nil
		}
	}
	return func() tea.Msg {
		m.opts.Rested()
		return nil
	}
}

// starts tells whether an agent has the connecting page.
func (m *Model) starts(a *workspace.Agent) bool { return m.page == connectingPage && m.starting == a }

// started shows the chat with an agent.
func (m *Model) started(n workspace.Started) tea.Cmd {
	c := m.pageOf(n.Session)
	if m.starting == n.Agent {
		m.page, m.starting, m.login = chatPage, nil, nil
		m.w.Show(n.Session)
	}
	if n.Note != "" {
		return c.say(n.Note)
	}
	return nil
}

// removed takes the page of a session away. What was typed there goes to the one in
// front, if it is of the same agent or nothing else keeps it, and so does a field for a
// secret that has the keys: the next key must not land in the composer.
func (m *Model) removed(s *workspace.Session) tea.Cmd {
	from, c := m.pageOf(s), m.chat
	m.leaveDraft(from)
	delete(m.pages, s)
	if p := from.picker; p != nil && p.step != nil {
		if c.picker = p; c.Agent != s.Agent {
			p.step.conn = &workspace.Connection{} // there is no page of the agent left
		}
	}
	takes := m.opts.Drafts == nil || c.Agent.Spec.Key() == s.Agent.Spec.Key()
	for _, text := range append(slices.Clone(s.Queued), from.composer.Value()) {
		if text == "" {
			continue
		}
		c.history.Add(text)
		if takes && c.composer.Empty() {
			c.composer.SetValue(text)
		}
	}
	return nil
}

// show has a page on the screen.
func (m *Model) show(c *chat) {
	m.chat = c
	c.unread = false
	c.lastKey = m.Now() // what was typed elsewhere answers no question here
	c.question.Turn()
	c.elicits.Afresh()
}

// fresh drops what was asked on a connection that is replaced.
func (c *chat) fresh() {
	c.picker = nil
	c.elicits.Clear()
	c.question.Clear()
}

// showLoaded shows the conversation as the agent tells it. The draft stays.
func (c *chat) showLoaded() {
	density := c.view.Density()
	c.view = c.newView()
	c.view.SetDensity(density)
	c.written, c.m.inline.caught = nil, false
	c.focused, c.finding, c.changed = false, nil, nil
}

// sent notes that a prompt has gone out.
func (c *chat) sent(n workspace.Sent) tea.Cmd {
	c.view.End()
	switch notes := n.Notes; {
	case len(notes) == 1:
		return c.say(notes[0])
	case len(notes) > 1:
		return c.say(fmt.Sprintf("%s, and %d more", notes[0], len(notes)-1))
	}
	return nil
}

// notSent puts a prompt that did not go out before the draft.
func (c *chat) notSent(n workspace.NotSent) tea.Cmd {
	c.unsend(n.Text)
	return c.say("not sent: " + n.Err.Error())
}

// unsend puts a prompt that did not go out before the draft.
func (c *chat) unsend(text string) {
	if draft := c.composer.Value(); draft != "" {
		text += "\n" + draft
	}
	c.composer.SetValue(text)
}

// returned gives the text of a prompt that the agent did not take back to the
// composer, in front of what is being typed.
func (c *chat) returned(n workspace.Returned) tea.Cmd {
	carried, text := transcript.SplitCarried(n.Text)
	c.Carried = append(carried, c.Carried...) // they go with the next one
	switch {
	case n.Dropped:
		c.history.Add(text)
		return c.say("the prompt was withdrawn")
	case n.Withdrawn:
		c.giveBack(n.Key, text)
		return c.say("the prompt was withdrawn")
	}
	c.giveBack(n.Key, text)
	return c.say("not taken: " + n.Err.Error())
}

// countLines counts the lines of a change.
func countLines(f workspace.FileChange, before, after string) (added, removed int) {
	return widget.Summarise(widget.Diff{Old: before, New: after, OldMissing: f.Kind == "created"})
}

// retryWord says when another try for a connection comes.
func (m *Model) retryWord(a *workspace.Agent) string {
	at, _ := a.Retrying()
	if at.IsZero() {
		return "connecting"
	}
	return "trying again in " + transcript.Seconds(max(0, at.Sub(m.Now()))+time.Second)
}

// retrying tells whether the connection of the page's agent is lost and another try
// comes, or is under way.
func (c *chat) retrying() bool {
	_, retrying := c.Agent.Retrying()
	return retrying
}

// names are those of all agents that were started.
func (m *Model) names() string {
	var names []string
	for _, a := range m.w.Agents() {
		if a.Spec.Name != "" {
			names = append(names, a.Name())
		}
	}
	return strings.Join(names, ", ")
}
