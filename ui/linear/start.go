package linear

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient/thread"
	"parley/internal/workspace"
	"parley/ui/start"
	"parley/ui/transcript"
)

// name is what the agent in front is called.
func (c *chat) name() string {
	switch s := c.Agent.Spec; {
	case s.Custom && s.Title != "":
		return oneLine(s.Title)
	case s.Name == "":
		return "agent"
	default:
		return s.Name
	}
}

// cwd is what paths are shortened by.
func (c *chat) cwd() string {
	if c.ACP != nil {
		return c.ACP.Cwd()
	}
	return c.opts.Cwd
}

// dialing tells whether the agent in front is being started.
func (c *chat) dialing() bool {
	_, dialing := c.Agent.Dialing()
	return dialing
}

// retrying tells whether its connection is lost, and another try comes or is under way.
func (c *chat) retrying() bool {
	_, retrying := c.Agent.Retrying()
	return retrying
}

// begin starts the agent that was named, or asks for one.
func (c *chat) begin() {
	c.say("parley, in lines, in %s. /help lists the commands.", transcript.Home(c.opts.Cwd, c.opts.Home))
	if c.opts.Start == "" {
		c.chooseAgent()
		return
	}
	c.start(c.opts.Start)
}

// chooseAgent asks which agent to start.
func (c *chat) chooseAgent() {
	var choices []choice
	section := ""
	for _, a := range c.opts.Agents {
		label := a.Name
		if a.Section != section {
			section = a.Section
		}
		label += ", " + strings.Join(slices.DeleteFunc([]string{section, a.Command}, func(s string) bool { return s == "" }), ": ")
		if a.Name == c.opts.Choice {
			label += " (suggested)"
		}
		ch := choice{label: label, do: func() { c.start(a.Name) }}
		if a.Missing != "" {
			ch.why = a.Name + " is not installed: " + a.Missing
		}
		choices = append(choices, ch)
	}
	const title = "Which agent? It reads files in this directory, and asks before it writes, runs commands or leaves it."
	if c.Agent.Conn() != nil || c.ACP != nil {
		c.menu(title, choices, false)
		return
	}
	d := c.menuOr(title, choices, false, "Quit")
	take := d.take
	d.take = func(text string) bool {
		if text == "0" {
			c.over = true
			return true
		}
		for i, a := range c.opts.Agents {
			if a.Name == text {
				return take(fmt.Sprint(i + 1))
			}
		}
		return take(text)
	}
}

// start starts an agent, in the place of the one before: what waits for that waits for
// this one.
func (c *chat) start(name string) {
	c.w.Replace(c.w.Spec(name))
}

// starting says that an agent is being started.
func (c *chat) starting(a *workspace.Agent) {
	c.noted, c.still = 0, 0
	doing := "Starting"
	if a.Spec.Remote {
		doing = "Connecting to"
	}
	c.say("%s %s: %s", doing, a.Spec.Name, oneLine(a.Spec.Command))
	if a.Spec.Warning != "" {
		c.say("Warning: %s.", a.Spec.Warning)
	}
	if a.Spec.Remote && a.Spec.Shared {
		c.say("Notice: %s runs elsewhere, and reads and writes files of this machine.", a.Spec.Name)
	}
	if strings.HasPrefix(a.Spec.Where, "through npx") {
		c.say("npx fetches the package first; that can take a minute.")
	}
}

// giveUp ends the attempt at a connection.
func (c *chat) giveUp() {
	c.Agent.Leave()
	c.say("Given up.")
	c.whatNow("What now?", false)
}

// stillStarting says from time to time that the agent is being started, and what it
// says for a login.
func (c *chat) stillStarting() {
	if c.Agent.LoggingIn() != "" { // where to go, and what to type there
		for _, l := range c.freshStderr() {
			c.say("The stderr of %s: %s", c.name(), l)
		}
		c.wakeAt(time.Now().Add(time.Second))
	}
	since, dialing := c.Agent.Dialing()
	if !dialing {
		return
	}
	took := time.Since(since)
	for _, due := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if due <= took && due > c.still {
			c.still = due
			c.say("Still starting, %s.", spoken(due))
		}
	}
	c.wakeAt(time.Now().Add(time.Second))
}

