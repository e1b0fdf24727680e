package linear

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/reopen"
	"parley/internal/workspace"
)

// methodNotFound is what an agent answers with that has no authenticate.
const methodNotFound = -32601

// maxVariable is how long a value may be, in bytes: systems bound what fits into
// an environment.
const maxVariable = 32 << 10

// given is a login by variables that an agent was started with.
type given struct {
	method acpclient.AuthMethod
	values workspace.Variables // never changed
}

// wantsLogin tells whether an error means that the agent wants a login first.
func wantsLogin(err error) bool {
	var e *event.AgentError
	return errors.As(err, &e) && e.AuthRequired()
}

// equipped is the agent with the variables that it was given.
func (c *chat) equipped() workspace.Spec {
	a := c.agent
	a.Env = c.given[a.Name].values
	return a
}

// loginFirst asks for a login before there is a session.
func (c *chat) loginFirst(why error) {
	if c.useGiven(why) {
		return
	}
	c.say("%s wants a login first: %s", c.name(), why)
	c.chooseLogin(true)
}

// wantLogin asks for a login because a prompt was refused, which is kept.
func (c *chat) wantLogin(why error) {
	if c.useGiven(why) {
		return
	}
	c.say("The prompt is kept and sent again after a login.")
	if c.dialog == nil {
		c.chooseLogin(true)
		return
	}
	c.say("/login offers the ways to log in.")
}

// chooseLogin asks for one of the agent's ways to log in.
func (c *chat) chooseLogin(guarded bool) {
	if c.conn == nil {
		c.say("There is no agent to log in to.")
		return
	}
	methods := c.conn.Client.Agent().AuthMethods
	if len(methods) == 0 {
		c.say("The agent offers no way to log in. Log in with its own command in another terminal: %s", oneLine(c.agent.Command))
		if c.session == nil {
			c.whatNow("What now?", guarded)
		}
		return
	}
	var choices []choice
	for _, m := range methods {
		label := methodName(m) + ", " + c.how(m)
		if m.Description != "" {
			label += ": " + oneLine(m.Description)
		}
		ch := choice{label: label, do: func() { c.logIn(m) }}
		if why := c.unfit(m); why != "" {
			ch.why = "parley does not log in this way: " + why
		}
		choices = append(choices, ch)
	}
	if c.session == nil {
		choices = append(choices, choice{label: "Another agent", do: c.chooseAgent})
	}
	d := c.menu("How do you want to log in to "+c.name()+"?", choices, guarded)
	if c.session == nil {
		take := d.take
		d.take = func(text string) bool {
			if text == "0" {
				c.closeDialog(d)
				c.whatNow("What now?", false)
				return true
			}
			return take(text)
		}
	}
}

func methodName(m acpclient.AuthMethod) string {
	if m.Name != "" {
		return oneLine(m.Name)
	}
	return cut(spelled(m.ID), 60)
}

// how says in a few words how a way to log in is carried out.
func (c *chat) how(m acpclient.AuthMethod) string {
	switch {
	case c.unfit(m) != "":
		return "not supported"
	case m.Type == "terminal":
		return "in this terminal"
	case m.Type == "env_var":
		return "asks for " + count(len(m.Vars), "value")
	case m.TakesKey:
		return "asks for a key"
	case m.Command != nil && c.opts.AskedLogin != nil:
		return "runs a command"
	}
	return "by the agent"
}

// unfit says why a way to log in is not carried out; "" for one that is.
func (c *chat) unfit(m acpclient.AuthMethod) string {
	asksCommand := m.Command != nil && c.opts.AskedLogin != nil
	switch {
	case m.Refused != "":
		return m.Refused
	case c.agent.Remote && m.Type == "env_var":
		return "the agent runs elsewhere: set " + m.Variables() + " there"
	case c.agent.Remote && m.Type == "terminal":
		return "the agent runs elsewhere"
	case (m.Type == "terminal" || asksCommand) && !c.in.terminal():
		return "it needs a terminal"
	case m.Type == "terminal" && c.opts.LoginCommand == nil:
		return m.Type
	case m.Type == "", m.Type == "agent", m.Type == "terminal", m.Type == "env_var", asksCommand:
		return ""
	}
	return m.Type
}

// logIn carries out one way to log in.
func (c *chat) logIn(m acpclient.AuthMethod) {
	switch {
	case c.conn == nil:
		c.say("The agent is gone.")
	case m.Type == "terminal":
		c.runLogin(c.opts.LoginCommand(c.equipped(), m))
	case m.Type == "env_var":
		c.variable(m, 0, workspace.Variables{})
	case m.TakesKey:
		c.key(m)
	case m.Command != nil && c.opts.AskedLogin != nil:
		c.askedLogin(m)
	default:
		c.authenticate(m, c.conn.Client.Authenticate, nil)
	}
}

