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

// Login logs an agent in and out.
type Login struct {
	a       *Agent
	used    bool   // the agent was asked to log in with the variables it was started with
	name    string // of the method in progress; "" for none
	line    int    // number of log lines when it started
	cancel  context.CancelFunc
	offered bool          // the user was asked for a login on this connection
	ran     *LoginCommand // the program that has run without an error, until a turn has ended
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

// Running returns the name of the method by which the agent is logging in, "" if it is
// not.
func (l *Login) Running() string { return l.name }

// Cancel cancels that login.
func (l *Login) Cancel() {
	if l.cancel != nil {
		l.cancel()
	}
}

// Lines returns the log lines since the login started: what an agent prints for it
// arrives on stderr or between its messages.
func (l *Login) Lines() []string {
	lines, total := l.a.Log.Lines()
	var out []string
	for _, line := range lines[max(0, len(lines)-(total-l.line)):] {
		out = append(out, line.Text)
	}
	return out
}

// Methods returns the agent's login methods.
func (l *Login) Methods() []event.AuthMethod {
	if l.a.conn == nil {
		return nil
	}
	return l.a.conn.Client.Agent().AuthMethods
}

// UnsupportedReason says why a login method is not supported, "" if it is.
func (l *Login) UnsupportedReason(method event.AuthMethod) string {
	a := l.a
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
		l.RunsCommand(method):
		return ""
	}
	return method.Type
}

// RunsCommand reports whether a login method is a command that the agent names and that
// may be run.
func (l *Login) RunsCommand(method event.AuthMethod) bool {
	return method.Command != nil && l.a.w.opts.AgentLogin != nil
}

// Spec returns the agent's Spec with the variables of its login.
func (l *Login) Spec() Spec {
	s := l.a.Spec
	s.Env = l.a.w.credentials[s.Name].values
	return s
}

// Authenticate has the agent log in by a method, with key if that is not empty.
func (l *Login) Authenticate(method event.AuthMethod, key string) {
	a := l.a
	if a.conn == nil { // it ended after the user chose
		a.w.say(goneLine)
		return
	}
	call := a.conn.Client.Authenticate
	if key != "" {
		client := a.conn.Client
		call = func(ctx context.Context, id string) error { return client.AuthenticateKey(ctx, id, key) }
	}
	l.authenticate(method, call, nil)
}

// authenticate has the agent log in by call. wanted is why the agent still requires a
// login, if it is asked to log in with the variables that it was started with.
func (l *Login) authenticate(method event.AuthMethod, call func(context.Context, string) error, wanted error) {
	a, w := l.a, l.a.w
	if l.name != "" {
		w.say("a login is already running: " + l.name)
		return
	}
	ctx, cancel := context.WithCancel(w.conns.ctx)
	l.cancel, l.name = cancel, MethodName(method)
	_, l.line = a.Log.Lines()
	if a.opening {
		a.err = nil
	}
	var err error
	a.ask(func() { err = call(ctx, method.ID); cancel() }, func() { l.loggedIn(err, wanted) })
	w.tell(LoggingIn{OfAgent{a}})
}

// Command prepares the login command that the agent names.
func (l *Login) Command(method event.AuthMethod) (AgentLogin, error) {
	return l.a.w.opts.AgentLogin(l.Spec(), *method.Command)
}

// Terminal is the program of a login of type "terminal".
func (l *Login) Terminal(method event.AuthMethod) LoginCommand {
	return l.a.w.opts.LoginCommand(l.Spec(), method)
}

// WithVariables restarts the agent with the values of a login in its environment.
func (l *Login) WithVariables(method event.AuthMethod, values Variables) {
	l.a.w.credentials[l.a.Spec.Name] = credentials{method, values}
	l.restart()
}

// useCredentials asks an agent that requires a login although it was started with the
// variables of one to log in with them, once. If that fails too, they are forgotten and
// false is returned: the user must choose again.
func (l *Login) useCredentials(why error) bool {
	a := l.a
	stored := a.w.credentials
	g, ok := stored[a.Spec.Name]
	if !ok || a.conn == nil {
		return false
	}
	if l.name != "" { // another refused prompt has started it
		return true
	}
	offered := slices.ContainsFunc(l.Methods(), func(m event.AuthMethod) bool { return m.ID == g.method.ID && m.Type == g.method.Type })
	if l.used || !offered {
		delete(stored, a.Spec.Name)
		return false
	}
	l.used = true
	l.authenticate(g.method, a.conn.Client.AuthenticateEnv, why)
	return true
}

// loggedIn continues what the missing login stopped: opening the session, or sending the
// refused prompts.
func (l *Login) loggedIn(err, wanted error) {
	a, w := l.a, l.a.w
	l.cancel, l.name = nil, ""
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
		w.tell(LoginFailed{OfAgent{a}, err, false, nil})
	case !a.opening:
		w.tell(LoggedIn{OfAgent{a}})
		a.askAccount()
		for _, s := range a.Sessions() {
			s.retryRefused()
		}
	default:
		w.tell(LoggedIn{OfAgent{a}})
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

// Ran handles the end of a login program that ran in the terminal on the connection with that
// number. The agent is restarted, because it may have read its credentials already.
func (l *Login) Ran(connection int, cmd LoginCommand, err error) {
	a := l.a
	if connection != a.ConnectionNumber() {
		return
	}
	if err == nil {
		l.restart()
		l.ran = &cmd
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
	a.w.tell(LoginFailed{OfAgent{a}, err, true, said})
}

// restart restarts the agent. Prompts that were refused for want of a login go
// to its new session.
func (l *Login) restart() {
	if s := l.a.Front(); s.Agent == l.a {
		s.Prompts.requeueRefused()
	}
	l.a.Restart()
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

// want asks the user for a login, unless the agent is to log in with the variables that it has.
func (l *Login) want(s *Session, why error) {
	if l.useCredentials(why) {
		return
	}
	l.offered = true
	n := LoginWanted{OfAgent: OfAgent{l.a}, Session: s, Err: why}
	if l.ran != nil {
		n.Again, n.Said = true, l.ran.LastLines()
		l.ran = nil
	}
	l.a.w.tell(n)
}

// LogOut logs the agent out and calls done with the error. The connection stays.
func (l *Login) LogOut(done func(error)) {
	a := l.a
	if a.conn == nil {
		done(event.ErrClosed)
		return
	}
	l.offered = true // the user wants none now
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return client.LogOut(ctx) }, func(err error) {
		done(err)
		a.askAccount()
	})
}
