package workspace_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/acpclient/thread"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

const (
	logins  = `,"authMethods":[{"id":"own","name":"Own login","_meta":{"api-key":{"provider":"x"}}},{"id":"env","name":"With a key","type":"env_var","vars":[{"name":"FAKE_KEY"}]},{"id":"tty","name":"In a terminal","type":"terminal","args":["login"]},{"id":"palm","name":"By palm reading","type":"palm"}]`
	logins2 = `,"authMethods":[{"methodId":"own","name":"Own login","type":"agent"},{"methodId":"tty","name":"In a terminal","type":"terminal","args":["login"]}]`
)

// guard makes an agent require a login.
type guard struct {
	in       atomic.Bool
	sessions bool // it opens no session without one; else it accepts no prompt
	env      bool // a key in the environment is enough
}

func (g *guard) open(a *fakeagent.Agent) bool {
	return g.in.Load() || g.env && a.Env["FAKE_KEY"] == "right"
}

func (g *guard) set(r *rig) {
	f := r.fake()
	if f.Protocol == "2" {
		f.Capabilities(logins2)
	} else {
		f.Capabilities(logins)
	}
	in := func(*fakeagent.Call) (string, error) { g.in.Store(true); return "{}", nil }
	f.On("authenticate", in)
	f.On("auth/login", in)
	if g.sessions {
		f.On("session/new", func(c *fakeagent.Call) (string, error) {
			if !g.open(c.Agent) {
				return "", errWho
			}
			return `{"sessionId":"s1"}`, nil
		})
		return
	}
	turn := func(t *fakeagent.Turn) string {
		if !g.open(t.Agent) {
			return fakeagent.Login
		}
		t.Say("You said: " + t.Text)
		return "end_turn"
	}
	f.Turn(turn)
	f.OnPrompt(func(t *fakeagent.Turn) (string, error) {
		if !g.open(t.Agent) {
			return "", errWho
		}
		return t.AcceptInOrder()
	})
}

var errWho = fakeagent.Errorf(-32000, "who are you?")

func method(a *workspace.Agent, id string) event.AuthMethod {
	i := slices.IndexFunc(a.Login.Methods(), func(m event.AuthMethod) bool { return m.ID == id })
	return a.Login.Methods()[i]
}

const (
	wantedFirst = "LoginWanted: open a session: the agent answered: who are you? (-32000)"
	wantedThen  = "LoginWanted s1: prompt: the agent answered: who are you? (-32000)"
)

// An agent may require a login before it opens a session. Prompts typed in the meantime are
// sent after the login.
func TestLogin(t *testing.T) {
	for _, key := range []string{"", "secret"} {
		t.Run("key "+key, func(t *testing.T) {
			each(t, func(r *rig) { (&guard{sessions: true}).set(r) }, func(r *rig) {
				a := r.w.Start(local)
				a.Front().Prompts.Queue.Add("first")
				r.wants("AgentStarting", wantedFirst)
				if a.Err() == nil || !a.Opening() || a.Login.Running() != "" {
					r.Error("it does not want a login")
				}
				a.Login.Authenticate(method(a, "own"), key)
				r.pass(time.Second)
				r.wants("LoggingIn Own login", "LoggedIn", "AgentStarted s1", "PromptSent first")
				calls := append(r.Agent().Calls("authenticate"), r.Agent().Calls("auth/login")...)
				if len(calls) != 1 || strings.Contains(calls[0], "secret") != (key != "") {
					r.Errorf("got %q", calls)
				}
				r.got("first")
				r.connections(1, 1)
			})
		})
	}
}

// A login that fails, is cancelled or is started twice can be tried again.
func TestLoginFails(t *testing.T) {
	each(t, func(r *rig) { (&guard{sessions: true}).set(r) }, func(r *rig) {
		in := func(c *fakeagent.Call) (string, error) { c.Wait(time.Minute); return "", errAway }
		r.fake().On("authenticate", in)
		r.fake().On("auth/login", in)
		a := r.w.Start(local)
		a.Front().Prompts.Queue.Add("first")
		r.wants("AgentStarting", wantedFirst)
		own := method(a, "own")
		a.Login.Authenticate(own, "")
		a.Log.Add(event.LogStderr, "open this page")
		a.Login.Authenticate(own, "")
		r.wants("LoggingIn Own login", "Said A login is already running: Own login")
		if a.Login.Running() != "Own login" || !slices.Equal(a.Login.Lines(), []string{"open this page"}) || !a.Front().Waiting() {
			r.Errorf("%q, %q", a.Login.Running(), a.Login.Lines())
		}
		a.Login.Cancel()
		r.wants("LoginFailed: the login was cancelled")
		a.Login.Authenticate(own, "")
		r.pass(2 * time.Minute)
		r.wants("LoggingIn Own login", "LoginFailed: log in: …")
		if a.Err() == nil || a.Login.Running() != "" {
			r.Errorf("got %v", a.Err())
		}
		for _, m := range []string{"authenticate", "auth/login"} { // the login succeeds, but the session still does not open
			r.fake().Answer(m, "{}")
		}
		a.Login.Authenticate(own, "")
		r.wants("LoggingIn Own login", "LoggedIn", wantedFirst)
		(&guard{sessions: true}).set(r)
		a.Login.Authenticate(own, "")
		r.pass(time.Second)
		r.wants("LoggingIn Own login", "LoggedIn", "AgentStarted s1", "PromptSent first")
		r.connections(1, 1)
		r.got("first")
	})
}