// command is a program that is given the terminal.
type command interface {
	SetStdin(io.Reader)
	SetStdout(io.Writer)
	SetStderr(io.Writer)
	Run() error
}

// runLogin gives the terminal to a login. Nobody reads from it meanwhile, and
// nothing is written.
func (c *chat) runLogin(cmd command) {
	c.say("The login has the terminal now.")
	c.out.flush()
	cmd.SetStdin(c.in.file)
	cmd.SetStdout(c.out.to)
	cmd.SetStderr(c.out.to)
	err := cmd.Run()
	c.in.restore()
	c.drainInterrupts()
	if err != nil {
		c.say("The login did not succeed: %s.", err)
		c.chooseLogin(false)
		return
	}
	c.say("The login is over.")
	c.afterLogin()
}

// drainInterrupts drops what was meant for the program that had the terminal.
func (c *chat) drainInterrupts() {
	for {
		select {
		case <-c.opts.Interrupts:
		default:
			return
		}
	}
}

// askedLogin shows a command that the agent has chosen itself, whole, and runs it
// only by that word.
func (c *chat) askedLogin(m acpclient.AuthMethod) {
	asked, err := c.opts.AskedLogin(c.equipped(), *m.Command)
	if err != nil {
		c.say("Not possible: %s", spelled(err.Error()))
		c.chooseLogin(false)
		return
	}
	d := &dialog{guarded: true, wants: "Type run, or 0 for nothing:"}
	d.again = func() {
		c.say("%s wants a command run that it has chosen itself, in this terminal.", c.name())
		c.say("Command: %s", spelled(asked.Line))
		c.say("Program: %s", spelled(asked.Program))
		c.say("Directory: %s", spelled(asked.Dir))
		if m.Command.Label != "" {
			c.labelled("The agent's words", m.Command.Label)
		}
	}
	conn := c.conn
	d.take = func(text string) bool {
		switch text {
		case "run":
			c.closeDialog(d)
			if c.conn != conn {
				c.say("The agent was started again meanwhile.")
				return true
			}
			c.runLogin(asked.Command)
		case "0":
			c.closeDialog(d)
			c.chooseLogin(false)
		default:
			return false
		}
		return true
	}
	d.again()
	c.openDialog(d)
}

// variable asks for a value of a login, and starts the agent again with all of
// them.
func (c *chat) variable(m acpclient.AuthMethod, i int, values workspace.Variables) {
	if i == len(m.Vars) {
		c.given[c.agent.Name] = given{m, values}
		c.afterLogin()
		return
	}
	if i == 0 {
		c.say("The agent is started again with what you type; parley keeps it in memory only.")
		if link := elicit.ParseLink(m.Link); link.OK {
			c.say("To be had at: %s", link.URL)
			for _, w := range link.Warnings {
				c.say("Warning: %s.", w)
			}
		}
	}
	v := m.Vars[i]
	wants := "Type " + v.Name
	if v.Label != "" {
		wants = "Type " + oneLine(v.Label) + ", " + v.Name
	}
	hidden := v.Secret && c.in.terminal()
	if hidden {
		wants += ", which is not shown"
	}
	if v.Optional {
		wants += "; it may stay empty"
	}
	c.value(wants, v.Optional, hidden, func(text string) {
		if text != "" {
			values[v.Name] = text
		}
		c.variable(m, i+1, values)
	})
}

// key asks for the key of a login that the agent carries out with it.
func (c *chat) key(m acpclient.AuthMethod) {
	client := c.conn.Client
	c.say("The agent gets what you type, and may keep it; parley does not.")
	wants := "Type the API key"
	if c.in.terminal() {
		wants += ", which is not shown"
	}
	c.value(wants+"; empty is the one of its environment", true, c.in.terminal(), func(key string) {
		switch {
		case c.conn == nil || c.conn.Client != client:
			c.say("The agent was started again meanwhile.")
		case key == "":
			c.authenticate(m, client.Authenticate, nil)
		default:
			c.authenticate(m, func(ctx context.Context, id string) error { return client.AuthenticateKey(ctx, id, key) }, nil)
		}
	})
}

