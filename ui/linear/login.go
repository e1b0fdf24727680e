package linear

import (
	"strings"

	"parley/acpclient/event"
	"parley/internal/elicit"
	"parley/internal/words"
	"parley/internal/workspace"
)

// logins guides the user through logging in to an agent.
type logins struct {
	in      *input
	dialogs *dialogs
	lender  *lender
	asked   bool    // agents may name login commands
	starts  *starts // offers the alternatives while there is no session
}

// wanted asks for a login before there is a session, or because the agent refused a prompt,
// which is kept.
func (l *logins) wanted(n workspace.LoginWanted) {
	if n.Session == nil || !n.Session.IsOpen() {
		still := ""
		if n.Again {
			still = "still "
		}
		l.dialogs.out.say("%s %srequires a login: %s", called(n.Agent), still, n.Err)
		l.choose(n.Agent, true)
		return
	}
	l.dialogs.out.say("Log in, and the prompt is sent again.")
	if l.dialogs.current != nil {
		l.dialogs.out.say("/login lists the ways to log in.")
		return
	}
	l.choose(n.Agent, true)
}

// choose asks for one of the agent's login methods.
func (l *logins) choose(a *workspace.Agent, guarded bool) {
	out, opening := l.dialogs.out, !a.Front().IsOpen()
	if !a.Connected() {
		out.say("No agent is running, so there is nothing to log in to.")
		return
	}
	methods := a.Login.Methods()
	if len(methods) == 0 {
		out.say("%s.", workspace.NoLogin)
		return
	}
	var choices []choice
	for _, m := range methods {
		label := words.OneLine(workspace.MethodName(m)) + ", " + l.describe(a, m)
		if m.Description != "" {
			label += ": " + words.OneLine(m.Description)
		}
		ch := choice{label: label, do: func() { l.logIn(a, m) }}
		if why := l.unfit(a, m); why != "" {
			ch.disabledReason = "parley cannot log in this way: " + why
		}
		choices = append(choices, ch)
	}
	none := choice{label: "None of these"}
	if opening {
		choices = append(choices, choice{label: "Another agent", do: l.starts.choose})
		none.do = func() { l.starts.whatNow(a, false) }
	}
	l.dialogs.menuOr("How do you want to log in to "+called(a)+"?", choices, none, guarded)
}

// describe says briefly how a login method works.
func (l *logins) describe(a *workspace.Agent, m event.AuthMethod) string {
	switch {
	case l.unfit(a, m) != "":
		return "not supported"
	case m.Type == "terminal":
		return "in this terminal"
	case m.Type == "env_var":
		return "asks for " + words.Count(len(m.Vars), "value")
	case m.TakesKey:
		return "asks for a key"
	case l.asks(m):
		return "runs a command"
	}
	return "by the agent"
}

// asks reports whether the agent names a command for a method. The command is shown before it
// is run.
func (l *logins) asks(m event.AuthMethod) bool { return m.Command != nil && l.asked }

// unfit says why a login method is not supported, "" if it is.
func (l *logins) unfit(a *workspace.Agent, m event.AuthMethod) string {
	why := a.Login.UnsupportedReason(m)
	if (why == "" || why == m.Type) && !l.in.terminal() && (m.Type == "terminal" || l.asks(m)) {
		return "it needs a terminal"
	}
	return why
}

// logIn logs in by one method.
func (l *logins) logIn(a *workspace.Agent, m event.AuthMethod) {
	switch {
	case !a.Connected():
		l.dialogs.out.say("The agent has ended.")
	case m.Type == "terminal":
		l.run(a, a.Login.Terminal(m))
	case m.Type == "env_var":
		l.variables(a, m)
	case m.TakesKey:
		l.key(a, m)
	case l.asks(m):
		l.confirm(a, m)
	default:
		a.Login.Authenticate(m, "")
	}
}

// run gives the terminal to a login program. Until it ends, parley neither reads nor writes.
func (l *logins) run(a *workspace.Agent, cmd workspace.LoginCommand) {
	connection := a.ConnectionNumber()
	l.dialogs.out.say("The login has the terminal now.")
	err := l.lender.run(cmd)
	if err == nil {
		l.dialogs.out.say("The login has ended with exit code 0.")
	}
	a.Login.Ran(connection, cmd, err)
}

