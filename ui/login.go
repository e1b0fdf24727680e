package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/start"
)

// loginHost is the page that a login is on.
type loginHost struct{ c *chat }

func (h loginHost) Say(text string) tea.Cmd { return h.c.say(text) }

func (h loginHost) Copy(text string) tea.Cmd { return h.c.copyText(func() string { return text }) }

func (h loginHost) Browse(url string) tea.Cmd {
	open := h.c.m.opts.OpenURL
	if open == nil {
		return nil
	}
	return func() tea.Msg { return openedURLMsg{h.c, open(url)} }
}

func (h loginHost) Run(cmd workspace.Command, done func(error) tea.Msg) tea.Cmd {
	return tea.Exec(onTerminal(cmd), done)
}

func (h loginHost) Label(i intent.Intent) string { return h.c.m.label(i) }

func (h loginHost) Typed() (last time.Time, draft bool) { return h.c.lastKey, !h.c.composer.Empty() }

func (h loginHost) Covered(y int) bool { return y >= h.c.areas.lid }

// loginShown tells whether the ways to log in can be seen: they make room for the log.
func (c *chat) loginShown() bool {
	return c.login.Open() && c.picker == nil && c.overlay != logOverlay
}

// listed tells whether there is something to choose from over the page.
func (c *chat) listed() bool { return c.picker != nil || c.login.Open() }

// addressShown tells whether a login is under way and nothing else wants the user.
func (c *chat) addressShown() bool {
	return c.Agent.LoggingIn() != "" && c.overlay == noOverlay && !c.listed() && !c.question.open() && !c.elicitShown()
}

// address is what the agent prints for a login under way.
func (c *chat) address() start.Address {
	return start.Address{Env: &c.m.Env, Host: loginHost{c}, Agent: c.Agent}
}

// offerLogin lists the ways to log in, as the user wants it.
func (c *chat) offerLogin() {
	c.picker = nil
	c.login.Offer(c.Agent)
}

// loginWanted shows the ways to log in: on the connecting page, or on the page whose
// prompt was refused.
func (m *Model) loginWanted(n workspace.LoginWanted) tea.Cmd {
	c := m.front(n.Agent)
	if n.Session != nil && !n.Agent.Opening() {
		c = m.pageOf(n.Session)
	}
	c.picker = nil
	c.login.Wanted(n.Agent, n.Err)
	return m.lookAgain(layer.Quiet)
}

// loginFailed shows the ways to log in again, and why one has failed.
func (m *Model) loginFailed(n workspace.LoginFailed) {
	c := m.front(n.Agent)
	c.picker = nil
	c.login.Failed(n)
}

// returnedPrompt is a prompt that came back and is in the composer.
type returnedPrompt struct {
	key  uint64 // grows with every prompt of the session
	text string
}

// giveBack puts a prompt into the composer: in front of the draft, and among
// those that came back before it in the order in which they were sent.
func (c *chat) giveBack(key uint64, text string) {
	draft := c.composer.Value()
	rest, ok := strings.CutPrefix(draft, c.joined())
	if ok {
		draft = strings.TrimPrefix(rest, "\n")
	} else { // they were edited, and are a draft now
		c.back = nil
	}
	at, _ := slices.BinarySearchFunc(c.back, key, func(r returnedPrompt, key uint64) int { return cmp.Compare(r.key, key) })
	c.back = slices.Insert(c.back, at, returnedPrompt{key, text})
	text = c.joined()
	if draft != "" {
		text += "\n" + draft
	}
	c.composer.SetValue(text)
}

// joined is what of the draft came back.
func (c *chat) joined() string {
	var texts []string
	for _, r := range c.back {
		texts = append(texts, r.text)
	}
	return strings.Join(texts, "\n")
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
