package linear

import (
	"context"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/reopen"
)

// sessionState is how a session stands once its connection was lost.
type sessionState int

const (
	sessionOpen  sessionState = iota // it is open, or is being opened for the first time
	reopening                        // it is being opened again
	unopened                         // that went wrong, and can be tried again
	sessionGone                      // the agent does not have it any longer
	startingOver                     // another one is being opened in its place
)

// lostSession is what is kept of a session over a lost connection.
type lostSession struct {
	state  sessionState
	former *acpclient.Session // that of the dead connection, until it is open again
	coming *thread.Thread     // takes the history while it is loaded, and then the place of the thread
	cut    reopen.Cut         // the turn that was cut, until another prompt goes out
}

// reopen opens a session on the new connection. Nothing is sent again.
func (c *chat) reopen(t *talk) {
	s := &t.broken
	if t.session != nil {
		s.former, t.session = t.session, nil
	}
	switch {
	case s.state == sessionGone, s.state == startingOver:
		s.state = sessionGone
		t.thread.Revive("")
		return
	case s.former == nil:
		return
	}
	conn, id := c.conn, s.former.ID()
	n := conn.Template
	if cwd := s.former.Cwd(); cwd != n.Cwd {
		n.Cwd, n.Roots = cwd, nil
	}
	way := reopen.WayOf(conn.Client.Agent())
	switch way {
	case reopen.Never:
		c.goneNow(t, nil)
		return
	case reopen.Load:
		s.coming = thread.New(id)
		s.coming.Title = t.thread.Title
		t.loading = true
	}
	s.state = reopening
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, reopenPatience)
		defer stop()
		session, err := way.Open(ctx, conn.Client, id, n)
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
	coming := s.coming
	t.loading, s.coming = false, nil
	switch reopen.OutcomeOf(err) {
	case reopen.Opened:
	case reopen.Gone:
		c.goneNow(t, err)
		return
	case reopen.Lost: // which is told by an event
		s.state = sessionOpen
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
	t.session, s.former, s.state = session, nil, sessionOpen
	if coming == nil {
		t.thread.Revive(s.cut.Resumed())
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
	s.cut.Mark(coming, &t.unconfirmed)
	t.thread = coming
	t.told, t.open, t.slow, t.numbers, t.mute, t.plan = map[int]*told{}, nil, nil, nil, 0, ""
	t.skip()
	if t == c.talk && s.cut.Exists() {
		c.lastExchange(t)
	}
}

func (c *chat) failedToReopen(t *talk, err error) {
	t.broken.state = unopened
	t.thread.Revive("Reconnected, but the session did not open: " + err.Error())
	c.changed(t, lastItem(t))
	c.say("Enter alone tries again; /new starts another session.")
}

// goneNow says that the agent does not have a session any longer.
func (c *chat) goneNow(t *talk, err error) {
	t.broken.state, t.broken.former = sessionGone, nil
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
	t.broken.state = startingOver
	t.thread.Attach("")
	c.changed(t, lastItem(t))
	c.pending = t
	c.say("Opening a new session.")
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, reopenPatience)
		defer stop()
		session, err := conn.Client.NewSession(ctx, conn.Template)
		return func() {
			if c.pending == t {
				c.pending = nil
			}
			if c.conn != conn || c.over {
				return
			}
			if err != nil {
				t.broken.state = sessionGone
				c.say("Not opened: %s. Enter alone tries again.", err)
				return
			}
			t.thread.Session = session.ID()
			c.events()
			t.session, t.broken = session, lostSession{}
			c.say("Now in session: %s.", t.title())
			c.settings(t)
			c.sayUnconfirmed(t)
			if len(t.queued) > 0 {
				c.say("Waiting: %s. Enter alone sends the first one, /drop drops the last one.", count(len(t.queued), "prompt"))
			}
		}
	})
}

// comes takes an event for the history that is being loaded; false for what is no
// part of it.
func (t *talk) comes(e acpclient.Event) bool {
	if _, lost := e.(acpclient.Disconnected); lost || t.broken.coming == nil {
		t.broken.coming = nil
		return false
	}
	t.broken.coming.Apply(e)
	return true
}

// cutOff keeps what is known of a turn that the network has cut.
func (t *talk) cutOff(err error) {
	if acpclient.CutOff(err) {
		t.broken.cut.Take(t.thread, t.last)
		t.unconfirmed.Offer(&t.broken.cut)
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