// ifConnected calls do, unless the agent has been restarted since.
func (l *logins) ifConnected(a *workspace.Agent, connection int, do func()) {
	if a.ConnectionNumber() != connection {
		l.dialogs.out.say("The agent has been restarted.")
		return
	}
	do()
}

// confirm shows in full a command that the agent named, and runs it only if the user types
// "run".
func (l *logins) confirm(a *workspace.Agent, m event.AuthMethod) {
	out, connection := l.dialogs.out, a.ConnectionNumber()
	asked, err := a.Login.Command(m)
	if err != nil {
		out.say("Not possible: %s", spelled(err.Error()))
		l.choose(a, false)
		return
	}
	l.dialogs.open(&dialog{guarded: true, wants: "Type run, or 0 for nothing:", choices: []choice{
		{word: "run", do: func() { l.ifConnected(a, connection, func() { l.run(a, asked.Command) }) }},
		{word: "0", do: func() { l.choose(a, false) }},
	}, intro: func() {
		out.say("%s wants to run a command of its own choice in this terminal.", called(a))
		out.say("Command: %s", spelled(asked.Line))
		out.say("Program: %s", spelled(asked.Program))
		out.say("Directory: %s", spelled(asked.Dir))
		if m.Command.Label != "" {
			out.labelled("The agent's description", m.Command.Label)
		}
	}})
}

// variables asks for the values of a login and restarts the agent with them.
func (l *logins) variables(a *workspace.Agent, m event.AuthMethod) {
	out := l.dialogs.out
	out.say("The agent is restarted with what you type; parley keeps it in memory only.")
	if link := elicit.ParseLink(m.Link); link.OK {
		out.say("Get it at: %s", link.URL)
		for _, w := range link.Warnings {
			out.say("Warning: %s.", w)
		}
	}
	values := workspace.Variables{}
	var next func(i int)
	next = func(i int) {
		if i == len(m.Vars) {
			a.Login.WithVariables(m, values)
			return
		}
		v := m.Vars[i]
		wants := "Type " + v.Name
		if v.Label != "" {
			wants = "Type " + words.OneLine(v.Label) + ", " + v.Name
		}
		l.value(a, wants, "optional", v.Optional, v.Secret, func(text string) {
			if text != "" {
				values[v.Name] = text
			}
			next(i + 1)
		})
	}
	next(0)
}

// key asks for the key of a login that the agent performs with it.
func (l *logins) key(a *workspace.Agent, m event.AuthMethod) {
	connection := a.ConnectionNumber()
	l.dialogs.out.say("The agent gets what you type and may keep it; parley does not.")
	l.value(a, "Type the API key", "empty uses the one in its environment", true, true, func(key string) {
		l.ifConnected(a, connection, func() { a.Login.Authenticate(m, key) })
	})
}

// value asks for one line of a login and passes it to then. empty is the message for an empty
// line.
func (l *logins) value(a *workspace.Agent, wants, empty string, optional, secret bool, then func(string)) {
	out := l.dialogs.out
	hidden := secret && l.in.terminal()
	if hidden {
		wants += ", which is not shown"
	}
	if optional {
		wants += "; " + empty
	}
	d := &dialog{secret: hidden, wants: wants + "; /cancel cancels:"}
	d.take = func(text string) {
		switch text = strings.TrimSpace(text); {
		case text == "/cancel":
			d.cancel()
		case text == "" && !optional:
			out.say("An answer is needed.")
		case len(text) > workspace.MaxVariable:
			out.say("That is too long for a variable.")
		default:
			l.dialogs.current = nil
			then(text)
		}
	}
	d.cancel = func() {
		l.dialogs.current = nil
		l.choose(a, false)
	}
	l.dialogs.open(d)
}

// logOut logs the agent out. The connection stays.
func (l *logins) logOut(a *workspace.Agent) {
	if !a.Connected() {
		l.dialogs.out.say("No agent is running, so there is nothing to log out of.")
		return
	}
	if info := a.Info(); info != nil && !info.Logout {
		l.dialogs.out.say("This agent has no logout.")
		return
	}
	a.Login.LogOut(l.dialogs.out.outcome("Logged out."))
}
