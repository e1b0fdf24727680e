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

// methodNotFound is what an agent answers with that has no authenticate.
const methodNotFound = -32601

// MaxVariable is how long a value for an environment may be, in bytes: systems bound
// what fits into one.
const MaxVariable = 32 << 10

// login is what is known of the logins of an agent.
type login struct {
	used   bool   // the agent was told to log in with the variables it was given
	name   string // of the method under way; "" for none
	line   int    // how many lines the log had when that began
	cancel context.CancelFunc
}

// credentials is a login by variables that an agent was started with.
type credentials struct {
	method event.AuthMethod
	values Variables // never changed
}

// WantsLogin tells whether an error means that the agent wants a login first.
func WantsLogin(err error) bool {
	var e *event.AgentError
	return errors.As(err, &e) && e.AuthRequired()
}

// MethodName is what a method to log in is called.
func MethodName(m event.AuthMethod) string {
	if m.Name != "" {
		return m.Name
	}
	return safetext.Line(m.ID, 60)
}

// LoggingIn is the method of the login under way that the agent carries out; "" for none.
func (a *Agent) LoggingIn() string { return a.login.name }

// CancelLogin gives it up.
func (a *Agent) CancelLogin() {
	if a.login.cancel != nil {
		a.login.cancel()
	}
}

// LoginLines are the lines of the log since it began: what an agent prints for a login
// comes on its stderr, or in the middle of its messages.
func (a *Agent) LoginLines() []string {
	lines, total := a.Log.Lines()
	var out []string
	for _, line := range lines[max(0, len(lines)-(total-a.login.line)):] {
		out = append(out, line.Text)
	}
	return out
}

// Methods are the agent's ways to log in.
func (a *Agent) Methods() []event.AuthMethod {
	if a.conn == nil {
		return nil
	}
	return a.conn.Client.Agent().AuthMethods
}

// Unfit says why a method to log in is not carried out; "" for one that is.
func (a *Agent) Unfit(method event.AuthMethod) string {
	opts := &a.w.opts
	switch {
	case method.Refused != "":
		return method.Refused
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

// RunsCommand tells whether a method to log in is a command that the agent names itself,
// and such commands are run.
func (a *Agent) RunsCommand(method event.AuthMethod) bool {
	return method.Command != nil && a.w.opts.AskedLogin != nil
}

// Equipped is the agent's Spec with the variables that it was given for a login.
func (a *Agent) Equipped() Spec {
	s := a.Spec
	s.Env = a.w.credentials[s.Name].values
	return s
}

// Authenticate has the agent log in by a method, by itself; with key by that key.
func (a *Agent) Authenticate(method event.AuthMethod, key string) {
	if a.conn == nil { // chosen before it was gone
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

// authenticate has the agent log in by call. given is why the variables that it was
// started with were not enough, where it is told to log in with them.
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

// AskedLogin prepares the command that the agent names for a login.
func (a *Agent) AskedLogin(method event.AuthMethod) (AskedLogin, error) {
	return a.w.opts.AskedLogin(a.Equipped(), *method.Command)
}

// TerminalLogin is the program of a login of type "terminal".
func (a *Agent) TerminalLogin(method event.AuthMethod) Command {
	return a.w.opts.LoginCommand(a.Equipped(), method)
}

// LogInWithVariables starts the agent again with the values of a login in its environment.
func (a *Agent) LogInWithVariables(method event.AuthMethod, values Variables) {
	a.w.credentials[a.Spec.Name] = credentials{method, values}
	a.restartAfterLogin()
}

// useCredentials has an agent that wants a login in spite of the variables it was given log
// in with them, once. If that was not enough either, they are forgotten; false: the
// user has to choose again.
func (a *Agent) useCredentials(why error) bool {
	stored := a.w.credentials
	g, ok := stored[a.Spec.Name]
	if !ok || a.conn == nil {
		return false
	}
	if a.login.name != "" { // of several prompts that were refused, one after the other
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

// loggedIn continues where the login was missing: with opening the session, or with
// the prompts that were refused.
func (a *Agent) loggedIn(err, wanted error) {
	w := a.w
	a.login.cancel, a.login.name = nil, ""
	var answered *event.AgentError
	switch {
	case errors.Is(err, context.Canceled):
		err = errors.New("the login was cancelled")
	case wanted != nil && errors.As(err, &answered) && answered.Code == methodNotFound:
		err = wanted // it takes its variables by itself, and did not like them
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

// RanLogin takes the end of a program that ran for a login in the terminal, on the
// connection of conn. The agent is started again: it may have read its credentials
// already.
func (a *Agent) RanLogin(conn *Connection, err error) {
	if conn != a.conn {
		return
	}
	if err == nil {
		a.restartAfterLogin()
		return
	}
	said := lastLines(err)
	a.Log.Add(event.LogClient, "login failed: "+err.Error())
	for _, line := range said {
		a.Log.Add(event.LogClient, line)
	}
	if a.opening {
		a.err = fmt.Errorf("login failed: %w", err)
	}
	a.w.tell(LoginFailed{a, err, true, said})
}

// lastLines are what a program that had the terminal wrote last, where its error says so.
func lastLines(err error) []string {
	var said interface{ LastLines() []string }
	if errors.As(err, &said) {
		return said.LastLines()
	}
	return nil
}

// again starts the agent again after a login. The prompts that were refused for want
// of it go to its new session.
func (a *Agent) restartAfterLogin() {
	if s := a.Front(); s.Agent == a {
		s.requeueRefused()
	}
	a.Restart()
}

// retryRefused sends the prompts again that were refused for want of a login, or opens
// the session again that was.
func (s *Session) retryRefused() {
	if s.Lost.State == StateUnopened {
		s.reopen()
		return
	}
	if s.requeueRefused() {
		s.sendQueued()
	}
}

// requeueRefused has the prompts wait, first of all, that were refused for want of a
// login; false where there are none.
func (s *Session) requeueRefused() bool {
	if len(s.refused) == 0 {
		return false
	}
	s.Queued, s.refused, s.Paused = append(texts(s.refused), s.Queued...), nil, false
	return true
}

// wantLogin asks for a login because the session's prompt was refused.
func (s *Session) wantLogin(why error) {
	if !s.Agent.useCredentials(why) {
		s.Agent.w.tell(LoginWanted{s.Agent, s, why})
	}
}

// LogOut ends the login; done is called with the outcome. The connection stays.
func (a *Agent) LogOut(done func(error)) {
	if a.conn == nil {
		done(event.ErrClosed)
		return
	}
	client := a.conn.Client
	a.request(func(ctx context.Context) error { return client.LogOut(ctx) }, done)
}
