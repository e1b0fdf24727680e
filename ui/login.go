package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/ui/widget"
)

// Messages of logins.
type (
	loggedInMsg struct { // by the agent itself
		link *link
		conn *Connection
		err  error
	}
	loginRanMsg struct { // in the real terminal
		link *link
		conn *Connection
		err  error
	}
)

// wantsLogin tells whether an error means that the agent wants a login first.
func wantsLogin(err error) bool {
	var e *acpclient.AgentError
	return errors.As(err, &e) && e.AuthRequired()
}

// loginPicker offers the agent's ways to log in. Ways that parley does not know
// are listed and cannot be chosen.
func (l *link) loginPicker() *picker {
	var items []widget.Item
	for _, method := range l.conn.Client.Agent().AuthMethods {
		hint := "by the agent"
		switch method.Type {
		case "", "agent":
		case "terminal":
			hint = "in this terminal"
		default:
			hint = "not supported: " + method.Type
		}
		items = append(items, widget.Item{Title: orID(method.Name, method.ID), Detail: method.Description, Hint: hint, Value: method})
	}
	conn := l.conn
	return &picker{title: "log in to " + l.name(), foot: "enter chooses · esc", list: widget.NewList(items),
		empty: "the agent offers no way to log in; use its own command, then try again",
		choose: func(it widget.Item) tea.Cmd {
			if l.conn != conn {
				return nil
			}
			return l.logIn(it.Value.(acpclient.AuthMethod))
		}}
}

// starting tells whether the agent has the connecting page.
func (l *link) starting() bool { return l.m.page == connectingPage && l.m.starting == l }

// logIn carries out one way to log in.
func (l *link) logIn(method acpclient.AuthMethod) tea.Cmd {
	m, conn := l.m, l.conn
	switch method.Type {
	case "", "agent":
		if l.loggingIn != "" {
			return m.chat.say("a login is under way already: " + l.loggingIn)
		}
		ctx, cancel := context.WithCancel(m.conns.ctx)
		l.cancelLogin = cancel
		l.loggingIn, l.connectErr = orID(method.Name, method.ID), nil
		return tea.Batch(m.tick(), func() tea.Msg {
			defer cancel()
			return loggedInMsg{l, conn, conn.Client.Authenticate(ctx, method.ID)}
		})
	case "terminal":
		if m.opts.LoginCommand == nil {
			break
		}
		return tea.Exec(m.opts.LoginCommand(l.agent, method), func(err error) tea.Msg { return loginRanMsg{l, conn, err} })
	}
	l.askLogin("parley does not know this way to log in: " + method.Type)
	return nil
}

// askLogin shows the ways to log in, and what went wrong with one.
func (l *link) askLogin(note string) {
	p := l.loginPicker()
	p.note = note
	if !l.starting() {
		l.front().picker = p
		return
	}
	l.login = p
}

// loggedIn goes on where the login was missing: with opening the session, or
// with the prompts that were refused.
func (m *Model) loggedIn(msg loggedInMsg) tea.Cmd {
	l := msg.link
	if msg.conn != l.conn {
		return nil
	}
	l.cancelLogin, l.loggingIn = nil, ""
	if errors.Is(msg.err, context.Canceled) {
		msg.err = errors.New("the login was given up")
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
		text := "the login did not succeed: " + msg.err.Error()
		if !l.starting() {
			l.askLogin(text)
			return nil
		}
		l.connectErr = errors.New(text)
		l.askLogin("")
		return nil
	}
	if !l.starting() {
		if c := l.front(); len(c.refused) > 0 {
			m.opts.Prompt = c.refused[0]
			c.queued, c.refused = append(c.refused[1:], c.queued...), nil
		}
	}
	return l.restart()
}

// promptFailed gives the text of a prompt that the agent did not take back to
// the composer, in front of what is being typed, or keeps it for after a login.
func (c *chat) promptFailed(e acpclient.PromptFailed) tea.Cmd {
	text := ""
	for _, b := range e.Blocks {
		text += b.Text
	}
	if wantsLogin(e.Err) {
		c.refused = append(c.refused, text)
		c.picker = c.link.loginPicker()
		c.picker.unasked = c.m.now()
		return nil
	}
	if c.unwanted[e.Key] && e.Withdrawn {
		delete(c.unwanted, e.Key)
		c.history.Add(text)
		return c.say("the prompt was withdrawn")
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

// retry sends the prompts again that were refused for want of a login.
func (c *chat) retry() tea.Cmd {
	texts := c.refused
	c.refused = nil
	if len(texts) == 0 {
		return nil
	}
	c.queued = append(texts[1:], c.queued...)
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
