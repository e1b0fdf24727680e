package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	chatview "parley/ui/chat"
)

// Messages of lost connections.
type (
	redialMsg struct { // it is time to try again
		link *link
		at   time.Time // the retryAt it was made for
	}
	redialedMsg struct {
		from *event.Queue
		conn *workspace.Connection
		err  error
	}
)

// lost begins to try for a connection with an agent that runs elsewhere; nil where
// that makes no sense.
func (l *link) lost(err error) tea.Cmd {
	var lost *event.LostError
	if l.m.opts.Redial == nil || l.m.quitting || !errors.As(err, &lost) || !lost.Again() {
		l.retryAt = time.Time{}
		return nil
	}
	wait, _ := l.backoff.Next(l.m.now())
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
	l.conn, l.lastErr = msg.conn, nil
	l.backoff.Connected(m.now())
	var cmds []tea.Cmd
	for _, c := range l.chats() {
		cmds = append(cmds, c.reopen())
	}
	return tea.Batch(cmds...)
}

// retryWord says when another try for the connection comes.
func (l *link) retryWord(now time.Time) string {
	if l.redialing {
		return "connecting"
	}
	return "trying again in " + chatview.Seconds(max(0, l.retryAt.Sub(now))+time.Second)
}
