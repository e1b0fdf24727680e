package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/workspace"
	"parley/permissions"
	chatview "parley/ui/chat"
)

// lostSession is what a page keeps over a lost connection.
type lostSession struct {
	reopen.Session
	opened *acpclient.Session // open again, while the history is still to come
	asked  bool               // the first prompt that waits is meant for the session that is being opened
}

// Messages of sessions that are opened on another connection.
type (
	reopenedMsg struct {
		chat    *chat
		conn    *workspace.Connection
		session *acpclient.Session
		err     error
	}
	startedOverMsg reopenedMsg
)

// reopen opens the page's session on the new connection. What is there stays on the
// screen until the agent has told its own.
func (c *chat) reopen() tea.Cmd {
	l, s := c.link, &c.lost
	if c.session != nil {
		s.Former, c.session = c.session, nil
	}
	switch {
	case s.State == reopen.SessionGone, s.State == reopen.StartingOver:
		c.stayGone()
		return nil
	case s.Former == nil:
		return nil
	}
	conn := l.conn
	way, open := s.Again(conn.Client, conn.Template, c.thread)
	switch way {
	case reopen.Never:
		return c.goneNow(nil)
	case reopen.Resume:
		c.began = len(c.thread.Items)
	}
	return func() tea.Msg {
		session, err := open(c.m.conns.ctx)
		return reopenedMsg{c, conn, session, err}
	}
}

// take goes on with the session, or says why there is none.
func (msg reopenedMsg) take(m *Model) tea.Cmd {
	c := msg.chat
	if msg.conn != c.link.conn || c.lost.State != reopen.Reopening {
		return nil
	}
	s := &c.lost
	switch reopen.OutcomeOf(msg.err) {
	case reopen.Opened:
		s.opened = msg.session
		return c.reattach()
	case reopen.Gone:
		return c.goneNow(msg.err)
	case reopen.Lost: // which is told by an event
		s.State = reopen.Live
		return nil
	case reopen.Login:
		c.failedToReopen(msg.err)
		return c.wantLogin(msg.err)
	}
	c.failedToReopen(msg.err)
	return nil
}

func (c *chat) failedToReopen(err error) {
	c.lost.State = reopen.Unopened
	c.thread.Revive("Reconnected, but the session did not open: " + err.Error())
	c.view.Changed([]int{0})
}

// goneNow says that the agent does not have the session any longer.
func (c *chat) goneNow(err error) tea.Cmd {
	c.lost.State, c.lost.Former = reopen.SessionGone, nil
	c.thread.Revive(reopen.WhyGone(err))
	c.view.Changed([]int{0})
	return nil
}

// stayGone is goneNow on a further connection.
func (c *chat) stayGone() {
	if c.link.pending == c {
		c.link.pending = nil
	}
	c.lost.State = reopen.SessionGone
	c.thread.Revive("")
	c.view.Changed([]int{0})
}

// comes takes an event for the history that is being loaded; false for what is no
// part of it.
func (c *chat) comes(e event.Event) (tea.Cmd, bool) {
	s := &c.lost
	switch e := e.(type) {
	case permissions.Asked, permissions.Settled, event.ElicitationAsked, event.ElicitationSettled, event.ElicitationCompleted:
		return nil, false
	case event.NoticeArrived: // the page it is on goes
		s.Coming.Apply(e)
		return nil, false
	case event.Disconnected:
		s.Coming, s.opened = nil, nil
		return nil, false
	case event.HistoryEnded:
		s.Coming.Apply(e)
		if e.Err == nil {
			c.showLoaded()
		}
		s.Coming = nil
		return c.reattach(), true
	}
	s.Coming.Apply(e)
	return nil, true
}

