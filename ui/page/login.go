package page

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/intent"
	"parley/internal/workspace"
	"parley/ui/start"
)

// loginPage returns what a login knows of the page.
func (c *Page) loginPage() start.Page {
	return start.Page{LastKey: c.screen.Input.Last(), Draft: !c.Composer.Empty(), Browser: c.screen.Options.OpenURL != nil, Top: c.areas.overlayTop}
}

// showsLogin reports whether the login methods are visible. The log hides them.
func showsLogin(c *Page) bool {
	return c.login.Open() && c.Panels.open == nil && !c.Panels.reads(intent.ToggleLog)
}

// showsAddress reports whether a login is in progress and nothing else asks the user.
func showsAddress(c *Page) bool {
	return c.Agent.Login.Running() != "" && c.Panels.reading == nil && !c.listed() && !c.Question.Open() && c.Elicits.OnScreen() == nil
}

// address is the address that the agent prints during a login.
func address(c *Page) start.Address {
	return start.Address{Env: &c.screen.Env, Out: &c.out, Page: c.loginPage(), Agent: c.Agent}
}

// offerLogin lists the login methods at the user's request.
func offerLogin(c *Page) tea.Cmd {
	switch a := c.Agent; {
	case !a.Connected():
		return c.say("No agent is running, so there is nothing to log in to")
	case len(a.Login.Methods()) == 0:
		return c.say(workspace.NoLogin)
	}
	c.Panels.open = nil
	c.login.Offer(c.Agent)
	return nil
}

// logOut ends the login. The connection stays.
func logOut(c *Page) tea.Cmd {
	if info := c.Agent.Info(); info != nil && !info.Logout {
		return c.say("This agent has no logout")
	}
	c.Agent.Login.LogOut(c.reportOutcome("Logged out"))
	return nil
}
