package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
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
		ctx, cancel := context.WithCancel(m.conns.ctx)
		m.cancelLogin = cancel
		m.loggingIn = orID(method.Name, method.ID)
		return func() tea.Msg {
			defer cancel()
			return loggedInMsg{conn, conn.Client.Authenticate(ctx, method.ID)}
		}
	case "terminal":
		if m.opts.LoginCommand == nil {
			break
		}
		return tea.Exec(m.opts.LoginCommand(m.agent, method), func(err error) tea.Msg { return loginRanMsg{conn, err} })
	}
	m.connectErr = errors.New("parley does not know this way to log in: " + method.Type)
	return nil
}

// loggedIn goes on where the login was missing: with opening the session, or
// with the prompt that was refused.
func (m *Model) loggedIn(msg loggedInMsg) tea.Cmd {
	m.cancelLogin, m.loggingIn = nil, ""
	if msg.conn != m.conn {
		return nil
	}
	if m.page == chatPage {
		if msg.err != nil {
			return m.chat.say(msg.err.Error())
		}
		return tea.Batch(m.chat.say("logged in"), m.chat.retry())
	}
	if msg.err != nil {
		m.connectErr, m.login = msg.err, m.loginPicker(msg.conn)
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
			return m.chat.say(text)
		}
		m.connectErr, m.login = errors.New(text), m.loginPicker(msg.conn)
		return nil
	}
	if m.page == chatPage {
		m.opts.Prompt = m.chat.refused
		m.chat.refused = ""
	}
	return m.restart()
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