// showLoaded puts the conversation as the agent tells it in the place of the one
// before. What only parley knows is kept beside it; the draft and the queue stay.
func (c *chat) showLoaded() {
	s, former, density := &c.lost, c.thread, c.view.Density()
	c.thread = s.Coming
	c.thread.CarryShells(former)
	s.Cut.Mark(c.thread, &c.unconfirmed)
	c.view = c.newView()
	c.view.SetDensity(density)
	c.written, c.m.inline.caught = nil, false
	c.counted.writtenAdded, c.counted.writtenRemoved = 0, 0
	c.focused, c.finding, c.changed, c.began, c.eras = false, nil, nil, 0, nil
}

// reattach takes the session over once it is open and its history has come.
func (c *chat) reattach() tea.Cmd {
	s := &c.lost
	if s.opened == nil || s.Coming != nil {
		return nil
	}
	if c.thread.State == thread.Ended { // nothing was told
		c.thread.Revive(s.Cut.Resumed())
		c.view.Changed([]int{0})
	}
	session := s.opened
	s.Former, s.opened, s.State = nil, nil, reopen.Live
	c.attach(session)
	c.refreshPopup()
	return c.say("Reconnected")
}

// goOn is enter on a page that has no session: it goes on with what stands in the
// way of one. False where nothing does.
func (c *chat) goOn() (tea.Cmd, bool) {
	l, s := c.link, &c.lost
	ended := c.thread.State == thread.Ended
	switch {
	case l.waiting():
		return l.redial(), true
	case s.State == reopen.Reopening && l.conn != nil:
		return nil, false
	case ended && l.agent.Remote && (c.session != nil || s.Former != nil || s.State == reopen.SessionGone):
		return l.redial(), true
	case ended:
		return l.restart(), true
	case s.State == reopen.SessionGone:
		return c.startOver(), true
	case s.State == reopen.Unopened:
		return c.reopen(), true
	}
	return nil, false
}

// startOver opens a new session on the page of one that is gone. The draft and what
// waits stay; nothing is sent by itself.
func (c *chat) startOver() tea.Cmd {
	l := c.link
	if l.pending != nil {
		return c.say("a session is being opened already")
	}
	cut := c.lost.Cut
	c.fresh()
	c.lost.State, c.lost.Cut = reopen.StartingOver, cut
	l.pending = c
	ctx, cancel := context.WithCancel(c.m.conns.ctx)
	c.giveUp = cancel
	conn := l.conn
	return func() tea.Msg {
		s, err := conn.Client.NewSession(ctx, conn.Template)
		return startedOverMsg{c, conn, s, err}
	}
}

// take takes the new session, or leaves the page as it was.
func (msg startedOverMsg) take(m *Model) tea.Cmd {
	c, l := msg.chat, msg.chat.link
	if l.pending == c {
		l.pending = nil
	}
	if msg.conn != l.conn || c.lost.State != reopen.StartingOver {
		return nil
	}
	c.giveUp()
	if msg.err != nil {
		c.lost.State = reopen.SessionGone
		if reopen.OutcomeOf(msg.err) == reopen.Login {
			return c.wantLogin(msg.err)
		}
		return c.say(msg.err.Error())
	}
	asked := c.lost.asked
	c.lost.State, c.lost.asked = reopen.Live, false
	c.attach(msg.session)
	if asked {
		return c.next(event.TurnEnded{})
	}
	return nil
}

// newPrompt forgets the turn that was cut: it is no longer the last.
func (c *chat) newPrompt() { c.lost.Cut = reopen.Cut{} }

// cutOff keeps what is known of a turn that the network has cut.
func (c *chat) cutOff(err error) {
	if !event.CutOff(err) {
		return
	}
	c.lost.Cut.Take(c.thread, c.lastPrompt)
	c.unconfirmed.Offer(&c.lost.Cut)
}

// takeUnconfirmed takes the newest prompt that may not have arrived into the
// composer, or drops it.
func (c *chat) takeUnconfirmed(edit bool) bool {
	p, ok := c.unconfirmed.Take(true)
	if ok && edit {
		carried, own := chatview.SplitCarried(p.Draft)
		c.carried = append(carried, c.carried...)
		c.composer.SetValue(own)
	}
	return ok
}
