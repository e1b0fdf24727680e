package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/workspace"
	"parley/ui"
	chatview "parley/ui/chat"
)

// link is the agent: its connection, or the attempt at one, or what is left of it.
type link struct {
	agent workspace.Spec // zero before one was chosen
	queue *event.Queue   // of the connection of the moment
	log   *event.Log
	conn  *workspace.Connection // nil while there is none

	connecting  bool
	connectedAt time.Time // when connecting began
	cancel      context.CancelFunc
	logged      int           // lines of the log there were, when connecting was spoken of last
	still       time.Duration // when it was said last that it goes on
	pending     *talk         // whose session has no id yet
	gone        map[string]bool

	given     map[string]given // logins by variables, by the agent's name
	used      bool             // the agent was told to log in with them
	loggingIn string           // the way under way
	cancelLog context.CancelFunc

	backoff   reopen.Backoff
	retryAt   time.Time // when the next one comes; zero: none does
	redialing bool
	stopAsked time.Time // when the turn was cancelled
	toldText  bool      // that it gets no files was said
}

// name is what the agent is called.
func (c *chat) name() string {
	if c.agent.Custom && c.agent.Title != "" {
		return oneLine(c.agent.Title)
	}
	if c.agent.Name == "" {
		return "agent"
	}
	return c.agent.Name
}

// cwd is what paths are shortened by.
func (c *chat) cwd() string {
	if c.session != nil {
		return c.session.Cwd()
	}
	return c.opts.Cwd
}

// begin starts the agent that was named, or asks for one.
func (c *chat) begin() {
	c.say("parley, in lines, in %s. /help lists the commands.", chatview.Home(c.opts.Cwd, c.opts.Home))
	c.sweep()
	if c.opts.Prompt != "" {
		c.queued = append(c.queued, c.opts.Prompt)
	}
	if c.opts.Start == "" {
		c.chooseAgent()
		return
	}
	for _, a := range c.opts.Agents {
		if a.Name == c.opts.Start {
			c.start(a)
			return
		}
	}
	c.start(workspace.Spec{Name: c.opts.Start, Command: c.opts.Start})
}

// sweep has ended what parleys have left that were killed, and says so.
func (c *chat) sweep() {
	if c.opts.Swept == nil {
		return
	}
	c.async(func(ctx context.Context) func() {
		select {
		case <-ctx.Done():
			return func() {}
		case <-time.After(ui.SweepAfter):
		}
		line := c.opts.Swept(ctx)
		return func() {
			if line != "" {
				c.say("%s.", oneLine(line))
			}
		}
	})
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
		ch := choice{label: label, do: func() { c.start(a) }}
		if a.Missing != "" {
			ch.why = a.Name + " is not installed: " + a.Missing
		}
		choices = append(choices, ch)
	}
	const title = "Which agent? It reads files in this directory, and asks before it writes, runs commands or leaves it."
	if c.conn != nil || c.session != nil {
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

// start connects to an agent, in the place of the one before.
func (c *chat) start(a workspace.Spec) {
	c.forget()
	c.agent = a
	c.log, c.toldText = event.NewLog(), false
	first := newTalk("")
	for _, t := range c.talks { // what waits goes on waiting
		first.queued = append(first.queued, t.queued...)
	}
	first.thread.Items = nil
	c.talk, c.talks = first, []*talk{first}
	c.connect()
}

// startAgain starts the agent that has gone.
func (c *chat) startAgain() {
	c.forget()
	front := c.talk
	for _, t := range c.talks {
		if t != front {
			front.queued = append(front.queued, t.queued...)
		}
	}
	front.session, front.sending, front.loading, front.broken = nil, false, false, reopen.Session{}
	front.thread.Attach("")
	front.paused = false
	c.talks = []*talk{front}
	c.changed(front, lastItem(front))
	c.connect()
}

func lastItem(t *talk) []int {
	if n := len(t.thread.Items); n > 0 && t.thread.Items[n-1].Kind == thread.Notice {
		return []int{n - 1}
	}
	return nil
}

// forget ends the connection of the moment, in the background, and makes what is
// under way for it nobody's.
func (c *chat) forget() {
	if c.cancel != nil {
		c.cancel()
	}
	if c.cancelLog != nil {
		c.cancelLog()
	}
	if conn := c.conn; conn != nil {
		c.conns = slices.DeleteFunc(c.conns, func(o *workspace.Connection) bool { return o == conn })
		c.async(func(context.Context) func() { conn.Close(); return func() {} })
	}
	c.queue = event.NewQueue()
	c.conn, c.cancel, c.cancelLog, c.pending, c.asks = nil, nil, nil, nil, nil
	c.connecting, c.redialing, c.loggingIn, c.retryAt, c.backoff = false, false, "", time.Time{}, reopen.Backoff{}
	c.gone = map[string]bool{}
	if c.dialog != nil && c.dialog.key != nil {
		c.dialog = nil
	}
}

// connect starts the agent and opens the first session.
func (c *chat) connect() {
	c.used, c.logged, c.still = false, 0, 0
	doing := "Starting"
	if c.agent.Remote {
		doing = "Connecting to"
	}
	c.say("%s %s: %s", doing, c.agent.Name, oneLine(c.agent.Command))
	if c.agent.Warning != "" {
		c.say("Warning: %s.", c.agent.Warning)
	}
	if c.agent.Remote && c.agent.Shared {
		c.say("Notice: %s runs elsewhere, and reads and writes files of this machine.", c.agent.Name)
	}
	if strings.HasPrefix(c.agent.Where, "through npx") {
		c.say("npx fetches the package first; that can take a minute.")
	}
	c.pending = c.talk
	c.dial(c.opts.Connect, c.connected)
}

type dialFunc func(context.Context, workspace.Spec, event.Sink, *event.Log) (*workspace.Connection, error)

// dial connects; then is called with the outcome unless it was given up.
func (c *chat) dial(dial dialFunc, then func(*workspace.Connection, error)) {
	c.connecting, c.connectedAt = true, time.Now()
	parent, cancel := context.WithCancel(c.ctx)
	c.cancel = cancel
	agent, queue, log := c.equipped(), c.queue, c.log
	c.async(func(context.Context) func() {
		conn, err := dial(parent, agent, queue, log)
		return func() {
			if conn != nil {
				c.conns = append(c.conns, conn)
			}
			if c.over || c.queue != queue {
				c.closeLate(conn)
				return
			}
			c.connecting, c.cancel = false, nil
			then(conn, err)
		}
	})
}

// closeLate closes a connection that nobody waits for any more.
func (c *chat) closeLate(conn *workspace.Connection) {
	if conn == nil || c.over { // end closes it
		return
	}
	c.conns = slices.DeleteFunc(c.conns, func(o *workspace.Connection) bool { return o == conn })
	c.async(func(context.Context) func() { conn.Close(); return func() {} })
}

// giveUp ends the attempt at a connection.
func (c *chat) giveUp() {
	c.forget()
	c.say("Given up.")
	c.whatNow("What now?", false)
}

// starting says from time to time that the agent is being started, and what it
// says for a login.
func (c *chat) starting() {
	if c.loggingIn != "" { // where to go, and what to type there
		for _, l := range c.freshStderr() {
			c.say("The stderr of %s: %s", c.name(), l)
		}
		c.wakeAt(time.Now().Add(time.Second))
	}
	if !c.connecting || c.redialing {
		return
	}
	took := time.Since(c.connectedAt)
	for _, due := range []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute} {
		if due <= took && due > c.still {
			c.still = due
			c.say("Still starting, %s.", spoken(due))
		}
	}
	c.wakeAt(time.Now().Add(time.Second))
}

