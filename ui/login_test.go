package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// loading is a machine that opens an earlier session first.
type loading struct {
	workspace.Machine
	conn *workspace.Connection
}

func (m loading) Open(ctx context.Context) (*acpclient.Session, error) {
	return m.conn.Client.LoadSession(ctx, "k1", m.conn.Template)
}

// ways are login methods of every kind; the first has no type at all.
const ways = `,"authMethods":[
	{"id":"browser","name":"In the browser","description":"opens a page"},
	{"id":"tty","name":"In a terminal","type":"terminal","args":["login"],"env":{"A":"1"}},
	{"id":"palm","name":"By palm reading","type":"palm"},
	{"id":"key-\u001b[2J","name":"","type":"agent"}]`

// guarded is an agent that opens no session before a login.
type guarded struct {
	in   atomic.Bool // logged in
	runs []string
	exit []error  // of the runs to come
	said []string // by each of them
	vain bool     // they log in nobody
	auth func(*fakeagent.Call) (string, error)
}

func (g *guarded) set(d *driver, o *Options) {
	d.fake.Capabilities(ways)
	d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
		if !g.in.Load() {
			return "", fakeagent.Errorf(-32000, "Bitte anmelden")
		}
		return c.Default()
	})
	for _, method := range []string{"authenticate", "auth/login"} {
		d.fake.On(method, func(c *fakeagent.Call) (string, error) {
			time.Sleep(time.Second)
			if g.auth != nil {
				return g.auth(c)
			}
			g.in.Store(true)
			return `{}`, nil
		})
	}
	o.LoginCommand = func(a workspace.Spec, method event.AuthMethod) workspace.LoginCommand {
		return g.login(a.Command + " + " + strings.Join(method.Args, " "))
	}
}

// loginRun fakes the agent's login command in the real terminal.
type loginRun struct {
	g     *guarded
	words string
}

func (g *guarded) login(words string) workspace.LoginCommand {
	return workspace.LoginCommand{Command: &loginRun{g, words}, LastLines: func() []string { return g.said }}
}

func (l *loginRun) Run() error {
	l.g.runs = append(l.g.runs, l.words)
	var err error
	if len(l.g.exit) > 0 {
		err, l.g.exit = l.g.exit[0], l.g.exit[1:]
	}
	l.g.in.Store(err == nil && !l.g.vain)
	return err
}
func (l *loginRun) SetStdin(io.Reader)  {}
func (l *loginRun) SetStdout(io.Writer) {}
func (l *loginRun) SetStderr(io.Writer) {}

// Case 67: -32000, whatever its text, brings the ways to log in; then the
// session is opened and the first prompt goes out.
func TestLoginByTheAgent(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) { g.set(d, o); o.Prompt = "from outside" }, func(d *driver) {
		d.rest()
		d.sees("Bitte anmelden", "╭ Log in to fake", "In the browser", "opens a page", "by the agent", "In a terminal", "in this terminal", "By palm reading", "not supported: palm", "4/4")
		first := d.Agent()
		d.types("brow\n")
		d.sees("Logging in: In the browser", "esc cancel")
		d.m.Front.Agent.Log.Add(event.LogStderr, "code: ABCD-1234")
		d.wait(500 * time.Millisecond)
		d.sees("code: ABCD-1234") // shown while the login runs
		d.press("enter")          // means nothing here
		d.wait(time.Second)
		d.connected()
		if d.Agent() != first || len(g.runs) != 0 {
			t.Error("the agent was started again")
		}
		if got := d.called("authenticate", 1); got[0] != `{"methodId":"browser"}` {
			t.Error(got)
		}
		d.called("session/new", 2)
		d.prompts("from outside")
		d.sees("▌ from outside", "You said: from outside")
		d.misses("anmelden", "Logging in", "logging in")
		d.wait(time.Minute)
		d.prompts("from outside")
	})
}

// A login that fails or is cancelled shows the login methods again.
func TestLoginFails(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		g.auth = func(c *fakeagent.Call) (string, error) {
			if len(c.Agent.Calls("authenticate")) == 1 {
				return "", fakeagent.Errorf(-32603, "the browser is on strike")
			}
			<-c.Ctx.Done()
			return "", c.Ctx.Err()
		}
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.wait(2 * time.Second)
		d.sees("log in: the agent answered: the browser is on strike", "╭ Log in to fake", "In the browser")
		d.press("enter")
		d.wait(5 * time.Second)
		d.sees("Logging in: In the browser")
		d.press("esc")
		d.soon()
		d.sees("the login was cancelled", "╭ Log in to fake")
		d.called("authenticate", 2)
		d.called("session/new", 1)
		d.press("esc") // no login at all
		d.sees("enter try again", "esc another agent")
		d.misses("╭ Log in")
		first := d.Agent()
		d.press("enter")
		d.soon()
		d.sees("Bitte anmelden", "╭ Log in to fake")
		if d.Agent() == first {
			t.Error("not started again")
		}
		d.press("esc", "esc")
		d.sees("Type to filter")
	})
}