// If the connection ends during a login, that is reported, and the agent can be restarted.
func TestLostInLogin(t *testing.T) {
	for _, spec := range []workspace.Spec{local, far} {
		t.Run(fmt.Sprint("remote ", spec.Remote), func(t *testing.T) {
			each(t, func(r *rig) { (&guard{sessions: true}).set(r) }, func(r *rig) {
				in := func(c *fakeagent.Call) (string, error) { c.Wait(time.Hour); return "", errAway }
				r.fake().On("authenticate", in)
				r.fake().On("auth/login", in)
				a := r.w.Start(spec)
				a.Front().Prompts.Queue.Add("first")
				r.settle()
				a.Login.Authenticate(method(a, "own"), "")
				r.wants("AgentStarting", wantedFirst, "LoggingIn Own login")
				r.lose()
				r.pass(time.Minute)
				r.wants("LoginFailed: …")
				r.fake().On("session/new", nil)
				if !a.Front().Continue() {
					a.Restart()
				}
				r.pass(time.Second)
				r.wants("AgentStarting", "AgentStarted s1", "PromptSent first")
				r.connections(1, 2)
			})
		})
	}
}

// A pending login ends with its connection.
func TestRestartInLogin(t *testing.T) {
	each(t, func(r *rig) { (&guard{sessions: true}).set(r) }, func(r *rig) {
		in := func(c *fakeagent.Call) (string, error) { time.Sleep(time.Second); return "{}", nil }
		r.fake().On("authenticate", in)
		r.fake().On("auth/login", in)
		a := r.w.Start(local)
		r.settle()
		a.Login.Authenticate(method(a, "own"), "")
		r.wants("AgentStarting", wantedFirst, "LoggingIn Own login")
		a.Restart()
		r.pass(time.Minute)
		r.wants("AgentStarting", wantedFirst)
		if a.Login.Running() != "" {
			r.Error("the earlier login still runs")
		}
		a.CancelStart()
		r.pass(time.Second)
		r.wants()
		r.connections(0, 2)
		a.Login.Authenticate(event.AuthMethod{ID: "own"}, "") // chosen before the agent ended
		a.Login.LogOut(func(error) {})
		a.Delete("kept")
		r.settle()
	})
}

// The agent is restarted with the variables of a login in its environment.
func TestLoginByVariables(t *testing.T) {
	own := workspace.Variables{"FAKE_KEY": "right"}
	for name, c := range map[string]struct {
		g      *guard
		values workspace.Variables
		in     func(*fakeagent.Call) (string, error)
		news   []string
		kept   bool // used again at the next start
	}{
		"enough": {&guard{sessions: true, env: true}, own, nil, []string{"AgentStarting", "AgentStarted s1", "PromptSent first"}, true},
		"told":   {&guard{sessions: true}, own, nil, []string{"AgentStarting", "LoggingIn With a key", "LoggedIn", "AgentStarted s1", "PromptSent first"}, true},
		"wrong": {&guard{sessions: true, env: true}, workspace.Variables{"FAKE_KEY": "wrong"},
			func(*fakeagent.Call) (string, error) { return "", fakeagent.Errorf(-32603, "a wrong key") },
			[]string{"AgentStarting", "LoggingIn With a key", "LoginFailed: log in: the agent answered: a wrong key (-32603)"}, false},
		"no authenticate": {&guard{sessions: true, env: true}, workspace.Variables{"FAKE_KEY": "wrong"},
			func(*fakeagent.Call) (string, error) { return "", fakeagent.Errorf(-32601, "Method not found") },
			[]string{"AgentStarting", "LoggingIn With a key", "LoginFailed: open a session: the agent answered: who are you? (-32000)"}, false},
		"used once": {&guard{sessions: true}, own, func(*fakeagent.Call) (string, error) { return "{}", nil },
			[]string{"AgentStarting", "LoggingIn With a key", "LoggedIn", wantedFirst}, false},
	} {
		t.Run(name, func(t *testing.T) {
			with(t, func(r *rig) { c.g.set(r) }, func(r *rig) {
				if c.in != nil {
					r.fake().On("authenticate", c.in)
				}
				a := r.w.Start(local)
				a.Front().Prompts.Queue.Add("first")
				r.wants("AgentStarting", wantedFirst)
				a.Login.WithVariables(method(a, "env"), c.values)
				r.pass(time.Second)
				r.wants(c.news...)
				if got := r.Agent().Env["FAKE_KEY"]; got != c.values["FAKE_KEY"] {
					t.Errorf("it was started with %q", got)
				}
				if kept := a.Login.Spec().Env != nil; kept != c.kept {
					t.Errorf("kept: %v", kept)
				}
				a.Restart()
				r.pass(time.Second)
				if _, has := r.Agent().Env["FAKE_KEY"]; has != c.kept {
					t.Errorf("the next one has them: %v", has)
				}
				if got := fmt.Sprintf("%v %#v", c.values, c.values); strings.Contains(got, "right") || strings.Contains(got, "wrong") {
					t.Error(got)
				}
				if c.kept {
					r.got("first")
				} else {
					r.waits(a.Front(), "first")
				}
			})
		})
	}
}