// value asks for a line of a login, and hands it over.
func (c *chat) value(wants string, optional, hidden bool, take func(string)) {
	d := &dialog{free: true, secret: hidden, wants: wants + "; /cancel gives up:"}
	d.take = func(text string) bool {
		text = strings.TrimSpace(text)
		switch {
		case text == "/cancel":
			c.closeDialog(d)
			c.chooseLogin(false)
		case text == "" && !optional:
			c.say("An answer is needed.")
		case len(text) > maxVariable:
			c.say("That is too long for a variable.")
		default:
			c.closeDialog(d)
			take(text)
		}
		return true
	}
	c.openDialog(d)
}

// authenticate has the agent log in: by itself, or with the variables that it was
// started with, which was not enough for the reason given.
func (c *chat) authenticate(m acpclient.AuthMethod, call func(context.Context, string) error, why error) {
	if c.loggingIn != "" {
		c.say("A login is under way already: %s.", c.loggingIn)
		return
	}
	conn := c.conn
	c.loggingIn = methodName(m)
	c.say("Logging in: %s. The agent may open a browser.", c.loggingIn)
	ctx, cancel := context.WithCancel(c.ctx)
	c.cancelLog = cancel
	c.async(func(context.Context) func() {
		err := call(ctx, m.ID)
		cancel()
		return func() {
			if c.conn == conn && !c.over {
				c.loggedIn(err, why)
			}
		}
	})
}

func (c *chat) cancelLogin() { c.cancelLog() }

// useGiven has an agent that wants a login in spite of the variables it was given
// log in with them, once. false: the user has to choose again.
func (c *chat) useGiven(why error) bool {
	g, ok := c.given[c.agent.Name]
	if !ok || c.conn == nil {
		return false
	}
	if c.loggingIn != "" {
		return true
	}
	offered := slices.ContainsFunc(c.conn.Client.Agent().AuthMethods, func(m acpclient.AuthMethod) bool { return m.ID == g.method.ID && m.Type == g.method.Type })
	if c.used || !offered {
		delete(c.given, c.agent.Name)
		return false
	}
	c.used = true
	c.authenticate(g.method, c.conn.Client.AuthenticateEnv, why)
	return true
}

// loggedIn goes on where the login was missing.
func (c *chat) loggedIn(err, why error) {
	c.loggingIn, c.cancelLog = "", nil
	var answered *event.AgentError
	switch {
	case errors.Is(err, context.Canceled):
		err = errors.New("it was given up")
	case why != nil && errors.As(err, &answered) && answered.Code == methodNotFound:
		err = why // it takes its variables by itself, and did not like them
	}
	if err != nil {
		if why != nil {
			delete(c.given, c.agent.Name)
		}
		c.say("The login did not succeed: %s.", err)
		c.chooseLogin(true)
		return
	}
	c.say("Logged in.")
	if c.session != nil {
		c.retryRefused()
		return
	}
	if c.broken.State == reopen.Unopened {
		c.reopen(c.talk)
		return
	}
	conn, queue := c.conn, c.queue
	c.connecting, c.connectedAt = true, time.Now()
	ctx, cancel := context.WithCancel(c.ctx)
	c.cancel = cancel
	c.async(func(context.Context) func() {
		s, err := conn.Open(ctx)
		return func() {
			if c.queue != queue || c.over {
				return
			}
			c.connecting, c.cancel = false, nil
			if err == nil {
				conn.Session = s
			}
			c.connected(conn, err)
		}
	})
}

// retryRefused sends the prompts again that were refused for want of a login.
func (c *chat) retryRefused() {
	for _, t := range c.talks {
		t.queued = append(t.refused, t.queued...)
		t.refused, t.paused = nil, false
	}
}

// afterLogin starts the agent anew: it may have read its credentials already.
func (c *chat) afterLogin() {
	c.retryRefused()
	if c.session == nil {
		c.again()
		return
	}
	c.startAgain()
}

// logOut ends the login. The connection goes on.
func (c *chat) logOut() {
	if c.conn == nil {
		c.say("There is no agent to log out of.")
		return
	}
	conn := c.conn
	c.request(func(ctx context.Context) error { return conn.Client.LogOut(ctx) }, "Logged out.")
}

// request runs a request of a minute at most and says what became of it.
func (c *chat) request(f func(context.Context) error, done string) {
	c.async(func(ctx context.Context) func() {
		ctx, stop := context.WithTimeout(ctx, requestPatience)
		defer stop()
		err := f(ctx)
		return func() {
			switch {
			case err != nil:
				c.say("Not done: %s.", err)
			case done != "":
				c.say("%s", done)
			}
		}
	})
}
