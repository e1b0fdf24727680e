package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/start"
)

// logins are those on a page.
type logins struct{ c *chat }

func (l logins) Say(text string) tea.Cmd { return l.c.say(text) }

func (l logins) Copy(text string) tea.Cmd { return l.c.copyText(func() string { return text }) }

func (l logins) Browse(url string) tea.Cmd {
	open := l.c.m.opts.OpenURL
	if open == nil {
		return nil
	}
	return func() tea.Msg { return openedURLMsg{l.c, open(url)} }
}

func (l logins) Run(cmd workspace.Command, done func(error) tea.Msg) tea.Cmd {
	return l.c.m.Exec(cmd, done)
}

func (l logins) Label(i intent.Intent) string { return l.c.m.label(i) }

func (l logins) Typed() (last time.Time, draft bool) {
	return l.c.m.input.Last(), !l.c.composer.Empty()
}

func (l logins) Covered(y int) bool { return y >= l.c.areas.lid }

// shown tells whether the ways to log in can be seen: they make room for the log.
func (l logins) shown() bool {
	c := l.c
	return c.login.Open() && c.panels.open == nil && !c.panels.reads(intent.ToggleLog)
}

// listed tells whether there is something to choose from over the page.
func (c *chat) listed() bool { return c.panels.list() != nil || c.login.Open() }

// addressShown tells whether a login is under way and nothing else wants the user.
func (l logins) addressShown() bool {
	c := l.c
	return c.Agent.LoggingIn() != "" && c.panels.reading == nil && !c.listed() && !c.question.Open() && c.elicits.InSight() == nil
}

// address is what the agent prints for a login under way.
func (l logins) address() start.Address {
	return start.Address{Env: &l.c.m.Env, Host: l, Agent: l.c.Agent}
}

// offer lists the ways to log in, as the user wants it.
func (l logins) offer() {
	l.c.panels.open = nil
	l.c.login.Offer(l.c.Agent)
}

// wanted offers them because the agent wants a login.
func (l logins) wanted(n workspace.LoginWanted) {
	l.c.panels.open = nil
	l.c.login.Wanted(n.Agent, n.Err)
}

// failed offers them again, and says why one has failed.
func (l logins) failed(n workspace.LoginFailed) {
	l.c.panels.open = nil
	l.c.login.Failed(n)
}

// logOut ends the login. The connection stays.
func (c *chat) logOut() tea.Cmd {
	c.Agent.LogOut(c.requested("logged out"))
	return nil
}

// requested says what became of a request; done is for one that has worked, and may be
// "".
func (c *chat) requested(done string) func(error) {
	return func(err error) {
		if err != nil {
			done = err.Error()
		}
		if done != "" {
			c.Say(done)
		}
	}
}