// The agent is restarted after a login program that succeeded.
func TestLoginInTerminal(t *testing.T) {
	each(t, func(r *rig) {
		(&guard{sessions: true}).set(r)
		r.opts.LoginCommand = func(s workspace.Spec, m event.AuthMethod) workspace.LoginCommand {
			return program(command(s.Name + " " + m.ID))
		}
	}, func(r *rig) {
		a := r.w.Start(local)
		a.Front().Prompts.Queue.Add("first")
		r.wants("AgentStarting", wantedFirst)
		if got := a.Login.Terminal(method(a, "tty")).Command; got != command("fake tty") {
			r.Errorf("got %v", got)
		}
		a.Login.Ran(a.ConnectionNumber(), program("x"), errors.New("exit status 1"))
		r.wants("LoginFailed: exit status 1, no such account")
		if a.Err() == nil {
			r.Error("it has forgotten why")
		}
		a.Login.Ran(a.ConnectionNumber(), program("x"), nil)
		r.wants("AgentStarting", wantedFirst+", again, no such account")
		a.Restart()
		r.wants("AgentStarting", wantedFirst)
		stale := a.ConnectionNumber()
		r.fake().On("session/new", nil)
		a.Login.Ran(a.ConnectionNumber(), program("x"), nil)
		r.pass(time.Second)
		r.wants("AgentStarting", "AgentStarted s1", "PromptSent first")
		a.Login.Ran(stale, program("x"), nil)
		a.Login.Ran(stale, program("x"), errAway)
		r.wants()
		r.connections(1, 4)
	})
}

type command string

func (command) SetStdin(io.Reader)  {}
func (command) SetStdout(io.Writer) {}
func (command) SetStderr(io.Writer) {}
func (command) Run() error          { return nil }

// program returns a login that runs a command.
func program(c command) workspace.LoginCommand {
	return workspace.LoginCommand{Command: c, LastLines: func() []string { return []string{"no such account"} }}
}

// UnsupportedReason says why a method is not supported.
func TestUnfit(t *testing.T) {
	with(t, func(r *rig) { (&guard{sessions: true}).set(r) }, func(r *rig) {
		unfit := func(a *workspace.Agent) (out []string) {
			for _, m := range a.Login.Methods() {
				out = append(out, workspace.MethodName(m)+": "+a.Login.UnsupportedReason(m))
			}
			return out
		}
		a := r.w.Start(local)
		if a.Login.Methods() != nil {
			t.Error("the methods are known too early")
		}
		r.settle()
		if got := strings.Join(unfit(a), "|"); got != "Own login: |With a key: |In a terminal: terminal|By palm reading: palm" {
			t.Error(got)
		}
		a = r.w.Start(far)
		r.settle()
		if got := strings.Join(unfit(a), "|"); got != "Own login: |With a key: the agent is remote: set FAKE_KEY there|In a terminal: the agent is remote|By palm reading: palm" {
			t.Error(got)
		}
	})
}