// started begins the chat.
func (c *chat) started(n workspace.Started) {
	t := c.talkOf(n.Session)
	t.loading = false
	if t.mute == 0 {
		t.skip()
		c.lastExchange(t)
	}
	info := n.Agent.Conn().Client.Agent()
	called := cmp.Or(strings.TrimSpace(info.Title), info.Name, c.name())
	c.say("%s.", strings.TrimSpace("Connected: "+called+" "+info.Version))
	if n.Note != "" {
		c.say("Notice: %s.", n.Note)
	}
	c.settings(t)
}

// notStarted says why, and what can be done.
func (c *chat) notStarted(a *workspace.Agent, err error) {
	c.failed(a.Spec.Name+" did not start", err)
	for _, advice := range start.Advice(err, a.Spec) {
		c.say("%s", advice)
	}
	c.whatNow("What now?", true)
}

func (c *chat) whatNow(title string, guarded bool) {
	c.menu(title, []choice{
		{label: "Try again", do: func() { c.Agent.Restart() }},
		{label: "Another agent", do: c.chooseAgent},
		{label: "Quit", do: func() { c.over = true }},
	}, guarded)
}

// forget drops what was asked on a connection that is replaced.
func (c *chat) forget() {
	c.asks = nil
	if c.dialog != nil && c.dialog.key != nil {
		c.dialog = nil
	}
}

// gone says what to do about an agent that has ended.
func (c *chat) gone(n workspace.Gone) {
	for _, a := range slices.Clone(c.asks) {
		c.settled(func(o *ask) bool { return o == a })
	}
	c.asks = nil
	if !c.retrying() {
		c.say("%s is gone. Enter alone starts it again; /agent starts another one, /quit ends parley.", c.name())
	}
}

// lost says that the connection is lost, and later only that the waits grow.
func (c *chat) lost(n workspace.Lost) {
	wait := spoken(max(n.Wait, time.Second))
	switch {
	case n.First:
		c.say("The connection is lost. Trying again in %s; enter alone: try now.", wait)
	case n.Longer:
		c.say("Still no connection. Trying again in %s; enter alone: try now.", wait)
	}
}

// opened brings a session to the front that was asked for. One that stood for a session
// that is gone makes room for it.
func (c *chat) opened(s *workspace.Session) {
	t := c.talkOf(s)
	t.loading = false
	for _, o := range c.w.Sessions() {
		if o.ACP == nil && o != s {
			o.Close()
		}
	}
	c.introduce(t)
	c.settings(t)
}

// sayOffers offers the prompts that may not have arrived.
func (c *chat) sayOffers(t *talk) {
	for _, p := range t.Offers {
		c.say("Prompt %s; /resend sends it again: %s", p.Why(), cut(oneLine(p.Draft), 60))
	}
}

// reconnected writes what became of a turn that was cut.
func (c *chat) reconnected(n workspace.Reconnected) {
	t := c.talkOf(n.Session)
	if n.Replaced {
		*t = *newTalk(n.Session) // nothing of it was said
		t.skip()
		if t == c.talk && t.Lost.Cut.Exists() {
			c.lastExchange(t)
		}
	}
	c.sayOffers(t)
	if !t.Paused {
		t.Resume()
	}
}

// startedOver begins with the session that took the place of one that was gone.
func (c *chat) startedOver(n workspace.StartedOver) {
	if n.Err != nil {
		c.say("Not opened: %s. Enter alone tries again.", n.Err)
		return
	}
	t := c.talkOf(n.Session)
	c.say("Now in session: %s.", t.title())
	c.settings(t)
	c.sayOffers(t)
	c.sayPaused(t)
}

// sayPaused says that prompts wait for the user.
func (c *chat) sayPaused(t *talk) {
	if n := len(t.Queued); n > 0 && t.Paused && t == c.talk {
		c.say("Waiting: %s. Enter alone sends the first one, /drop drops the last one.", count(n, "prompt"))
	}
}

func lastItem(t *thread.Thread) []int {
	if n := len(t.Items); n > 0 && t.Items[n-1].Kind == thread.Notice {
		return []int{n - 1}
	}
	return nil
}

// resend sends the oldest prompt again that may not have arrived.
func (c *chat) resend(string) {
	switch {
	case len(c.Offers) == 0:
		c.say("Every prompt has arrived.")
	case c.ACP == nil:
		c.say("Not sent: there is no session yet.")
	default:
		p, _ := c.Offers.Take(false)
		c.prompt(p.Draft)
	}
}
