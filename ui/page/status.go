package page

import (
	"slices"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/describe"
	"parley/internal/words"
	"parley/ui/status"
)

// Status returns the status line of the page.
func (c *Page) Status(around Around) status.Line {
	asks := c.asks()
	return status.Line{Session: c.Session, Env: &c.screen.Env, Approval: c.Approval(), Others: around.Others, Clients: around.Clients, Branch: branch(c),
		Asked: askedAt(c), Asks: asks, Question: c.Question.Open(), Form: asks && c.Elicits.OnScreen() != nil, Browsing: c.focused, Shell: c.shells.Running(), ShellDir: shellDir(c), MouseOff: c.screen.Mouse.Off(), Leaving: around.Leaving, Beside: !c.InFront()}
}

// ShellDir returns the directory of the user's own commands.
func (c *Page) ShellDir() string { return c.shells.Dir(c.LocalDir()) }

// shellDir returns the directory of the user's own commands if that is not the session's, else "".
func shellDir(c *Page) string {
	if dir := c.ShellDir(); dir != c.LocalDir() {
		return words.ShortenHome(dir, c.screen.Options.Home)
	}
	return ""
}

// asks reports whether a form or a page waits for the user, with no question before it.
func (c *Page) asks() bool {
	form := c.Elicits.Current()
	return form != nil && form.Asks()
}

// askedAt returns when the question, form or page came that waits for the user; the zero time if none
// does.
func askedAt(c *Page) time.Time {
	if !c.Question.Open() && c.asks() {
		return c.Elicits.Current().Asked()
	}
	return c.Question.Asked()
}

// branch returns the git branch in the session's directory, "" if it is not known.
func branch(c *Page) string {
	switch c.Dir {
	case "":
		return c.screen.Options.Branch
	case c.Agent.Spec.Dir:
		return c.Agent.Spec.Branch
	}
	return ""
}

// Moves returns when a clock or spinner on the page moves next; zero if none does.
func (c *Page) Moves(now time.Time) time.Time {
	switch limit := c.Thread.Usage.Limit; {
	case !moving(c) && !c.Prompts.ResumesAt().IsZero():
		return now.Truncate(time.Second).Add(time.Second)
	case !moving(c) && limit != nil:
		return limitChanges(limit, now)
	case !moving(c):
		return time.Time{}
	case resting(c):
		return status.WaitingChanges(askedAt(c), now)
	}
	return now.Add(200 * time.Millisecond)
}

// limitChanges returns when a limit leaves the status line because it resets, and a second later once more.
func limitChanges(l *event.RateLimit, now time.Time) time.Time {
	switch after := l.ResetsAt.Add(time.Second); {
	case describe.Limit(l, now) != "":
		return l.ResetsAt // zero if it is not known
	case now.Before(after) && !now.Before(l.ResetsAt):
		return after
	}
	return time.Time{}
}

// moving reports whether something on the page has a clock.
func moving(c *Page) bool {
	if c.Agent.Opening() {
		return c.Agent.Err() == nil
	}
	return c.Busy() || c.Agent.Login.Running() != "" || retrying(c) || c.shells.Running()
}

// resting reports whether nothing on the page moves but the clock of a turn that waits for the
// user.
func resting(c *Page) bool {
	if !c.Busy() || c.Thread.State != thread.Waiting && !c.asks() || c.Panels.open != nil || c.Panels.reading != nil ||
		c.Agent.Login.Running() != "" || retrying(c) || c.shells.Running() {
		return false
	}
	return !slices.ContainsFunc(recent(c), func(it *thread.Item) bool { return it.Tool != nil && runs(it.Tool) && !it.Tool.Asked })
}

// maxRecent is how many entries at the end of a conversation are looked at for what runs.
const maxRecent = 200

// recent returns the entries at the end of the conversation.
func recent(c *Page) []*thread.Item {
	return c.Thread.Items[max(0, len(c.Thread.Items)-maxRecent):]
}

// runs reports whether a call has begun and not ended.
func runs(call *thread.Tool) bool { return call.Live() && call.State() != thread.ToolPending }

// Runs returns what runs in the session, the newest last.
func (c *Page) Runs() (all []status.SideRun) {
	for _, it := range recent(c) {
		call := it.Tool
		if call == nil || !runs(call) {
			continue
		}
		run := status.SideRun{Title: words.OneLine(verbed(call))}
		if paths := call.Paths(); len(paths) > 0 && call.Command() == "" {
			run = status.SideRun{Title: describe.Verb(call), Path: paths[0]}
		}
		all = append(all, run)
	}
	for _, run := range c.shells.All() {
		all = append(all, status.SideRun{Title: "! " + run.Line})
	}
	return all
}
