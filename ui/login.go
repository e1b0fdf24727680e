package ui

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/start"
)

// logins are the logins of a page.
type logins struct{ c *chat }

// page returns what a login knows of the page.
func (l logins) page() start.Page {
	c := l.c
	return start.Page{LastKey: c.m.input.Last(), Draft: !c.composer.Empty(), Browser: c.m.opts.OpenURL != nil, Top: c.areas.overlayTop}
}

// shown reports whether the login methods are visible. The log hides them.
func (l logins) shown() bool {
	c := l.c
	return c.login.Open() && c.panels.open == nil && !c.panels.reads(intent.ToggleLog)
}

// listed reports whether a list is open over the page.
func (c *chat) listed() bool { return c.panels.list() != nil || c.login.Open() }

// addressShown reports whether a login is in progress and nothing else asks the user.
func (l logins) addressShown() bool {
	c := l.c
	return c.Agent.LoggingIn() != "" && c.panels.reading == nil && !c.listed() && !c.question.Open() && c.elicits.OnScreen() == nil
}

// address is the address that the agent prints during a login.
func (l logins) address() start.Address {
	return start.Address{Env: &l.c.m.Env, Out: &l.c.out, Page: l.page(), Agent: l.c.Agent}
}

// offer lists the login methods at the user's request.
func (l logins) offer() tea.Cmd {
	switch a := l.c.Agent; {
	case !a.Connected():
		return l.c.say("No agent is running, so there is nothing to log in to")
	case len(a.Methods()) == 0:
		return l.c.say(workspace.NoLogin)
	}
	l.c.panels.open = nil
	l.c.login.Offer(l.c.Agent)
	return nil
}

// wanted lists the login methods because the agent needs a login.
func (l logins) wanted(n workspace.LoginWanted) {
	l.c.panels.open = nil
	l.c.login.Wanted(n)
}

// failed lists the login methods again, and says why one failed.
func (l logins) failed(n workspace.LoginFailed) {
	l.c.panels.open = nil
	l.c.login.Failed(n)
}

// logOut ends the login. The connection stays.
func (c *chat) logOut() tea.Cmd {
	if info := c.Agent.Info(); info != nil && !info.Logout {
		return c.say("This agent has no logout")
	}
	c.Agent.LogOut(c.reportOutcome("Logged out"))
	return nil
}

// reportOutcome returns a function that shows the outcome of a request: its error, or done,
// which may be "".
func (c *chat) reportOutcome(done string) func(error) {
	return func(err error) {
		if err != nil {
			done = err.Error()
		}
		if done != "" {
			c.Say(done)
		}
	}
}
