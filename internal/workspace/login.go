package workspace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/safetext"
)

// methodNotFound is the error code of an agent without authenticate.
const methodNotFound = -32601

// MaxVariable bounds the value of an environment variable, in bytes, as systems do.
const MaxVariable = 32 << 10

// login is the login state of an agent.
type login struct {
	used   bool   // the agent was asked to log in with the variables it was started with
	name   string // of the method in progress; "" for none
	line   int    // number of log lines when it started
	cancel context.CancelFunc
	ran    LoginCommand // the program that has run without an error, until a turn has ended
}

// credentials are the variables of a login that an agent is started with.
type credentials struct {
	method event.AuthMethod
	values Variables // never changed
}

// WantsLogin reports whether an error means that the agent requires a login.
func WantsLogin(err error) bool {
	var e *event.AgentError
	return errors.As(err, &e) && e.AuthRequired()
}

// MethodName returns the name of a login method for display.
func MethodName(m event.AuthMethod) string {
	if m.Name != "" {
		return m.Name
	}
	return safetext.Line(m.ID, 60)
}

// LoggingIn returns the name of the method by which the agent is logging in, "" if it is
// not.
func (a *Agent) LoggingIn() string { return a.login.name }

// CancelLogin cancels that login.
func (a *Agent) CancelLogin() {
	if a.login.cancel != nil {
		a.login.cancel()
	}
}

// LoginLines returns the log lines since the login started: what an agent prints for it
// arrives on stderr or between its messages.
func (a *Agent) LoginLines() []string {
	lines, total := a.Log.Lines()
	var out []string
	for _, line := range lines[max(0, len(lines)-(total-a.login.line)):] {
		out = append(out, line.Text)
	}
	return out
}

// Methods returns the agent's login methods.
func (a *Agent) Methods() []event.AuthMethod {
	if a.conn == nil {
		return nil
	}
	return a.conn.Client.Agent().AuthMethods
}

// UnsupportedReason says why a login method is not supported, "" if it is.
func (a *Agent) UnsupportedReason(method event.AuthMethod) string {
	opts := &a.w.opts
	switch {
	case method.RefusalReason != "":
		return method.RefusalReason
	case a.Spec.Remote && method.Type == "env_var":
		return "the agent is remote: set " + method.Variables() + " there"
	case a.Spec.Remote && method.Type == "terminal":
		return "the agent is remote"
	case method.Type == "terminal" && opts.LoginCommand == nil:
		return method.Type
	case method.Type == "", method.Type == "agent", method.Type == "terminal", method.Type == "env_var",
		a.RunsCommand(method):
		return ""
	}
	return method.Type
}

// RunsCommand reports whether a login method is a command that the agent names and that
// may be run.
func (a *Agent) RunsCommand(method event.AuthMethod) bool {
	return method.Command != nil && a.w.opts.AgentLogin != nil
}

// SpecWithLogin returns the agent's Spec with the variables of its login.
func (a *Agent) SpecWithLogin() Spec {
	s := a.Spec
	s.Env = a.w.credentials[s.Name].values
	return s
}

// Authenticate has the agent log in by a method, with key if that is not empty.
func (a *Agent) Authenticate(method event.AuthMethod, key string) {
	if a.conn == nil { // it ended after the user chose
		a.w.say(goneLine)
		return
	}
	call := a.conn.Client.Authenticate
	if key != "" {
		client := a.conn.Client
		call = func(ctx context.Context, id string) error { return client.AuthenticateKey(ctx, id, key) }
	}
	a.authenticate(method, call, nil)
}

// authenticate has the agent log in by call. wanted is why the agent still requires a
// login, if it is asked to log in with the variables that it was started with.
func (a *Agent) authenticate(method event.AuthMethod, call func(context.Context, string) error, wanted error) {
	w := a.w
	if a.login.name != "" {
		w.say("a login is already running: " + a.login.name)
		return
	}
	ctx, cancel := context.WithCancel(w.conns.ctx)
	a.login.cancel, a.login.name = cancel, MethodName(method)
	_, a.login.line = a.Log.Lines()
	if a.opening {
		a.err = nil
	}
	var err error
	a.ask(func() { err = call(ctx, method.ID); cancel() }, func() { a.loggedIn(err, wanted) })
	w.tell(LoggingIn{a})
}

// AgentLogin prepares the login command that the agent names.
func (a *Agent) AgentLogin(method event.AuthMethod) (AgentLogin, error) {
	return a.w.opts.AgentLogin(a.SpecWithLogin(), *method.Command)
}

// TerminalLogin is the program of a login of type "terminal".
func (a *Agent) TerminalLogin(method event.AuthMethod) LoginCommand {
	return a.w.opts.LoginCommand(a.SpecWithLogin(), method)
}

