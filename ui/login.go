package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/reopen"
	"parley/internal/workspace"
	chatview "parley/ui/chat"
	"parley/ui/intent"
	"parley/ui/widget"
)

// Messages of logins.
type (
	loggedInMsg struct { // by the agent itself
		link *link
		conn *workspace.Connection
		err  error
		// given is why an agent that was started with the variables of a login was
		// told to log in with them; nil for any other login.
		given error
	}
	loginRanMsg struct { // in the real terminal
		link *link
		conn *workspace.Connection
		err  error
	}
)

// methodNotFound is what an agent answers with that has no authenticate.
const methodNotFound = -32601

// wantsLogin tells whether an error means that the agent wants a login first.
func wantsLogin(err error) bool {
	var e *event.AgentError
	return errors.As(err, &e) && e.AuthRequired()
}

// given is a login by variables that an agent was started with.
type given struct {
	method acpclient.AuthMethod
	values workspace.Variables // never changed
}

// loginPicker offers the agent's ways to log in. Ways that are not carried out
// are listed and cannot be chosen.
func (l *link) loginPicker() *picker {
	var items []widget.Item
	conn := l.conn
	if conn != nil {
		for _, method := range conn.Client.Agent().AuthMethods {
			items = append(items, widget.Item{Title: orID(method.Name, method.ID), Detail: method.Description, Hint: l.how(method), Value: method})
		}
	}
	foot := "enter chooses · esc"
	if key := l.m.label(intent.ToggleLog); key != "" {
		foot = "enter chooses · " + key + " log · esc"
	}
	return &picker{title: "log in to " + l.name(), foot: foot, list: widget.NewList(items), details: true,
		empty: "the agent offers no way to log in; use its own command, then try again",
		choose: func(it widget.Item) tea.Cmd {
			if l.conn != conn {
				return nil
			}
			return l.logIn(it.Value.(acpclient.AuthMethod))
		}}
}

// how says in a few words how a way to log in is carried out.
func (l *link) how(method acpclient.AuthMethod) string {
	switch why := l.unfit(method); {
	case why != "":
		return "not supported: " + why
	case method.Type == "terminal":
		return "in this terminal"
	case method.Type == "env_var" && len(method.Vars) == 1:
		return "asks for " + method.Vars[0].Name
	case method.Type == "env_var":
		return fmt.Sprintf("asks for %d values", len(method.Vars))
	case method.TakesKey:
		return "asks for a key"
	case method.Command != nil && l.m.opts.AskedLogin != nil:
		return "runs a command"
	}
	return "by the agent"
}

// unfit says why a way to log in is not carried out; "" for one that is.
func (l *link) unfit(method acpclient.AuthMethod) string {
	switch {
	case method.Refused != "":
		return method.Refused
	case l.agent.Remote && method.Type == "env_var":
		return "the agent runs elsewhere: set " + method.Variables() + " there"
	case l.agent.Remote && method.Type == "terminal":
		return "the agent runs elsewhere"
	case method.Type == "terminal" && l.m.opts.LoginCommand == nil:
		return method.Type
	case method.Type == "", method.Type == "agent", method.Type == "terminal", method.Type == "env_var",
		method.Command != nil && l.m.opts.AskedLogin != nil:
		return ""
	}
	return method.Type
}

// starting tells whether the agent has the connecting page.
func (l *link) starting() bool { return l.m.page == connectingPage && l.m.starting == l }

// logIn carries out one way to log in.
func (l *link) logIn(method acpclient.AuthMethod) tea.Cmd {
	m, conn := l.m, l.conn
	switch why := l.unfit(method); {
	case why == method.Type && why != "":
		l.askLogin("parley does not know this way to log in: " + why)
	case why != "":
		l.askLogin("parley does not log in this way: " + why)
	case method.Type == "terminal":
		return tea.Exec(onTerminal(m.opts.LoginCommand(l.equipped(), method)), func(err error) tea.Msg { return loginRanMsg{l, conn, err} })
	case method.Type == "env_var", method.TakesKey:
		l.askFirst(l.variablesStep(method))
	case method.Command != nil && m.opts.AskedLogin != nil:
		asked, err := m.opts.AskedLogin(l.equipped(), *method.Command)
		if err != nil {
			l.askLogin(spelled(err.Error()))
			return nil
		}
		l.askFirst(&loginStep{link: l, conn: conn, method: method, asked: asked})
		return later(quiet + 20*time.Millisecond)
	default:
		return l.authenticate(method, l.conn.Client.Authenticate, nil)
	}
	return nil
}