// Prompts that were refused for want of a login are sent after it, each once and before
// prompts typed later.
func TestPromptsWantLogin(t *testing.T) {
	each(t, func(r *rig) { (&guard{}).set(r) }, func(r *rig) {
		s := r.started(local)
		wanted := 0
		r.hear = func(n workspace.News) {
			if n, ok := n.(workspace.LoginWanted); ok && n.Session == s {
				wanted++
			}
		}
		sent := []string{"first"}
		if r.fake().Protocol == "2" { // it accepts several at once
			sent = append(sent, "second")
		}
		for _, text := range sent {
			if err := s.Prompts.Submit(text, s.Prompts.Queue.Len() > 0); err != nil {
				r.Error(err)
			}
		}
		r.pass(time.Second)
		if wanted != len(sent) || s.Thread.State != thread.Idle {
			r.Errorf("wanted %d times, %v", wanted, s.Thread.State)
		}
		s.Prompts.Queue.Add("third")
		r.pass(time.Minute)
		r.got(sent...)
		s.Agent.Login.Authenticate(method(s.Agent, "own"), "")
		r.pass(time.Minute)
		r.got(slices.Concat(sent, sent, []string{"third"})...)
		r.waits(s)
		if len(r.returned) > 0 {
			r.Errorf("came back: %q", r.returned)
		}
	})
}

// A prompt sent before the refusal of an earlier one is known is not sent again after the
// login.
func TestPromptAfterRefused(t *testing.T) {
	with(t, func(r *rig) {
		r.fake().Protocol = "2"
		(&guard{}).set(r)
		r.fake().OnPrompt(func(t *fakeagent.Turn) (string, error) {
			if t.N == 1 {
				return "", errWho
			}
			return t.AcceptInOrder()
		})
		r.fake().Turn(slow)
	}, func(r *rig) {
		s := r.started(local)
		s.Prompts.Submit("first", false)
		r.run()
		s.Prompts.Submit("second", false)
		r.pass(time.Second)
		s.Agent.Login.Authenticate(method(s.Agent, "own"), "")
		r.pass(time.Second)
		s.Stop()
		r.pass(time.Minute)
		r.fake().Turn(brief)
		s.Prompts.Resume()
		r.pass(time.Minute)
		r.got("first", "second", "first")
	})
}

// If the agent is restarted for the login, refused prompts of the front session go to its new
// session. Those of sessions that end with the connection are returned.
func TestRefusedThenRestarted(t *testing.T) {
	each(t, func(r *rig) {
		(&guard{}).set(r)
		r.opts.LoginCommand = func(workspace.Spec, event.AuthMethod) workspace.LoginCommand { return program(command("")) }
	}, func(r *rig) {
		g := &guard{}
		g.set(r)
		s := r.started(local)
		s.Agent.NewSession()
		r.settle()
		second := r.w.Front()
		r.prompt(second, "elsewhere")
		r.pass(time.Second)
		second.Prompts.Queue.Add("elsewhere later")
		r.w.Show(s)
		r.prompt(s, "first")
		r.pass(time.Second)
		s.Prompts.Queue.Add("second")
		g.in.Store(true)
		s.Agent.Login.Ran(s.Agent.ConnectionNumber(), program("x"), nil)
		r.pass(time.Second)
		r.got("elsewhere", "first", "first", "second")
		if !slices.Equal(r.returned, []string{"elsewhere", "elsewhere later"}) {
			r.Errorf("came back: %q", r.returned)
		}
	})
}

// When a prompt is refused although the agent has the variables of a login, the agent is asked
// to log in with them.
func TestPromptUsesVariables(t *testing.T) {
	with(t, func(r *rig) { (&guard{}).set(r) }, func(r *rig) {
		s := r.started(local)
		s.Agent.Login.WithVariables(method(s.Agent, "env"), workspace.Variables{"FAKE_KEY": "right"})
		r.settle()
		r.news = nil
		r.prompt(s, "first")
		r.pass(time.Second)
		r.wants("PromptSent first", "LoggingIn With a key", "LoggedIn", "PromptSent first")
		r.got("first", "first")
	})
}

// The connection stays after a logout.
func TestLogOut(t *testing.T) {
	each(t, func(r *rig) {
		if r.fake().Protocol == "1" {
			r.fake().Capabilities(`,"agentCapabilities":{"auth":{"logout":{}}}` + logins)
		} else {
			r.fake().Capabilities(logins2)
		}
		r.fake().Answer("logout", "{}")
		r.fake().Answer("auth/logout", "{}")
	}, func(r *rig) {
		s := r.started(local)
		err := errors.New("not called")
		s.Agent.Login.LogOut(func(e error) { err = e })
		r.settle()
		if err != nil || !s.Agent.Live() {
			r.Errorf("%v, live %v", err, s.Agent.Live())
		}
	})
}
