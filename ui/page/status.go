package page

import (
	"time"

	"parley/internal/words"
	"parley/ui/status"
)

// Status returns the status line of the page.
func (c *Page) Status(around Around) status.Line {
	asks := c.asks()
	return status.Line{Session: c.Session, Env: &c.screen.Env, Approval: c.Approval(), Others: around.Others, Branch: c.branch(),
		Asked: c.asked(), Asks: asks, Question: c.Question.Open(), Form: asks && c.Elicits.OnScreen() != nil, Browsing: c.focused, Shell: c.shells.Running(), ShellDir: c.shellDir(), MouseOff: c.screen.Mouse.Off(), Leaving: around.Leaving, Beside: !c.InFront()}
}

// shellDir returns the directory of the user's shell if that is not the session's, else "".
func (c *Page) shellDir() string {
	if dir := c.shells.Dir(c.LocalDir()); dir != c.LocalDir() {
		return words.ShortenHome(dir, c.screen.Options.Home)
	}
	return ""
}

// asks reports whether a form or a page waits for the user, with no question before it.
func (c *Page) asks() bool {
	form := c.Elicits.Current()
	return form != nil && form.Asks()
}

// asked returns when the question, form or page came that waits for the user; the zero time if none
// does.
func (c *Page) asked() time.Time {
	if !c.Question.Open() && c.asks() {
		return c.Elicits.Current().Asked()
	}
	return c.Question.Asked()
}

// branch returns the git branch in the session's directory, "" if it is not known.
func (c *Page) branch() string {
	switch c.Dir {
	case "":
		return c.screen.Options.Branch
	case c.Agent.Spec.Dir:
		return c.Agent.Spec.Branch
	}
	return ""
}
