package linear

import (
	"slices"
	"strconv"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/ui"
	"parley/ui/transcript"
)

// talkOf is what was said of a session.
func (c *chat) talkOf(s *workspace.Session) *talk {
	t := c.talks[s]
	if t == nil {
		t = newTalk(s)
		c.talks[s] = t
	}
	return t
}

// newSession opens another session with the same agent. The one before stays open.
func (c *chat) newSession() {
	if c.Agent.Conn() == nil || c.Thread.State == thread.Ended && c.ACP != nil {
		c.say("The agent is gone. Enter alone starts it again.")
		return
	}
	c.say("Opening a new session.")
	c.Agent.NewSession()
}

// entry is a session that can be gone to.
type entry struct {
	open *workspace.Session
	kept event.Listed
}

// sessions lists those that are open and those that the agent keeps; with a number it
// opens that one.
func (c *chat) sessions(arg string) {
	n := 0
	if arg != "" {
		var err error
		if n, err = strconv.Atoi(arg); err != nil || n < 1 {
			c.say("Type /sessions, or /sessions and a number.")
			return
		}
	}
	info := c.Agent.Info()
	if info != nil && !info.List && n == 0 {
		says := c.name() + " does not list sessions."
		if (info.LoadSession || info.Resume) && c.opts.Logs != nil {
			says = c.name() + " does not list sessions; these are from parley's logs:"
		}
		c.say("%s", says)
	}
	c.Agent.Kept(func(kept []event.Listed, err error) {
		if err != nil {
			c.say("Not listed whole: %s.", err)
		}
		c.listed(kept, n)
	})
}

// maxListed bounds the sessions that are written.
const maxListed = 50

func (c *chat) listed(kept []event.Listed, n int) {
	var entries []entry
	for _, s := range c.w.Sessions() {
		if s.ACP != nil {
			entries = append(entries, entry{open: s})
		}
	}
	for _, k := range kept {
		if !slices.ContainsFunc(c.w.Sessions(), func(s *workspace.Session) bool { return s.Thread.Session == k.ID }) {
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
	if e.open != nil {
		t := c.talkOf(e.open)
		words := t.title() + ", open, " + t.Thread.State.String()
		switch {
		case t == c.talk:
			words += ", you are here"
		case t.done:
			words += ", with something new"
		}
		return words
	}
	title := e.kept.Title
	if title == "" {
		title = "without a title"
	}
	words := title + ", in " + safetext.Line(transcript.Home(e.kept.Cwd, c.opts.Home), 200)
	if !e.kept.Updated.IsZero() {
		words += ", " + e.kept.Updated.Local().Format("2006-01-02 15:04")
	}
	return words
}

// goTo brings a session to the front, or has the agent open one it keeps.
func (c *chat) goTo(e entry) {
	switch {
	case e.open == nil:
		c.say("Opening %s.", c.entryWords(e))
		c.Agent.OpenListed(e.kept, nil)
	case e.open == c.Session:
		c.say("You are there.")
	default:
		c.w.Show(e.open)
		c.settleWorkspace()
		c.introduce(c.talk)
	}
}

// left tells what there is to come back to.
func (c *chat) left() ui.Left {
	if !c.Resumable() {
		return ui.Left{}
	}
	return ui.Left{Agent: c.Agent.Spec, Session: c.ACP.ID()}
}
