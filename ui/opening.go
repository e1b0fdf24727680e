package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/reopen"
	"parley/internal/workspace"
	"parley/ui/intent"
)

// openEntry shows a session that is open, or has the agent open one it keeps.
func (m *Model) openEntry(e entry) tea.Cmd {
	if e.chat != nil {
		m.show(e.chat)
		return nil
	}
	if e.logged != nil && e.link == nil {
		return m.openLogged(*e.logged, m.whyReadOnly(*e.logged))
	}
	l, kept := e.link, e.listed
	if !l.live() {
		return m.chat.say("the agent is gone")
	}
	info := l.conn.Client.Agent()
	if !info.LoadSession && !info.Resume {
		return m.chat.say("the agent cannot open a session again")
	}
	// The directory is the session's own and stood in the list. Further ones are
	// the user's: the agent's list must not widen what it may read.
	conn := l.conn
	n := conn.Template
	if kept.Cwd != "" {
		n.Cwd = kept.Cwd
	}
	c, ctx := m.addChat(l)
	c.thread.Session = kept.ID
	c.thread.Title = kept.Title
	if !l.agent.Remote && kept.Cwd != m.opts.Cwd {
		c.dir = kept.Cwd
	}
	return func() tea.Msg {
		open := conn.Client.LoadSession
		if !info.LoadSession {
			open = conn.Client.ResumeSession
		}
		s, err := open(ctx, kept.ID, n)
		return openedMsg{c, conn, s, err, e.logged}
	}
}

// newSession opens another session with the same agent.
func (m *Model) newSession() tea.Cmd {
	l := m.chat.link
	if m.chat.recorded {
		return m.chat.say(m.chat.nobody())
	}
	if !l.live() {
		return m.chat.say("the agent is gone")
	}
	if l.pending != nil {
		return m.chat.say("a session is being opened already")
	}
	c, ctx := m.addChat(l)
	l.pending = c
	conn := l.conn
	return func() tea.Msg {
		s, err := conn.Client.NewSession(ctx, conn.Template)
		return openedMsg{c, conn, s, err, nil}
	}
}

// addChat makes a page and shows it. Its session is opened under ctx, which
// giving up ends.
func (m *Model) addChat(l *link) (c *chat, ctx context.Context) {
	c = newChat(m, l)
	c.from = m.chat
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
	for _, e := range c.elicits {
		e.unread()
	}
}

// opened takes a session that was asked for; the page of one that could not be
// opened goes away again.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	l := msg.chat.link
	if l.pending == msg.chat {
		l.pending = nil
	}
	if msg.conn != l.conn {
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
		if why := l.refused(msg); why != "" {
			cmd := m.openLogged(*msg.logged, why)
			return tea.Batch(cmd, m.chat.say(m.chat.nobody()))
		}
		return m.chat.say(msg.err.Error())
	}
	msg.chat.attach(msg.session)
	return msg.chat.resume() // what was sent before it was open
}

// refused says why a session that parley's log has was not opened; "" where there is no
// log of it, or it may be opened yet.
func (l *link) refused(msg openedMsg) string {
	outcome := reopen.OutcomeOf(msg.err)
	switch {
	case msg.logged == nil:
	case outcome == reopen.Gone:
		return l.name() + " refused it: " + strings.TrimPrefix(reopen.Answer(msg.err), "the agent answered: ")
	case outcome == reopen.Failed: // its directory is gone, say
		return msg.err.Error()
	}
	return ""
}

// rescue takes over what was typed on a page that goes away, and whoever is
// about to type a secret: the next key must not land in the composer.
func (c *chat) rescue(from *chat) {
	if p := from.picker; p != nil && p.step != nil {
		if c.picker = p; c.link != from.link {
			p.step.conn = &workspace.Connection{} // there is no page of the agent to go on with
		}
	}
	from.requeue()
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
	m.leaveDraft(c)
	if c.thread.Session != "" {
		c.link.gone[c.thread.Session] = true
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

// deliver applies an event to a page; what happens on one that is not on the
// screen is marked.
func (m *Model) deliver(c *chat, e event.Event) tea.Cmd {
	cmd := tea.Batch(c.apply(e), m.notify(c, e))
	if c == m.chat {
		return cmd
	}
	switch e.(type) {
	case event.TurnEnded:
		if c.session != nil && c.session.Running() {
			return cmd // it goes on with what was queued
		}
		c.unread = true
		return tea.Batch(cmd, m.chat.say("another session is done: "+m.label(intent.Sessions)))
	}
	return cmd
}
