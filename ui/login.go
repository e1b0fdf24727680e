package ui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/widget"
)

// loginRanMsg is the end of a login in the real terminal.
type loginRanMsg struct {
	agent *workspace.Agent
	conn  *workspace.Connection
	err   error
}

func (msg loginRanMsg) handle(*Model) tea.Cmd {
	msg.agent.RanLogin(msg.conn, msg.err)
	return nil
}

// loginPicker offers the agent's ways to log in. Ways that are not carried out
// are listed and cannot be chosen.
func (m *Model) loginPicker(a *workspace.Agent) *picker {
	var items []widget.Item
	for _, method := range a.Methods() {
		items = append(items, widget.Item{Title: workspace.MethodName(method), Detail: method.Description, Hint: m.how(a, method), Value: method})
	}
	conn := a.Conn()
	foot := "enter chooses · esc"
	if key := m.label(intent.ToggleLog); key != "" {
		foot = "enter chooses · " + key + " log · esc"
	}
	return &picker{title: "log in to " + a.Name(), foot: foot, list: widget.NewList(items), details: true,
		empty: "the agent offers no way to log in; use its own command, then try again",
		choose: func(it widget.Item) tea.Cmd {
			if a.Conn() != conn {
				return nil
			}
			return m.logIn(a, it.Value.(event.AuthMethod))
		}}
}

// how says in a few words how a way to log in is carried out.
func (m *Model) how(a *workspace.Agent, method event.AuthMethod) string {
	switch why := a.Unfit(method); {
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
	case method.Command != nil && m.opts.AskedLogin != nil:
		return "runs a command"
	}
	return "by the agent"
}

// logIn carries out one way to log in.
func (m *Model) logIn(a *workspace.Agent, method event.AuthMethod) tea.Cmd {
	conn := a.Conn()
	switch why := a.Unfit(method); {
	case why == method.Type && why != "":
		m.askLogin(a, "parley does not know this way to log in: "+why)
	case why != "":
		m.askLogin(a, "parley does not log in this way: "+why)
	case method.Type == "terminal":
		return m.runLogin(a, conn, a.TerminalLogin(method))
	case method.Type == "env_var", method.TakesKey:
		m.askFirst(m.variablesStep(a, method))
	case method.Command != nil && m.opts.AskedLogin != nil:
		asked, err := a.AskedLogin(method)
		if err != nil {
			m.askLogin(a, spelled(err.Error()))
			return nil
		}
		m.askFirst(&loginStep{m: m, agent: a, conn: conn, method: method, asked: asked})
		return later(layer.Quiet + 20*time.Millisecond)
	default:
		a.Authenticate(method, "")
	}
	return nil
}

// runLogin gives the terminal to a login.
func (m *Model) runLogin(a *workspace.Agent, conn *workspace.Connection, cmd workspace.Command) tea.Cmd {
	return tea.Exec(onTerminal(cmd), func(err error) tea.Msg { return loginRanMsg{a, conn, err} })
}

// askLogin shows the ways to log in, and what went wrong with one. A step of one of them
// that has the keys is not interrupted: what is typed there must not land anywhere else.
func (m *Model) askLogin(a *workspace.Agent, note string) *picker {
	place := &m.login
	if !m.starts(a) {
		place = &m.front(a).picker
	}
	if p := *place; p != nil && p.step != nil && p.step.agent == a {
		p.note = note
		return p
	}
	*place = m.loginPicker(a)
	(*place).note = note
	return *place
}

// askFirst shows what a way to log in wants to know, in the place of the list.
func (m *Model) askFirst(g *loginStep) {
	p := m.askLogin(g.agent, "")
	for i := range p.list.Len() {
		p.list.Select(i)
		if it, ok := p.list.Selected(); ok && it.Value.(event.AuthMethod).ID == g.method.ID {
			break
		}
	}
	p.step = g
}

// loginWanted shows the ways to log in: on the connecting page, or on the page whose
// prompt was refused. They have opened by themselves, and leave the keys to whoever is
// typing.
func (m *Model) loginWanted(n workspace.LoginWanted) tea.Cmd {
	place := &m.login
	if !m.starts(n.Agent) {
		place = &m.pageOf(n.Session).picker
	}
	if *place == nil || (*place).step == nil {
		*place = m.loginPicker(n.Agent)
		(*place).unasked = m.Now() // an enter that was one too many chooses nothing
		(*place).link = loginAddress([]string{n.Err.Error()})
	}
	return m.lookAgain(layer.Quiet)
}

// loginFailed shows the ways to log in again, and why one has failed.
func (m *Model) loginFailed(n workspace.LoginFailed) {
	note := n.Err.Error()
	if n.Program {
		note = "the login did not succeed: " + note
	}
	if m.starts(n.Agent) {
		note = "" // the page says it
	}
	p := m.askLogin(n.Agent, note)
	p.said, p.link = n.Said, loginAddress(append(slices.Clone(n.Said), n.Err.Error()))
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