// connected begins the chat, or says why there is none.
func (c *chat) connected(conn *workspace.Connection, err error) {
	c.conn = conn
	if conn != nil && c.agent.Custom {
		c.agent.Title = cmp.Or(c.calls(conn), c.agent.Title)
	}
	if err != nil {
		if conn != nil && wantsLogin(err) {
			c.loginFirst(err)
			return
		}
		c.notStarted(err)
		return
	}
	c.attached(c.talk, conn.Session)
	c.opts.Resume = ""
	called := cmp.Or(c.calls(conn), c.name())
	c.say("%s.", strings.TrimSpace("Connected: "+called+" "+conn.Client.Agent().Version))
	if conn.Note != "" {
		c.say("Notice: %s.", conn.Note)
	}
	c.settings(c.talk)
}

// calls is what the agent calls itself, "" where it does not say.
func (c *chat) calls(conn *workspace.Connection) string {
	info := conn.Client.Agent()
	return cmp.Or(strings.TrimSpace(info.Title), info.Name)
}

// attached takes over a session. What came of it before is an earlier
// conversation.
func (c *chat) attached(t *talk, s *acpclient.Session) {
	t.thread.Session = s.ID()
	c.pending = nil
	c.events()
	t.session = s
	if t.loading {
		t.loading = false
		t.skip()
		c.lastExchange(t)
	}
}

// notStarted says why, and what can be done.
func (c *chat) notStarted(err error) {
	c.failed(c.agent.Name+" did not start", err)
	for _, advice := range ui.Advice(err, c.agent) {
		c.say("%s", advice)
	}
	c.whatNow("What now?", true)
}

func (c *chat) whatNow(title string, guarded bool) {
	c.menu(title, []choice{
		{label: "Try again", do: func() { c.again() }},
		{label: "Another agent", do: c.chooseAgent},
		{label: "Quit", do: func() { c.over = true }},
	}, guarded)
}

// again connects anew, to the same agent.
func (c *chat) again() {
	if c.thread.State == thread.Ended {
		c.startAgain()
		return
	}
	c.forget()
	c.connect()
}

// disconnected says what to do about an agent that is gone.
func (c *chat) disconnected(err error) {
	for _, a := range slices.Clone(c.asks) {
		c.settled(func(o *ask) bool { return o == a })
	}
	c.asks = nil
	var lost *event.LostError
	if c.agent.Remote && c.opts.Redial != nil && errors.As(err, &lost) && lost.Again() {
		c.lost()
		return
	}
	c.say("%s is gone. Enter alone starts it again; /agent starts another one, /quit ends parley.", c.name())
}
