package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/workspace"
	"parley/ui/intent"
	"parley/ui/layer"
	"parley/ui/panel"
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
func (m *Model) loginPicker(a *workspace.Agent) *panel.List {
	var items []widget.Item
	for _, method := range a.Methods() {
		items = append(items, widget.Item{Title: workspace.MethodName(method), Detail: method.Description, Hint: m.how(a, method), Value: method})
	}
	conn := a.Conn()
	foot := "enter chooses · esc"
	if key := m.label(intent.ToggleLog); key != "" {
		foot = "enter chooses · " + key + " log · esc"
	}
	return &panel.List{Title: "log in to " + a.Name(), Foot: foot, List: widget.NewList(items), Details: true,
		Empty: "the agent offers no way to log in; use its own command, then try again",
		Choose: func(it widget.Item) tea.Cmd {
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
func (m *Model) askLogin(a *workspace.Agent, note string) *panel.List {
	c := m.front(a)
	l := m.loginOf(c)
	if l == nil || l.Step == nil || l.Step.(*loginStep).agent != a {
		l = m.loginPicker(a)
		m.offerLogin(c, l)
	}
	l.Note = note
	return l
}

// loginOf is the list that is open on a page, or on the connecting page of its agent.
func (m *Model) loginOf(c *chat) *panel.List {
	if m.starts(c.Agent) {
		return m.login
	}
	return c.panels.list()
}

// offerLogin shows the ways to log in there.
func (m *Model) offerLogin(c *chat, l *panel.List) {
	c.addressesOf(l, elicit.Link{})
	if !m.starts(c.Agent) {
		c.panels.show(l)
		return
	}
	l.Open(&m.Env, &c.panels)
	m.login = l
}

// askFirst shows what a way to log in wants to know, in the place of the list.
func (m *Model) askFirst(g *loginStep) {
	p := m.askLogin(g.agent, "")
	for i := range p.List.Len() {
		p.List.Select(i)
		if it, ok := p.List.Selected(); ok && it.Value.(event.AuthMethod).ID == g.method.ID {
			break
		}
	}
	p.Step = g
}

// loginWanted shows the ways to log in: on the connecting page, or on the page whose
// prompt was refused. They have opened by themselves, and leave the keys to whoever is
// typing.
func (m *Model) loginWanted(n workspace.LoginWanted) tea.Cmd {
	c := m.front(n.Agent)
	if !m.starts(n.Agent) {
		c = m.pageOf(n.Session)
	}
	if l := m.loginOf(c); l == nil || l.Step == nil {
		l = m.loginPicker(n.Agent)
		l.Unasked = m.Now() // an enter that was one too many chooses nothing
		m.offerLogin(c, l)
		c.addressesOf(l, loginAddress([]string{n.Err.Error()}))
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
	p.Said = n.Said
	m.front(n.Agent).addressesOf(p, loginAddress(append(slices.Clone(n.Said), n.Err.Error())))
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
