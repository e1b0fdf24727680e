package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/permissions"
	chatview "parley/ui/chat"
)

// sessionState is how a page's session stands once its connection was lost.
type sessionState int

const (
	sessionOpen  sessionState = iota // it is open, or is being opened for the first time
	reopening                        // it is being opened again
	unopened                         // that went wrong, and can be tried again
	sessionGone                      // the agent does not have it any longer
	startingOver                     // another one is being opened in its place
)

// lostSession is what a page keeps over a lost connection.
type lostSession struct {
	state  sessionState
	former *acpclient.Session // that of the dead connection, until it is open again
	coming *thread.Thread     // takes the history while it is loaded, and then the place of the page's thread
	opened *acpclient.Session // open again, while the history is still to come
	cut    reopen.Cut         // the turn that was cut, until another prompt goes out
	asked  bool               // the first prompt that waits is meant for the session that is being opened
}

// Messages of sessions that are opened on another connection.
type (
	reopenedMsg struct {
		chat    *chat
		conn    *Connection
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
		s.former, c.session = c.session, nil
	}
	switch {
	case s.state == sessionGone, s.state == startingOver:
		c.stayGone()
		return nil
	case s.former == nil:
		return nil
	}
	conn, id := l.conn, s.former.ID()
	n := conn.Template
	if cwd := s.former.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	way := reopen.WayOf(conn.Client.Agent())
	switch way {
	case reopen.Never:
		return c.goneNow(nil)
	case reopen.Load:
		s.coming = thread.New(id)
		s.coming.Title = c.thread.Title
	case reopen.Resume:
		c.began = len(c.thread.Items)
	}
	s.state = reopening
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(c.m.conns.ctx, 5*time.Minute)
		defer stop()
		session, err := way.Open(ctx, conn.Client, id, n)
		return reopenedMsg{c, conn, session, err}
	}
}

// take goes on with the session, or says why there is none.
func (msg reopenedMsg) take(m *Model) tea.Cmd {
	c := msg.chat
	if msg.conn != c.link.conn || c.lost.state != reopening {
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
		s.state = sessionOpen
		return nil
	case reopen.Login:
		c.failedToReopen(msg.err)
		return c.wantLogin(msg.err)
	}
	c.failedToReopen(msg.err)
	return nil
}

func (c *chat) failedToReopen(err error) {
	c.lost.state = unopened
	c.thread.Revive("Reconnected, but the session did not open: " + err.Error())
	c.view.Changed([]int{0})
}

// goneNow says that the agent does not have the session any longer.
func (c *chat) goneNow(err error) tea.Cmd {
	c.lost.state, c.lost.former = sessionGone, nil
	c.thread.Revive(reopen.WhyGone(err))
	c.view.Changed([]int{0})
	return nil
}

// stayGone is goneNow on a further connection.
func (c *chat) stayGone() {
	if c.link.pending == c {
		c.link.pending = nil
	}
	c.lost.state = sessionGone
	c.thread.Revive("")
	c.view.Changed([]int{0})
}

// comes takes an event for the history that is being loaded; false for what is no
// part of it.
func (c *chat) comes(e acpclient.Event) (tea.Cmd, bool) {
	s := &c.lost
	switch e := e.(type) {
	case permissions.Asked, permissions.Settled, acpclient.ElicitationAsked, acpclient.ElicitationSettled, acpclient.ElicitationCompleted:
		return nil, false
	case acpclient.NoticeArrived: // the page it is on goes
		s.coming.Apply(e)
		return nil, false
	case acpclient.Disconnected:
		s.coming, s.opened = nil, nil
		return nil, false
	case acpclient.HistoryEnded:
		s.coming.Apply(e)
		if e.Err == nil {
			c.showLoaded()
		}
		s.coming = nil
		return c.reattach(), true
	}
	s.coming.Apply(e)
	return nil, true
}

// showLoaded puts the conversation as the agent tells it in the place of the one
// before. What only parley knows is kept beside it; the draft and the queue stay.
func (c *chat) showLoaded() {
	s, former, density := &c.lost, c.thread, c.view.Density()
	c.thread = s.coming
	c.thread.CarryShells(former)
	s.cut.Mark(c.thread, &c.unconfirmed)
	c.view = c.newView()
	c.view.SetDensity(density)
	c.written, c.m.inline.caught = nil, false
	c.counted.writtenAdded, c.counted.writtenRemoved = 0, 0
	c.focused, c.finding, c.changed, c.began, c.eras = false, nil, nil, 0, nil
}

// reattach takes the session over once it is open and its history has come.
func (c *chat) reattach() tea.Cmd {
	s := &c.lost
	if s.opened == nil || s.coming != nil {
		return nil
	}
	if c.thread.State == thread.Ended { // nothing was told
		c.thread.Revive(s.cut.Resumed())
		c.view.Changed([]int{0})
	}
	session := s.opened
	s.former, s.opened, s.state = nil, nil, sessionOpen
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
	case s.state == reopening && l.conn != nil:
		return nil, false
	case ended && l.agent.Remote && (c.session != nil || s.former != nil || s.state == sessionGone):
		return l.redial(), true
	case ended:
		return l.restart(), true
	case s.state == sessionGone:
		return c.startOver(), true
	case s.state == unopened:
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
	cut := c.lost.cut
	c.fresh()
	c.lost.state, c.lost.cut = startingOver, cut
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
	if msg.conn != l.conn || c.lost.state != startingOver {
		return nil
	}
	c.giveUp()
	if msg.err != nil {
		c.lost.state = sessionGone
		if reopen.OutcomeOf(msg.err) == reopen.Login {
			return c.wantLogin(msg.err)
		}
		return c.say(msg.err.Error())
	}
	asked := c.lost.asked
	c.lost.state, c.lost.asked = sessionOpen, false
	c.attach(msg.session)
	if asked {
		return c.next(acpclient.TurnEnded{})
	}
	return nil
}

// newPrompt forgets the turn that was cut: it is no longer the last.
func (c *chat) newPrompt() { c.lost.cut = reopen.Cut{} }

// cutOff keeps what is known of a turn that the network has cut.
func (c *chat) cutOff(err error) {
	if !acpclient.CutOff(err) {
		return
	}
	c.lost.cut.Take(c.thread, c.lastPrompt)
	c.unconfirmed.Offer(&c.lost.cut)
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
