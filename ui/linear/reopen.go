package linear

import (
	"context"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
)

// reopen opens a session on the new connection. Nothing is sent again.
func (c *chat) reopen(t *talk) {
	s := &t.broken
	if t.session != nil {
		s.Former, t.session = t.session, nil
	}
	switch {
	case s.State == reopen.SessionGone, s.State == reopen.StartingOver:
		s.State = reopen.SessionGone
		t.thread.Revive("")
		return
	case s.Former == nil:
		return
	}
	conn := c.conn
	way, open := s.Again(conn.Client, conn.Template, t.thread)
	switch way {
	case reopen.Never:
		c.goneNow(t, nil)
		return
	case reopen.Load:
		t.loading = true
	}
	c.async(func(ctx context.Context) func() {
		session, err := open(ctx)
		return func() {
			if c.conn == conn && !c.over {
				c.reopened(t, session, err)
			}
		}
	})
}

// reopened takes the session, or says why there is none. What became of a turn that
// was cut is written.
func (c *chat) reopened(t *talk, session *acpclient.Session, err error) {
	c.events()
	s := &t.broken
	coming := s.Coming
	t.loading, s.Coming = false, nil
	switch reopen.OutcomeOf(err) {
	case reopen.Opened:
	case reopen.Gone:
		c.goneNow(t, err)
		return
	case reopen.Lost: // which is told by an event
		s.State = reopen.Live
		return
	case reopen.Login:
		c.failedToReopen(t, err)
		if !c.useGiven(err) {
			c.chooseLogin(true)
		}
		return
	default:
		c.failedToReopen(t, err)
		return
	}
	t.session, s.Former, s.State = session, nil, reopen.Live
	if coming == nil {
		t.thread.Revive(s.Cut.Resumed())
		c.changed(t, lastItem(t))
	} else {
		c.showLoaded(t, coming)
	}
	c.sayUnconfirmed(t)
}

// sayUnconfirmed offers the prompts that may not have arrived.
func (c *chat) sayUnconfirmed(t *talk) {
	for _, p := range t.unconfirmed {
		c.say("Prompt %s; /resend sends it again: %s", p.Why(), cut(oneLine(p.Draft), 60))
	}
}

// showLoaded puts the conversation as the agent tells it in the place of the one
// before. What only parley knows is kept beside it.
func (c *chat) showLoaded(t *talk, coming *thread.Thread) {
	s := &t.broken
	s.Cut.Mark(coming, &t.unconfirmed)
	t.thread = coming
	t.told, t.open, t.slow, t.numbers, t.mute, t.plan = map[int]*told{}, nil, nil, nil, 0, ""
	t.skip()
	if t == c.talk && s.Cut.Exists() {
		c.lastExchange(t)
	}
}

func (c *chat) failedToReopen(t *talk, err error) {
	t.broken.State = reopen.Unopened
	t.thread.Revive("Reconnected, but the session did not open: " + err.Error())
	c.changed(t, lastItem(t))
	c.say("Enter alone tries again; /new starts another session.")
}

// goneNow says that the agent does not have a session any longer.
func (c *chat) goneNow(t *talk, err error) {
	t.broken.State, t.broken.Former = reopen.SessionGone, nil
	t.paused = t.paused || len(t.queued) > 0
	t.thread.Revive(reopen.WhyGone(err))
	c.changed(t, lastItem(t))
	if t == c.talk {
		c.say("Enter alone starts a new one.")
	}
}

// startOver opens a new session in the place of one that is gone. What waits goes on
// waiting for the user.
func (c *chat) startOver(t *talk) {
	if c.pending != nil {
		c.say("A session is being opened already.")
		return
	}
	conn := c.conn
	t.broken.State = reopen.StartingOver
	t.thread.Attach("")
	c.changed(t, lastItem(t))
	c.pending = t
	c.say("Opening a new session.")
	c.opening(t, func(ctx context.Context) (*acpclient.Session, error) {
		return conn.Client.NewSession(ctx, conn.Template)
	}, func(session *acpclient.Session, err error) {
		if err != nil {
			t.broken.State = reopen.SessionGone
			c.say("Not opened: %s. Enter alone tries again.", err)
			return
		}
		t.thread.Session = session.ID()
		c.events()
		t.session, t.broken = session, reopen.Session{}
		c.say("Now in session: %s.", t.title())
		c.settings(t)
		c.sayUnconfirmed(t)
		if len(t.queued) > 0 {
			c.say("Waiting: %s. Enter alone sends the first one, /drop drops the last one.", count(len(t.queued), "prompt"))
		}
	})
}

// comes takes an event for the history that is being loaded; false for what is no
// part of it.
func (t *talk) comes(e event.Event) bool {
	if _, lost := e.(event.Disconnected); lost || t.broken.Coming == nil {
		t.broken.Coming = nil
		return false
	}
	t.broken.Coming.Apply(e)
	return true
}

// cutOff keeps what is known of a turn that the network has cut.
func (t *talk) cutOff(err error) {
	if event.CutOff(err) {
		t.broken.Cut.Take(t.thread, t.last)
		t.unconfirmed.Offer(&t.broken.Cut)
	}
}

// resend sends the oldest prompt again that may not have arrived.
func (c *chat) resend(string) {
	switch {
	case len(c.unconfirmed) == 0:
		c.say("Every prompt has arrived.")
	case c.session == nil:
		c.say("Not sent: there is no session yet.")
	default:
		p, _ := c.unconfirmed.Take(false)
		c.prompt(p.Draft)
	}
}