// The agent still wants a login after one.
func TestLoginIsNotEnough(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		g.auth = func(*fakeagent.Call) (string, error) { return `{}`, nil }
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.wait(2 * time.Second)
		d.sees("Bitte anmelden", "╭ Log in to fake")
		d.called("session/new", 2)
	})
}

// After a login the first session is the one that was asked for.
func TestLoginOpensAsAsked(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Capabilities(ways + keeps)
		d.fake.On("session/load", func(c *fakeagent.Call) (string, error) {
			c.Agent.Say("k1", "user", "where were we?")
			return `{}`, nil
		})
		connect := o.Connect
		o.Connect = func(ctx context.Context, a workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			conn, err := connect(ctx, a, sink, log)
			if conn != nil {
				conn.Machine = loading{conn.Machine, conn}
			}
			return conn, err
		}
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.wait(2 * time.Second)
		d.connected()
		d.sees("▌ where were we?")
		d.called("session/load", 1)
		d.called("session/new", 1) // the one that was refused
		d.types("go on\n")
		d.soon()
		d.prompts("go on")
	})
}

// Case 68: a login in the real terminal is a command of the agent's; then it is
// started again. authenticate is not called.
func TestLoginInTheTerminal(t *testing.T) {
	g := &guarded{exit: []error{errors.New("exit status 1"), nil}}
	starts := 0
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		o.Prompt = "from outside"
		d.Dial = func(int, workspace.Spec) error { starts++; return nil }
	}, func(d *driver) {
		d.rest()
		d.types("terminal\n")
		d.soon()
		d.sees("login failed: exit status 1", "╭ Log in to fake", "In a terminal")
		if starts != 1 {
			t.Fatalf("started %d times", starts)
		}
		first := d.Agent()
		d.types("terminal\n")
		d.soon()
		d.connected()
		if starts != 2 || d.Agent() == first || strings.Join(g.runs, "|") != "fake --acp + login|fake --acp + login" {
			t.Errorf("started %d times; ran %q", starts, g.runs)
		}
		if n := len(first.Calls("authenticate")) + len(d.Agent().Calls("authenticate")); n != 0 {
			t.Errorf("%d times authenticate", n)
		}
		d.prompts("from outside")
		d.misses("anmelden", "did not succeed")
	})
}

// Case 69: a way that is not known is listed and not called.
func TestUnknownLogin(t *testing.T) {
	g := &guarded{}
	drive(t, g.set, func(d *driver) {
		d.rest()
		d.types("palm\n")
		d.soon()
		d.sees("Unknown login method: palm", "╭ Log in to fake", "By palm reading")
		d.called("authenticate", 0)
		g.in.Store(true)
		d.press("enter")
		d.wait(2 * time.Second)
		d.connected()
		d.types("/login\n")
		d.types("palm\n")
		d.soon()
		d.sees("Unknown login method: palm", "╭ Log in to fake")
		d.called("authenticate", 1)
	})
}

// wantsOne is a turn that is refused until the agent is logged in.
func (g *guarded) wantsOne(t *fakeagent.Turn) string {
	if !g.in.Load() {
		return "login"
	}
	t.Say("You said: " + t.Text)
	return "end_turn"
}

// Case 71: a prompt that is refused brings the ways to log in, over the session;
// after the login it is sent once more, and only once.
func TestLoginForAPrompt(t *testing.T) {
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) { g.set(d, o); d.fake.Turn(g.wantsOne) }, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		g.in.Store(false)
		d.types("again\nqueued\n")
		d.soon()
		d.types("kept") // typed on: not for what has just opened
		d.press("enter")
		d.soon()
		d.called("authenticate", 0)
		d.rest()
		d.sees("You said: hello", "╭ Log in to fake", "In the browser")
		d.prompts("hello|again")
		d.press("enter")
		d.soon()
		d.sees("logging in: In the browser", "esc cancel")
		d.types("draft")
		d.wait(2 * time.Second)
		d.prompts("hello|again|again|queued|kept")
		d.sees("You said: again", "You said: queued")
		d.draft("draft")
		d.called("session/new", 1)
		d.press("ctrl+u")
		d.types("/login\n\n")
		d.wait(2 * time.Second)
		d.sees("Logged in")
		d.prompts("hello|again|again|queued|kept")
	})
}