// LogInWithVariables restarts the agent with the values of a login in its environment.
func (a *Agent) LogInWithVariables(method event.AuthMethod, values Variables) {
	a.w.credentials[a.Spec.Name] = credentials{method, values}
	a.restartAfterLogin()
}

// useCredentials asks an agent that requires a login although it was started with the
// variables of one to log in with them, once. If that fails too, they are forgotten and
// false is returned: the user must choose again.
func (a *Agent) useCredentials(why error) bool {
	stored := a.w.credentials
	g, ok := stored[a.Spec.Name]
	if !ok || a.conn == nil {
		return false
	}
	if a.login.name != "" { // another refused prompt has started it
		return true
	}
	offered := slices.ContainsFunc(a.Methods(), func(m event.AuthMethod) bool { return m.ID == g.method.ID && m.Type == g.method.Type })
	if a.login.used || !offered {
		delete(stored, a.Spec.Name)
		return false
	}
	a.login.used = true
	a.authenticate(g.method, a.conn.Client.AuthenticateEnv, why)
	return true
}

// loggedIn continues what the missing login stopped: opening the session, or sending the
// refused prompts.
func (a *Agent) loggedIn(err, wanted error) {
	w := a.w
	a.login.cancel, a.login.name = nil, ""
	var answered *event.AgentError
	switch {
	case errors.Is(err, context.Canceled):
		err = errors.New("the login was cancelled")
	case wanted != nil && errors.As(err, &answered) && answered.Code == methodNotFound:
		err = wanted // it reads its variables itself, and rejected them
	}
	if err != nil {
		if wanted != nil {
			delete(w.credentials, a.Spec.Name)
		}
		a.Log.Add(event.LogClient, err.Error())
	}
	switch {
	case !a.opening && !a.Live():
	case err != nil:
		if a.opening {
			a.err = err
		}
		w.tell(LoginFailed{a, err, false, nil})
	case !a.opening:
		w.tell(LoggedIn{a})
		for _, s := range a.Sessions() {
			s.retryRefused()
		}
	default:
		w.tell(LoggedIn{a})
		a.open()
	}
}

// open opens the first session after a login.
func (a *Agent) open() {
	a.err, a.dialing, a.since = nil, true, a.w.opts.Now()
	ctx, cancel := context.WithCancel(a.w.conns.ctx)
	a.cancel = cancel
	conn := a.conn
	var err error
	a.ask(func() {
		defer cancel()
		var s *acpclient.Session
		if s, err = conn.Open(ctx); err == nil {
			conn.Session = s
		}
	}, func() { a.cancel = nil; a.connected(conn, err) })
}

// RanLogin handles the end of a login program that ran in the terminal on the connection with that
// number. The agent is restarted, because it may have read its credentials already.
func (a *Agent) RanLogin(connection int, cmd LoginCommand, err error) {
	if connection != a.ConnectionNumber() {
		return
	}
	if err == nil {
		a.restartAfterLogin()
		a.login.ran = cmd
		return
	}
	said := cmd.LastLines()
	a.Log.Add(event.LogClient, "login failed: "+err.Error())
	for _, line := range said {
		a.Log.Add(event.LogClient, line)
	}
	if a.opening {
		a.err = fmt.Errorf("login failed: %w", err)
	}
	a.w.tell(LoginFailed{a, err, true, said})
}

// restartAfterLogin restarts the agent. Prompts that were refused for want of a login go
// to its new session.
func (a *Agent) restartAfterLogin() {
	if s := a.Front(); s.Agent == a {
		s.Prompts.requeueRefused()
	}
	a.Restart()
}

// retryRefused sends the prompts that were refused for want of a login, or reopens the
// session if that was refused.
func (s *Session) retryRefused() {
	if s.Lost.State == StateUnopened {
		s.reopen()
		return
	}
	if s.Prompts.requeueRefused() {
		s.Prompts.sendQueued()
	}
}

// wantLogin asks the user for a login, unless the agent is to log in with the variables that it has.
func (a *Agent) wantLogin(s *Session, why error) {
	if a.useCredentials(why) {
		return
	}
	n := LoginWanted{Agent: a, Session: s, Err: why}
	if a.login.ran != nil {
		n.Again, n.Said = true, a.login.ran.LastLines()
		a.login.ran = nil
	}
	a.w.tell(n)
}

// LogOut logs the agent out and calls done with the error. The connection stays.
func (a *Agent) LogOut(done func(error)) {
	if a.conn == nil {
		done(event.ErrClosed)
		return
	}
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return client.LogOut(ctx) }, done)
}