// equipped is the agent with the variables that it was given.
func (l *link) equipped() workspace.Spec {
	a := l.agent
	a.Env = l.m.given[a.Name].values
	return a
}

// authenticate has the agent log in by call: by itself, or with the variables that it was
// started with, which was not enough for the reason given.
func (l *link) authenticate(method acpclient.AuthMethod, call func(context.Context, string) error, given error) tea.Cmd {
	m, conn := l.m, l.conn
	if l.loggingIn != "" {
		return m.chat.say("a login is under way already: " + l.loggingIn)
	}
	ctx, cancel := context.WithCancel(m.conns.ctx)
	l.cancelLogin = cancel
	l.loggingIn, l.connectErr = orID(method.Name, method.ID), nil
	_, l.loginLine = l.log.Lines()
	return tea.Batch(m.tick(), func() tea.Msg {
		defer cancel()
		return loggedInMsg{l, conn, call(ctx, method.ID), given}
	})
}

// useGiven has an agent that wants a login in spite of the variables it was given
// log in with them, once. If that was not enough either they are forgotten; false:
// the user has to choose again.
func (l *link) useGiven(why error) (tea.Cmd, bool) {
	g, ok := l.m.given[l.agent.Name]
	if !ok || l.conn == nil {
		return nil, false
	}
	if l.loggingIn != "" { // of several prompts that were refused, one after the other
		return nil, true
	}
	offered := slices.ContainsFunc(l.conn.Client.Agent().AuthMethods, func(m acpclient.AuthMethod) bool { return m.ID == g.method.ID && m.Type == g.method.Type })
	if l.used || !offered {
		delete(l.m.given, l.agent.Name)
		return nil, false
	}
	l.used = true
	return l.authenticate(g.method, l.conn.Client.AuthenticateEnv, why), true
}

// askLogin shows the ways to log in, and what went wrong with one. Whoever is
// about to answer what one of them asks is not interrupted: what is typed there
// must not land anywhere else.
func (l *link) askLogin(note string) *picker {
	place := &l.login
	if !l.starting() {
		place = &l.front().picker
	}
	if p := *place; p != nil && p.step != nil && p.step.link == l {
		p.note = note
		return p
	}
	*place = l.loginPicker()
	(*place).note = note
	return *place
}

// askFirst shows what a way to log in wants to know, in the place of the list.
func (l *link) askFirst(g *loginStep) {
	p := l.askLogin("")
	for i := range p.list.Len() {
		p.list.Select(i)
		if it, ok := p.list.Selected(); ok && it.Value.(acpclient.AuthMethod).ID == g.method.ID {
			break
		}
	}
	p.step = g
}

// wantLogin shows the ways to log in on a page whose prompt was refused. They
// leave the keys to whoever is typing.
func (c *chat) wantLogin(why error) tea.Cmd {
	if cmd, ok := c.link.useGiven(why); ok {
		return cmd
	}
	if c.picker == nil || c.picker.step == nil {
		c.picker = c.link.loginPicker()
		c.picker.unasked = c.m.now()
	}
	return nil
}

// loggedIn goes on where the login was missing: with opening the session, or
// with the prompts that were refused.
func (m *Model) loggedIn(msg loggedInMsg) tea.Cmd {
	l := msg.link
	if msg.conn != l.conn {
		return nil
	}
	l.cancelLogin, l.loggingIn = nil, ""
	var answered *event.AgentError
	switch {
	case errors.Is(msg.err, context.Canceled):
		msg.err = errors.New("the login was given up")
	case msg.given != nil && errors.As(msg.err, &answered) && answered.Code == methodNotFound:
		msg.err = msg.given // it takes its variables by itself, and did not like them
	}
	if msg.given != nil && msg.err != nil {
		delete(m.given, l.agent.Name)
	}
	if msg.err != nil {
		l.log.Add(event.LogClient, msg.err.Error())
	}
	switch {
	case !l.starting() && !l.live():
		return nil
	case !l.starting() && msg.err != nil:
		l.askLogin(msg.err.Error())
		return nil
	case !l.starting():
		cmds := []tea.Cmd{l.front().say("logged in")}
		for _, c := range l.chats() {
			cmds = append(cmds, c.retry())
		}
		return tea.Batch(cmds...)
	case msg.err != nil:
		l.connectErr = msg.err
		l.askLogin("")
		return nil
	}
	l.connectErr, l.login, l.connectedAt = nil, nil, m.now()
	ctx, cancel := context.WithCancel(m.conns.ctx)
	l.cancelConnect = cancel
	conn, queue := msg.conn, l.queue
	return tea.Batch(m.tick(), func() tea.Msg {
		defer cancel()
		s, err := conn.Open(ctx)
		if err == nil {
			conn.Session = s
		}
		return connectedMsg{queue, conn, err}
	})
}

