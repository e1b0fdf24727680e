package ui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	chatview "parley/ui/chat"
)

// Messages of lost connections.
type (
	redialMsg struct { // it is time to try again
		link *link
		at   time.Time // the retryAt it was made for
	}
	redialedMsg struct {
		from *acpclient.Queue
		conn *Connection
		err  error
	}
	reopenedMsg struct {
		chat    *chat
		conn    *Connection
		session *acpclient.Session
		err     error
	}
)

// How long to wait before trying again: it doubles, up to the longest, and a
// random part keeps many clients from coming back at the same moment.
const (
	firstRetry   = 500 * time.Millisecond
	longestRetry = 30 * time.Second
)

// lost begins to try for a connection with an agent that runs elsewhere; nil where
// that makes no sense.
func (l *link) lost(err error) tea.Cmd {
	var lost *acpclient.LostError
	if l.m.opts.Redial == nil || l.m.quitting || !errors.As(err, &lost) || !lost.Again() {
		l.retryAt = time.Time{}
		return nil
	}
	wait := min(firstRetry<<min(l.attempts, 10), longestRetry)
	wait = wait/2 + rand.N(wait/2)
	l.attempts++
	l.retryAt = l.m.now().Add(wait)
	at := l.retryAt
	return tea.Batch(l.m.tick(), tea.Tick(wait, func(time.Time) tea.Msg { return redialMsg{l, at} }))
}

// waiting tells whether the connection is lost and another try is coming, or under
// way.
func (l *link) waiting() bool { return !l.retryAt.IsZero() || l.redialing }

// redial connects again. The pages stay as they are until that has worked.
func (l *link) redial() tea.Cmd {
	m := l.m
	if l.redialing || m.opts.Redial == nil {
		return nil
	}
	l.retryAt, l.redialing = time.Time{}, true
	old := l.conn
	l.conn = nil
	kept, gone := l.kept, l.gone
	l.forget()
	l.kept, l.gone = kept, gone
	ctx, cancel := context.WithCancel(m.conns.ctx)
	l.cancelConnect = cancel
	agent, queue, log := l.agent, l.queue, l.log
	start := func() tea.Msg {
		conn, err := m.conns.start(ctx, agent, m.opts.Redial, queue, log)
		return redialedMsg{queue, conn, err}
	}
	return tea.Batch(l.listen(), start, m.end(old), m.tick())
}

// redialed goes on with the sessions, or tries again later.
func (m *Model) redialed(msg redialedMsg) tea.Cmd {
	l := m.linkOf(msg.from)
	if l == nil || m.quitting {
		return m.end(msg.conn)
	}
	l.cancelConnect, l.redialing = nil, false
	if msg.err != nil {
		l.lastErr = msg.err
		if cmd := l.lost(msg.err); cmd != nil {
			return cmd
		}
		return l.front().say(msg.err.Error())
	}
	l.conn, l.attempts, l.lastErr = msg.conn, 0, nil
	var cmds []tea.Cmd
	for _, c := range l.chats() {
		cmds = append(cmds, c.reopen())
	}
	return tea.Batch(cmds...)
}

// reopen opens the page's session on the new connection: with the conversation as
// the agent has it, where it tells it, else behind what is there.
func (c *chat) reopen() tea.Cmd {
	if c.session == nil {
		return nil
	}
	conn, id := c.link.conn, c.session.ID()
	n := conn.Template
	if cwd := c.session.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	info := conn.Client.Agent()
	open := conn.Client.ResumeSession
	switch {
	case info.LoadSession:
		open = conn.Client.LoadSession
		c.rebuild(id)
	case info.Resume:
		c.thread.Revive("the connection was lost and is back; what the agent did meanwhile may be missing here")
		c.began = len(c.thread.Items)
		c.view.Changed([]int{0})
	default:
		c.session = nil
		return c.say("connected, without the session: enter begins another one")
	}
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(c.m.conns.ctx, 5*time.Minute)
		defer stop()
		s, err := open(ctx, id, n)
		return reopenedMsg{c, conn, s, err}
	}
}

// rebuild empties the page for what the agent is about to tell anew. The draft and
// the queue stay.
func (c *chat) rebuild(id string) {
	title, density := c.thread.Title, c.view.Density()
	former := c.thread
	c.thread = thread.New(id)
	c.thread.Title = title
	c.thread.CarryShells(former)
	c.view = chatview.New(c.thread, c.m.opts.Cwd, c.m.th)
	c.view.SetDensity(density)
	c.focused, c.changed, c.began, c.eras = false, nil, 0, nil
}

// reopened takes the session, or says why there is none.
func (m *Model) reopened(msg reopenedMsg) tea.Cmd {
	c := msg.chat
	if msg.conn != c.link.conn {
		return nil
	}
	if msg.err != nil {
		c.changed = append(c.changed, c.thread.Apply(acpclient.Disconnected{Err: fmt.Errorf("connected again, but the session is not: %w", msg.err)})...)
		c.applied()
		return nil
	}
	c.attach(msg.session)
	return c.say("connected again")
}

// retryWord says when another try for the connection comes.
func (l *link) retryWord(now time.Time) string {
	if l.redialing {
		return "connecting"
	}
	return "trying again in " + chatview.Seconds(max(0, l.retryAt.Sub(now))+time.Second)
}
