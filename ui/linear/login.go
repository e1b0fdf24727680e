package linear

import (
	"strings"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/workspace"
)

// loginWanted asks for a login: before there is a session, or because a prompt was
// refused, which is kept.
func (c *chat) loginWanted(n workspace.LoginWanted) {
	if n.Session == nil || n.Session.ACP == nil {
		c.say("%s wants a login first: %s", c.name(), n.Err)
		c.chooseLogin(true)
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
	if c.Agent.Conn() == nil {
		c.say("There is no agent to log in to.")
		return
	}
	methods := c.Agent.Methods()
	if len(methods) == 0 {
		c.say("The agent offers no way to log in. Log in with its own command in another terminal: %s", oneLine(c.Agent.Spec.Command))
		if c.ACP == nil {
			c.whatNow("What now?", guarded)
		}
		return
	}
	var choices []choice
	for _, m := range methods {
		label := oneLine(workspace.MethodName(m)) + ", " + c.how(m)
		if m.Description != "" {
			label += ": " + oneLine(m.Description)
		}
		ch := choice{label: label, do: func() { c.logIn(m) }}
		if why := c.unfit(m); why != "" {
			ch.why = "parley does not log in this way: " + why
		}
		choices = append(choices, ch)
	}
	if c.ACP == nil {
		choices = append(choices, choice{label: "Another agent", do: c.chooseAgent})
	}
	d := c.menu("How do you want to log in to "+c.name()+"?", choices, guarded)
	if c.ACP == nil {
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

// how says in a few words how a way to log in is carried out.
func (c *chat) how(m event.AuthMethod) string {
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
func (c *chat) unfit(m event.AuthMethod) string {
	why := c.Agent.Unfit(m)
	if (why == "" || why == m.Type) && !c.in.terminal() && (m.Type == "terminal" || m.Command != nil && c.opts.AskedLogin != nil) {
		return "it needs a terminal"
	}
	return why
}

// logIn carries out one way to log in.
func (c *chat) logIn(m event.AuthMethod) {
	switch {
	case c.Agent.Conn() == nil:
		c.say("The agent is gone.")
	case m.Type == "terminal":
		c.runLogin(c.Agent.TerminalLogin(m))
	case m.Type == "env_var":
		c.variable(m, 0, workspace.Variables{})
	case m.TakesKey:
		c.key(m)
	case m.Command != nil && c.opts.AskedLogin != nil:
		c.askedLogin(m)
	default:
		c.Agent.Authenticate(m, "")
	}
}

// runLogin gives the terminal to a login. Nothing is read from it meanwhile, and
// nothing is written.
func (c *chat) runLogin(cmd workspace.Command) {
	conn := c.Agent.Conn()
	c.say("The login has the terminal now.")
	err := c.onTerminal(cmd)
	if err == nil {
		c.say("The login is over.")
	}
	c.Agent.RanLogin(conn, err)
}

// onTerminal runs a program with the terminal.
func (c *chat) onTerminal(cmd workspace.Command) error {
	c.out.flush()
	cmd.SetStdin(c.in.file)
	cmd.SetStdout(c.out.to)
	cmd.SetStderr(c.out.to)
	err := cmd.Run()
	c.in.restore()
	for { // ctrl+c was meant for the program
		select {
		case <-c.opts.Interrupts:
		default:
			return err
		}
	}
}

// askedLogin shows a command that the agent has chosen itself, whole, and runs it
// only by that word.
func (c *chat) askedLogin(m event.AuthMethod) {
	asked, err := c.Agent.AskedLogin(m)
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
	conn := c.Agent.Conn()
	d.take = func(text string) bool {
		switch text {
		case "run":
			c.closeDialog(d)
			if c.Agent.Conn() != conn {
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
func (c *chat) variable(m event.AuthMethod, i int, values workspace.Variables) {
	if i == len(m.Vars) {
		c.Agent.Give(m, values)
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
func (c *chat) key(m event.AuthMethod) {
	conn := c.Agent.Conn()
	c.say("The agent gets what you type, and may keep it; parley does not.")
	wants := "Type the API key"
	if c.in.terminal() {
		wants += ", which is not shown"
	}
	c.value(wants+"; empty is the one of its environment", true, c.in.terminal(), func(key string) {
		if c.Agent.Conn() != conn {
			c.say("The agent was started again meanwhile.")
			return
		}
		c.Agent.Authenticate(m, key)
	})
}

// value asks for a line of a login, and hands it over.
func (c *chat) value(wants string, optional, hidden bool, then func(string)) {
	d := &dialog{free: true, secret: hidden, wants: wants + "; /cancel gives up:"}
	d.take = func(text string) bool {
		text = strings.TrimSpace(text)
		switch {
		case text == "/cancel":
			c.closeDialog(d)
			c.chooseLogin(false)
		case text == "" && !optional:
			c.say("An answer is needed.")
		case len(text) > workspace.MaxVariable:
			c.say("That is too long for a variable.")
		default:
			c.closeDialog(d)
			then(text)
		}
		return true
	}
	c.openDialog(d)
}

// logOut ends the login. The connection stays.
func (c *chat) logOut() {
	if c.Agent.Conn() == nil {
		c.say("There is no agent to log out of.")
		return
	}
	c.Agent.LogOut(c.requested("Logged out."))
}

// requested says what became of a request; done is for one that has worked, and may
// be "".
func (c *chat) requested(done string) func(error) {
	return func(err error) {
		switch {
		case err != nil:
			c.say("Not done: %s.", err)
		case done != "":
			c.say("%s", done)
		}
	}
}