// A login for a prompt that fails or is cancelled shows the methods again; the
// prompt is not sent before, nor after another one was sent in its place.
func TestLoginForAPromptFails(t *testing.T) {
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Turn(g.wantsOne)
		g.auth = func(c *fakeagent.Call) (string, error) {
			switch len(c.Agent.Calls("authenticate")) {
			case 1:
				return "", fakeagent.Errorf(-32603, "the browser is on strike")
			case 2:
				<-c.Ctx.Done()
				return "", c.Ctx.Err()
			}
			g.in.Store(true)
			return `{}`, nil
		}
	}, func(d *driver) {
		d.connected()
		g.in.Store(false)
		d.types("hello\n")
		d.rest()
		d.press("enter")
		d.wait(2 * time.Second)
		d.sees("the browser is on strike", "╭ Log in to fake")
		d.press("enter")
		d.wait(2 * time.Second)
		d.sees("logging in")
		d.press("esc")
		d.soon()
		d.sees("the login was cancelled", "╭ Log in to fake")
		d.misses("logging in")
		d.prompts("hello")
		d.press("esc")
		g.in.Store(true) // by some other way
		d.types("hello, once more\n")
		d.soon()
		d.types("/login\n\n")
		d.wait(2 * time.Second)
		d.called("authenticate", 3)
		d.prompts("hello|hello, once more")
	})
}

// After a login in the terminal the agent is another process: the refused
// prompt goes to its new session, the transcript stays.
func TestTerminalLoginForAPrompt(t *testing.T) {
	g := &guarded{exit: []error{errors.New("exit status 1")}}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) { g.set(d, o); d.fake.Turn(g.wantsOne) }, func(d *driver) {
		d.connected()
		g.in.Store(false)
		d.types("hello\n")
		d.rest()
		d.types("terminal\n")
		d.soon()
		d.sees("Login failed: exit status 1", "╭ Log in to fake")
		first := d.Agent()
		d.types("terminal\n")
		d.connected()
		if d.Agent() == first {
			t.Fatal("not started again")
		}
		d.prompts("hello")
		d.sees("started again", "You said: hello")
	})
}

// The login for a prompt of one session, while one looks at another.
func TestLoginForAnotherSession(t *testing.T) {
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) { g.set(d, o); d.fake.Turn(g.wantsOne) }, func(d *driver) {
		d.connected()
		g.in.Store(false)
		d.types("hello\n")
		d.rest()
		d.press("enter") // the login begins
		g.in.Store(true)
		d.types("/new\n")
		g.in.Store(false)
		d.wait(2 * time.Second)
		d.misses("hello")
		d.prompts("hello|hello")
		d.switchTo("1")
		d.sees("You said: hello")
	})
}

// Case 70: logout only if the agent supports it.
func TestLogout(t *testing.T) {
	drive(t, nil, func(d *driver) {
		d.connected()
		d.types("/logout\n")
		d.soon()
		d.sees("This agent has no logout")
		d.called("logout", 0)
	})
	g := &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Turn(g.wantsOne)
		d.fake.Capabilities(ways + `,"agentCapabilities":{"auth":{"logout":{}}}`)
		d.fake.On("logout", func(*fakeagent.Call) (string, error) { g.in.Store(false); return `{}`, nil })
	}, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("/logout\n")
		d.soon()
		d.sees("Logged out", "You said: hello")
		d.called("logout", 1)
		d.types("more\n")
		d.soon()
		d.sees("╭ Log in to fake", "You said: hello")
	})
}

// The agent ends during a login.
func TestAgentGoesDuringLogin(t *testing.T) {
	g := &guarded{}
	drive(t, g.set, func(d *driver) {
		d.rest()
		d.press("enter")
		d.soon()
		d.Agent().Close()
		d.soon()
		d.sees("╭ Log in to fake", "log in: ")
		d.press("esc", "enter")
		d.soon()
		g.in.Store(true)
		d.rest() // the list has opened again
		d.press("enter")
		d.wait(2 * time.Second)
		d.connected()
		d.types("hello\n")
		d.soon()
		d.sees("You said: hello")
	})
}

func TestGoldenLogin(t *testing.T) {
	t.Parallel()
	g := &guarded{}
	drive(t, func(d *driver, o *Options) { g.set(d, o); o.Theme = "dark" }, func(d *driver) { d.soon(); d.golden("login") })
	g = &guarded{}
	g.in.Store(true)
	drive(t, func(d *driver, o *Options) { g.set(d, o); o.Theme = "light"; d.fake.Turn(g.wantsOne) }, func(d *driver) {
		d.connected()
		g.in.Store(false)
		d.types("hello\n")
		d.rest()
		d.golden("login-prompt")
	})
}
