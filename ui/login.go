package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/acpclient/thread"
	"parley/ui/widget"
)

// Messages of logins.
type (
	loggedInMsg struct { // by the agent itself
		conn *Connection
		err  error
	}
	loginRanMsg struct { // in the real terminal
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
func (m *Model) loginPicker(conn *Connection) *picker {
	var items []widget.Item
	for _, method := range conn.Client.Agent().AuthMethods {
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
	return &picker{title: "log in to " + m.agentName(), foot: "enter chooses · esc", list: widget.NewList(items),
		empty:  "the agent offers no way to log in; use its own command, then try again",
		choose: func(it widget.Item) tea.Cmd { return m.logIn(conn, it.Value.(acpclient.AuthMethod)) }}
}

// logIn carries out one way to log in.
func (m *Model) logIn(conn *Connection, method acpclient.AuthMethod) tea.Cmd {
	switch method.Type {
	case "", "agent":
		if m.loggingIn != "" {
			return m.chat.say("a login is under way already: " + m.loggingIn)
		}
		ctx, cancel := context.WithCancel(m.conns.ctx)
		m.cancelLogin = cancel
		m.loggingIn, m.connectErr = orID(method.Name, method.ID), nil
		return tea.Batch(m.tick(), func() tea.Msg {
			defer cancel()
			return loggedInMsg{conn, conn.Client.Authenticate(ctx, method.ID)}
		})
	case "terminal":
		if m.opts.LoginCommand == nil {
			break
		}
		return tea.Exec(m.opts.LoginCommand(m.agent, method), func(err error) tea.Msg { return loginRanMsg{conn, err} })
	}
	m.askLogin(conn, "parley does not know this way to log in: "+method.Type)
	return nil
}

// askLogin shows the ways to log in, and what went wrong with one.
func (m *Model) askLogin(conn *Connection, note string) {
	p := m.loginPicker(conn)
	p.note = note
	if m.page == chatPage {
		m.chat.picker = p
		return
	}
	m.login = p
}

// loggedIn goes on where the login was missing: with opening the session, or
// with the prompt that was refused.
func (m *Model) loggedIn(msg loggedInMsg) tea.Cmd {
	if msg.conn != m.conn {
		return nil
	}
	m.cancelLogin, m.loggingIn = nil, ""
	if errors.Is(msg.err, context.Canceled) {
		msg.err = errors.New("the login was given up")
	}
	switch {
	case m.page == chatPage && m.chat.thread.State == thread.Ended:
		return nil
	case m.page == chatPage && msg.err != nil:
		m.askLogin(msg.conn, msg.err.Error())
		return nil
	case m.page == chatPage:
		cmds := []tea.Cmd{m.chat.say("logged in")}
		for _, c := range m.chats {
			cmds = append(cmds, c.retry())
		}
		return tea.Batch(cmds...)
	case msg.err != nil:
		m.connectErr = msg.err
		m.askLogin(msg.conn, "")
		return nil
	}
	m.connectErr, m.login, m.connectedAt = nil, nil, m.now()
	conn, queue := msg.conn, m.queue
	return tea.Batch(m.tick(), func() tea.Msg {
		s, err := conn.Client.NewSession(m.conns.ctx, conn.Template)
		if err == nil {
			conn.Session = s
		}
		return connectedMsg{queue, conn, err}
	})
}

// loginRan comes when a login in the real terminal is over: the agent is
// started anew, as it may have read its credentials already.
func (m *Model) loginRan(msg loginRanMsg) tea.Cmd {
	if msg.err != nil {
		text := "the login did not succeed: " + msg.err.Error()
		if m.page == chatPage {
			m.askLogin(msg.conn, text)
			return nil
		}
		m.connectErr = errors.New(text)
		m.askLogin(msg.conn, "")
		return nil
	}
	if m.page == chatPage {
		m.opts.Prompt = m.chat.refused
		m.chat.refused = ""
	}
	return m.restart()
}

// promptFailed gives the text of a prompt that the agent did not take back to
// the composer, in front of what is being typed, or keeps it for after a login.
func (c *chat) promptFailed(e acpclient.PromptFailed) tea.Cmd {
	text := ""
	for _, b := range e.Blocks {
		text += b.Text
	}
	if wantsLogin(e.Err) {
		c.refused = text
		c.picker = c.m.loginPicker(c.conn)
		return nil
	}
	if draft := c.composer.Value(); draft != "" {
		text += "\n" + draft
	}
	c.composer.SetValue(text)
	if e.Withdrawn || e.Err == nil {
		return c.say("the prompt was withdrawn")
	}
	return c.say("not taken: " + e.Err.Error())
}

// retry sends the prompt again that was refused for want of a login.
func (c *chat) retry() tea.Cmd {
	text := c.refused
	c.refused = ""
	if text == "" {
		return nil
	}
	return c.prompt(text)
}

// logOut ends the login. The connection goes on.
func (c *chat) logOut() tea.Cmd {
	client := c.conn.Client
	return func() tea.Msg {
		ctx, stop := context.WithTimeout(c.m.conns.ctx, time.Minute)
		defer stop()
		return settingMsg{c, "logged out", client.LogOut(ctx)}
	}
}