// loginRan comes when a login in the real terminal is over: the agent is
// started anew, as it may have read its credentials already.
func (m *Model) loginRan(msg loginRanMsg) tea.Cmd {
	l := msg.link
	if msg.conn != l.conn {
		return nil
	}
	if msg.err != nil {
		text, p := "the login did not succeed: "+msg.err.Error(), (*picker)(nil)
		if l.starting() {
			l.connectErr = errors.New(text)
			p = l.askLogin("")
		} else {
			p = l.askLogin(text)
		}
		l.log.Add(event.LogClient, text)
		p.said = lastLines(msg.err)
		for _, line := range p.said {
			l.log.Add(event.LogClient, line)
		}
		return nil
	}
	return l.again()
}

// lastLines are what a program that had the terminal wrote last, where its error says so.
func lastLines(err error) []string {
	var said interface{ LastLines() []string }
	if errors.As(err, &said) {
		return said.LastLines()
	}
	return nil
}

// again starts the agent anew after a login. The prompts that were refused for
// want of it go to its new session.
func (l *link) again() tea.Cmd {
	if !l.starting() {
		if c := l.front(); len(c.refused) > 0 {
			l.m.opts.Prompt = c.refused[0]
			c.queued, c.refused = append(c.refused[1:], c.queued...), nil
		}
	}
	return l.restart()
}

// promptFailed gives the text of a prompt that the agent did not take back to
// the composer, in front of what is being typed, or keeps it for after a login.
func (c *chat) promptFailed(e event.PromptFailed) tea.Cmd {
	text := c.m.pictures.textOf(e.Blocks)
	if wantsLogin(e.Err) {
		c.refused = append(c.refused, text)
		return c.wantLogin(e.Err)
	}
	if event.CutOff(e.Err) {
		c.lost.Cut.Hold(c.thread, text)
		c.unconfirmed.Offer(&c.lost.Cut)
		return nil
	}
	carried, text := chatview.SplitCarried(text)
	c.carried = append(carried, c.carried...) // they go with the next one
	if c.unwanted[e.Key] && e.Withdrawn {
		delete(c.unwanted, e.Key)
		c.history.Add(text)
		return c.say("the prompt was withdrawn")
	}
	if e.MidTurn && !e.Withdrawn {
		c.enqueue(text)
		said := c.say("not taken while a turn runs; it is sent after this one: " + e.Err.Error())
		if c.thread.State == thread.Idle { // it is over meanwhile
			return tea.Batch(said, c.next(event.TurnEnded{}))
		}
		return said
	}
	c.giveBack(e.Key, text)
	if e.Withdrawn || e.Err == nil {
		return c.say("the prompt was withdrawn")
	}
	return c.say("not taken: " + e.Err.Error())
}

// returned is a prompt that came back and stands in the composer.
type returned struct {
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
	at, _ := slices.BinarySearchFunc(c.back, key, func(r returned, key uint64) int { return cmp.Compare(r.key, key) })
	c.back = slices.Insert(c.back, at, returned{key, text})
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

// retry sends the prompts again that were refused for want of a login, or opens the
// session again that was.
func (c *chat) retry() tea.Cmd {
	if c.lost.State == reopen.Unopened {
		return c.reopen()
	}
	texts := c.refused
	c.refused = nil
	if len(texts) == 0 {
		return nil
	}
	c.queued, c.paused = append(texts[1:], c.queued...), false
	return c.prompt(texts[0])
}

// logOut ends the login. The connection goes on.
func (c *chat) logOut() tea.Cmd {
	client := c.link.conn.Client
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(c.m.conns.ctx, time.Minute)
		defer stop()
		return settingMsg{c, "logged out", client.LogOut(ctx)}
	}
}
