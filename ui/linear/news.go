package linear

import (
	"strings"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/workspace"
	"parley/permissions"
	"parley/ui"
)

// settleWorkspace has done what the workspace wants, and says what has happened in it.
func (c *chat) settleWorkspace() {
	for {
		for _, task := range c.w.Tasks() {
			c.run1(task)
		}
		n, ok := c.w.TakeNews()
		if !ok {
			return
		}
		if !c.over {
			c.hear(n)
		}
	}
}

// run1 runs a task on a goroutine of its own, and takes what it brings.
func (c *chat) run1(task workspace.Task) {
	c.background(func() func() {
		r := task()
		return func() {
			for more := r != nil; more; {
				more = c.w.Done(r)
				c.settleWorkspace()
			}
		}
	})
}

// hear says one piece of news.
func (c *chat) hear(n workspace.News) {
	switch n := n.(type) {
	case workspace.Applied:
		c.applied(c.talkOf(n.Session), n.Event, n.Items)
	case workspace.Starting:
		c.forget()
		c.starting(n.Agent)
	case workspace.Started:
		c.started(n)
	case workspace.NotStarted:
		c.notStarted(n.Agent, n.Err)
	case workspace.LoginWanted:
		c.loginWanted(n)
	case workspace.LoggingIn:
		c.say("Logging in: %s. The agent may open a browser.", oneLine(n.Agent.LoggingIn()))
	case workspace.LoggedIn:
		c.say("Logged in.")
	case workspace.LoginFailed:
		c.say("The login did not succeed: %s.", n.Err)
		c.chooseLogin(true)
	case workspace.Lost:
		c.lost(n)
	case workspace.Redialing:
		c.forget()
	case workspace.Redialed:
		if n.Err != nil {
			c.notStarted(n.Agent, n.Err)
			break
		}
		c.say("Connected again.")
	case workspace.Gone:
		c.gone(n)
	case workspace.Shown:
		c.show(c.talkOf(n.Session))
	case workspace.Opened:
		c.opened(n.Session)
	case workspace.NotOpened:
		c.say("Not opened: %s.", n.Err)
	case workspace.Removed: // what waited there waits here
		delete(c.talks, n.Session)
		c.Queued, c.Paused = append(n.Session.Queued, c.Queued...), c.Paused || n.Session.Paused
		c.Offers = append(n.Session.Offers, c.Offers...)
	case workspace.Reconnected:
		c.reconnected(n)
	case workspace.SessionGone:
		if n.Session == c.Session {
			c.say("Enter alone starts a new one.")
		}
	case workspace.NotReopened:
		c.say("Enter alone tries again; /new starts another session.")
	case workspace.StartedOver:
		c.startedOver(n)
	case workspace.Remarked:
		c.changed(c.talkOf(n.Session), lastItem(n.Session.Thread))
	case workspace.Sent:
		c.sent(n)
	case workspace.NotSent:
		c.putAside(n.Session, n.Text, "Not sent: "+n.Err.Error(), "")
	case workspace.Returned:
		why := "it was withdrawn"
		if !n.Withdrawn {
			why = n.Err.Error()
		}
		c.putAside(n.Session, n.Text, "Not taken: "+why, cut(oneLine(n.Text), 60))
	case workspace.Deferred:
		c.say("Not taken while a turn runs: %s. It is sent after this one.", n.Err)
	case workspace.Paused:
		c.sayPaused(c.talkOf(n.Session))
	case workspace.Unannounced:
		c.say("Warning: %s.", ui.UnsaidWords(n.N))
	case workspace.Said:
		c.say("%s.", sentence(n.Line))
	}
}

// sentence is a line with a capital letter.
func sentence(line string) string {
	if line == "" {
		return ""
	}
	return strings.ToUpper(line[:1]) + strings.TrimSuffix(line[1:], ".")
}

// putAside has a prompt wait for the user, before all others.
func (c *chat) putAside(s *workspace.Session, text, why, shown string) {
	s.Queued, s.Paused = append([]string{text}, s.Queued...), true
	if shown != "" {
		c.say("%s. Put aside as prompt 1: %s", why, shown)
		return
	}
	c.say("%s. Put aside as prompt 1.", why)
}

// applied says what an event has brought.
func (c *chat) applied(t *talk, e event.Event, items []int) {
	switch e := e.(type) {
	case permissions.Asked:
		c.asked(t, e.Question)
	case permissions.Settled:
		c.settled(func(a *ask) bool { return a.permission != nil && a.permission.Key == e.Key && a.t == t })
	case event.ElicitationAsked:
		c.elicited(t, e)
	case event.ElicitationSettled:
		c.settled(func(a *ask) bool { return a.elicited != nil && a.elicited.Key == e.Key && !a.opened })
	case event.ElicitationCompleted:
		c.elicitCompleted(e.Key)
	case event.HistoryBegan:
		t.loading = true
	case event.NoticeArrived:
		if t != c.talk || t.loading {
			c.say("%s", notice(t.Thread.Items[items[0]]))
		}
	case event.TurnEnded:
		if t == c.talk && !t.loading { // what was said comes before what becomes of the rest
			n := len(t.Thread.Items)
			if n > 0 && t.Thread.Items[n-1].Kind == thread.TurnEnd {
				n--
			}
			c.finish(t, n)
		}
	}
	c.changed(t, items)
	switch e := e.(type) {
	case event.TerminalStarted:
		if e.Attended {
			c.lend(t, e)
		}
	case event.PlanChanged:
		if t == c.talk && !t.loading {
			c.finish(t, len(t.Thread.Items))
			c.tellPlan(t)
		}
	case event.TurnEnded:
		if t != c.talk {
			t.done = true
			c.say("Notice: another session is done: %s. /sessions lists them.", t.title())
		}
	}
}
