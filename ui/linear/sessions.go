package linear

import (
	"context"
	"slices"
	"strconv"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui"
	chatview "parley/ui/chat"
)

// newSession opens another session with the same agent. The one before stays open.
func (c *chat) newSession() {
	if c.conn == nil || c.thread.State == thread.Ended && c.session != nil {
		c.say("The agent is gone. Enter alone starts it again.")
		return
	}
	if c.pending != nil {
		c.say("A session is being opened already.")
		return
	}
	conn := c.conn
	t := newTalk("")
	c.pending = t
	c.talks = append(c.talks, t)
	c.say("Opening a new session.")
	c.openTalk(t, func(ctx context.Context) (*acpclient.Session, error) {
		return conn.Client.NewSession(ctx, conn.Template)
	})
}

// openTalk has a session opened and brings it to the front.
func (c *chat) openTalk(t *talk, open func(context.Context) (*acpclient.Session, error)) {
	c.opening(t, open, func(s *acpclient.Session, err error) {
		if err != nil {
			c.dropTalk(t)
			c.say("Not opened: %s.", err)
			return
		}
		c.openedTalk(t, s)
	})
}

// opening has the session that is pending opened. done is called unless the
// connection has been lost meanwhile.
func (c *chat) opening(t *talk, open func(context.Context) (*acpclient.Session, error), done func(*acpclient.Session, error)) {
	conn := c.conn
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, reopen.Patience)
		defer stop()
		s, err := open(ctx)
		return func() {
			if c.pending == t {
				c.pending = nil
			}
			if c.conn == conn && !c.over {
				done(s, err)
			}
		}
	})
}

func (c *chat) openedTalk(t *talk, s *acpclient.Session) {
	t.thread.Session = s.ID()
	c.events()
	t.session, t.loading = s, false
	if c.talk.session == nil { // it stood for one that is gone
		t.queued, t.paused = append(c.talk.queued, t.queued...), t.paused || c.talk.paused
		t.unconfirmed = append(c.talk.unconfirmed, t.unconfirmed...)
		c.talk.queued, c.talk.unconfirmed = nil, nil
		c.dropTalk(c.talk)
	}
	c.front(t)
	c.settings(t)
}

// dropTalk forgets a session that is not open.
func (c *chat) dropTalk(t *talk) {
	c.talks = slices.DeleteFunc(c.talks, func(o *talk) bool { return o == t })
	if t.thread.Session != "" && c.gone != nil {
		c.gone[t.thread.Session] = true
	}
}

// entry is a session that can be gone to.
type entry struct {
	t    *talk
	kept acpclient.Listed
}

// sessions lists those that are open and those that the agent keeps; with a number
// it opens that one.
func (c *chat) sessions(arg string) {
	n := 0
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			c.say("Type /sessions, or /sessions and a number.")
			return
		}
	}
	conn := c.conn
	if conn == nil {
		c.listed(nil, n)
		return
	}
	info := conn.Client.Agent()
	list := func(ctx context.Context) ([]acpclient.Listed, error) { return conn.Client.ListSessions(ctx, "") }
	if !info.List {
		says := c.name() + " does not list sessions."
		list = func(context.Context) ([]acpclient.Listed, error) { return nil, nil }
		if (info.LoadSession || info.Resume) && c.opts.Logs != nil {
			says = c.name() + " does not list sessions; these are from parley's logs:"
			list = c.loggedSessions(c.agent)
		}
		if n == 0 {
			c.say("%s", says)
		}
	}
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, requestPatience)
		defer stop()
		kept, err := list(ctx)
		return func() {
			if c.over {
				return
			}
			if err != nil {
				c.say("Not listed whole: %s.", err)
			}
			if c.conn == conn {
				c.listed(kept, n)
			}
		}
	})
}

// loggedSessions lists those of an agent that parley has logs of.
func (c *chat) loggedSessions(a workspace.Spec) func(context.Context) ([]acpclient.Listed, error) {
	logs := c.opts.Logs
	return func(context.Context) ([]acpclient.Listed, error) {
		logged, err := logs()
		var known []acpclient.Listed
		for _, g := range logged {
			if g.OfAgent(a) {
				known = append(known, acpclient.Listed{ID: g.Session, Cwd: g.Dir, Title: g.Title, Updated: g.Updated})
			}
		}
		return known, err
	}
}

// maxListed bounds the sessions that are written.
const maxListed = 50

func (c *chat) listed(kept []acpclient.Listed, n int) {
	var entries []entry
	for _, t := range c.talks {
		if t.session != nil {
			entries = append(entries, entry{t: t})
		}
	}
	for _, k := range kept {
		if !slices.ContainsFunc(c.talks, func(t *talk) bool { return t.thread.Session == k.ID }) {
			entries = append(entries, entry{kept: k})
		}
	}
	if n > 0 {
		if n > len(entries) {
			c.say("There is no session %d.", n)
			return
		}
		c.goTo(entries[n-1])
		return
	}
	if len(entries) == 0 {
		c.say("There are no sessions.")
		return
	}
	c.say("Sessions:")
	for i, e := range entries[:min(len(entries), maxListed)] {
		c.say("%d. %s", i+1, c.entryWords(e))
	}
	if more := len(entries) - maxListed; more > 0 {
		c.say("And %d more.", more)
	}
	c.say("/sessions and a number opens one.")
}

func (c *chat) entryWords(e entry) string {
	if e.t != nil {
		words := e.t.title() + ", open, " + e.t.thread.State.String()
		switch {
		case e.t == c.talk:
			words += ", you are here"
		case e.t.done:
			words += ", with something new"
		}
		return words
	}
	title := e.kept.Title
	if title == "" {
		title = "without a title"
	}
	words := title + ", in " + safetext.Line(chatview.Home(e.kept.Cwd, c.opts.Home), 200)
	if !e.kept.Updated.IsZero() {
		words += ", " + e.kept.Updated.Local().Format("2006-01-02 15:04")
	}
	return words
}

// goTo brings a session to the front, or has the agent open one it keeps.
func (c *chat) goTo(e entry) {
	if e.t != nil {
		if e.t == c.talk {
			c.say("You are there.")
			return
		}
		c.front(e.t)
		return
	}
	conn := c.conn
	info := conn.Client.Agent()
	open := conn.Client.LoadSession
	switch {
	case info.LoadSession:
	case info.Resume:
		open = conn.Client.ResumeSession
	default:
		c.say("The agent cannot open a session again.")
		return
	}
	n := conn.Template
	if e.kept.Cwd != "" {
		n.Cwd = e.kept.Cwd
	}
	t := newTalk(e.kept.ID)
	t.thread.Title = e.kept.Title
	c.talks = append(c.talks, t)
	c.say("Opening %s.", c.entryWords(e))
	c.openTalk(t, func(ctx context.Context) (*acpclient.Session, error) { return open(ctx, e.kept.ID, n) })
}

// left tells what there is to come back to.
func (c *chat) left() ui.Left {
	if c.session == nil || c.conn == nil || len(prompts(c.thread)) == 0 {
		return ui.Left{}
	}
	if info := c.conn.Client.Agent(); !info.LoadSession && !info.Resume {
		return ui.Left{}
	}
	return ui.Left{Agent: c.agent, Session: c.session.ID()}
}
