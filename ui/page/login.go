package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/start"
)

// logins are the logins of a page.
type logins struct{ c *Page }

// page returns what a login knows of the page.
func (l logins) page() start.Page {
	c := l.c
	return start.Page{LastKey: c.screen.Input.Last(), Draft: !c.Composer.Empty(), Browser: c.screen.Options.OpenURL != nil, Top: c.areas.overlayTop}
}

// shown reports whether the login methods are visible. The log hides them.
func (l logins) shown() bool {
	c := l.c
	return c.login.Open() && c.Panels.open == nil && !c.Panels.reads(intent.ToggleLog)
}

// addressShown reports whether a login is in progress and nothing else asks the user.
func (l logins) addressShown() bool {
	c := l.c
	return c.Agent.Login.Running() != "" && c.Panels.reading == nil && !c.listed() && !c.Question.Open() && c.Elicits.OnScreen() == nil
}

// address is the address that the agent prints during a login.
func (l logins) address() start.Address {
	return start.Address{Env: &l.c.screen.Env, Out: &l.c.out, Page: l.page(), Agent: l.c.Agent}
}

// offer lists the login methods at the user's request.
func (l logins) offer() tea.Cmd {
	switch a := l.c.Agent; {
	case !a.Connected():
		return l.c.say("No agent is running, so there is nothing to log in to")
	case len(a.Login.Methods()) == 0:
		return l.c.say(workspace.NoLogin)
	}
	l.c.Panels.open = nil
	l.c.login.Offer(l.c.Agent)
	return nil
}

// wanted lists the login methods because the agent needs a login.
func (l logins) wanted(n workspace.LoginWanted) {
	l.c.Panels.open = nil
	l.c.login.Wanted(n)
}

// failed lists the login methods again, and says why one failed.
func (l logins) failed(n workspace.LoginFailed) {
	l.c.Panels.open = nil
	l.c.login.Failed(n)
}

// logOut ends the login. The connection stays.
func logOut(c *Page) tea.Cmd {
	if info := c.Agent.Info(); info != nil && !info.Logout {
		return c.say("This agent has no logout")
	}
	c.Agent.Login.LogOut(c.reportOutcome("Logged out"))
	return nil
}
