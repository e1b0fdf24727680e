package ui

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient/event"
	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// secretKey is made of characters that nothing else on the screen has.
const secretKey = "ßþðđħŋłœ"

// keyWays are the ways to log in that want something of the user first.
const keyWays = `,"authMethods":[
	{"id":"key","name":"With a key","description":"from the console","type":"env_var","link":"https://keys.example.org/new","vars":[{"name":"FAKE_KEY","label":"API key"},{"name":"FAKE_URL","secret":false,"optional":true}]},
	{"id":"run","name":"In its own way","_meta":{"terminal-auth":{"command":"fake-login","args":["--now","a b"],"label":"Fake Login","env":{"A":"1"}}}},
	{"id":"bad","name":"By loading","type":"env_var","vars":[{"name":"LD_PRELOAD","label":"API key"}]},
	{"id":"tty","name":"In a terminal","type":"terminal","args":["login"]}]`

// locked is an agent that opens sessions only with the key in its environment. It
// takes it by itself, or when told to.
type locked struct {
	guarded
	told     bool // it must be told with authenticate
	program  string
	unfound  error
	started  []workspace.Variables
	prepared []workspace.Spec // for commands that it named itself
}

func (k *locked) set(d *driver, o *Options) {
	k.guarded.set(d, o)
	taken := map[*fakeagent.Agent]bool{}
	d.fake.Capabilities(keyWays)
	d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
		if key := c.Agent.Env["FAKE_KEY"]; k.in.Load() || key == secretKey && (!k.told || taken[c.Agent]) {
			return c.Default()
		} else if key != "" && !k.told {
			return "", fakeagent.Errorf(-32000, "that key is wrong")
		}
		return "", fakeagent.Errorf(-32000, "Bitte anmelden")
	})
	d.fake.On("authenticate", nil)
	if k.told {
		d.fake.On("authenticate", func(c *fakeagent.Call) (string, error) {
			if c.Agent.Env["FAKE_KEY"] != secretKey {
				return "", fakeagent.Errorf(-32603, "nobody has this key")
			}
			taken[c.Agent] = true
			return `{}`, nil
		})
	}
	d.Dial = func(_ int, s workspace.Spec) error { k.started = append(k.started, s.Env); return nil }
	k.program = "/usr/bin/fake-login"
	o.AgentLogin = func(a workspace.Spec, c event.AuthCommand) (workspace.AgentLogin, error) {
		k.prepared = append(k.prepared, a)
		line := strings.Join(append([]string{c.Command}, c.Args...), " ")
		return workspace.AgentLogin{Command: k.login(line), Line: line, Program: k.program, Dir: "/home/ada"}, k.unfound
	}
}

// typesKey fills in the first field, half typed, half pasted.
func (d *driver) typesKey(key string) {
	d.t.Helper()
	half := len([]rune(key)) / 2
	d.types(" " + string([]rune(key)[:half]))
	d.send(tea.PasteMsg{Content: string([]rune(key)[half:]) + "\r\n"})
	d.press("left", "home", "right", "end")
}

// environments checks what the agents were started with, one after the other.
func (k *locked) environments(t *testing.T, want ...workspace.Variables) {
	t.Helper()
	same := len(k.started) == len(want)
	for i := 0; same && i < len(want); i++ {
		same = maps.Equal(k.started[i], want[i])
	}
	if !same {
		t.Fatalf("started with %d environments, want %d, or one of them is another", len(k.started), len(want))
	}
}

// The variables are asked for unseen and are in the environment of the agent
// that is started next, and nowhere else.
func TestLoginWithVariables(t *testing.T) {
	k := &locked{}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Prompt = "from outside" }, func(d *driver) {
		d.hidden = secretKey
		d.rest()
		d.sees("╭ Log in to fake", "With a key", "asks for 2 values", "runs a command", "not supported: LD_PRELOAD")
		first := d.Agent()
		d.press("enter")
		d.sees("╭ Log in to fake: With a key", "The agent is restarted with it", "from the console", "https://keys.example.org/new",
			"▸ API key  required", "FAKE_KEY, not shown while you type", "  FAKE_URL", "optional", "Send · Cancel", "esc back")
		d.misses("Decline", "Type to filter")
		d.typesKey(secretKey)
		d.sees("    › ••••••••• ") // with a space in front
		d.press("tab")
		d.types("http://here")
		d.sees("› http://here")
		d.draft("")
		d.press("enter")
		d.connected()
		if d.Agent() == first || !first.Closed() {
			t.Error("not started again")
		}
		k.environments(t, nil, workspace.Variables{"FAKE_KEY": secretKey, "FAKE_URL": "http://here"})
		d.called("authenticate", 0)
		d.called("session/new", 1)
		d.prompts("from outside")
		d.sees("You said: from outside")
		d.misses("anmelden")
		d.press("up") // the history has the prompts only
		d.draft("")
		lines, _ := d.m.Front.Agent.Log.Lines()
		if s := fmt.Sprintf("%v %+v %+v %#v", lines, d.m.Workspace.Resumable(), d.m.Front.Agent.Login.Spec(), d.m.Front.Agent.Login.Spec()) + strings.Join(first.Calls(""), "") + strings.Join(d.Agent().Calls(""), ""); strings.ContainsAny(s, secretKey) {
			t.Errorf("the key is in %s", s)
		}
		d.Agent().Close() // whenever it is started again
		d.soon()
		d.press("enter")
		d.connected()
		k.environments(t, nil, workspace.Variables{"FAKE_KEY": secretKey, "FAKE_URL": "http://here"}, workspace.Variables{"FAKE_KEY": secretKey, "FAKE_URL": "http://here"})
	})
}

// A value that does not do brings the ways again, with what the agent said of
// it, and is forgotten.
func TestLoginWithWrongVariables(t *testing.T) {
	k := &locked{}
	drive(t, k.set, func(d *driver) {
		d.rest()
		d.press("enter", "enter")
		d.sees("✗ enter a value") // a field that must not stay empty
		d.types("  ")
		d.press("ctrl+s")
		d.sees("✗ enter a value")
		d.press("ctrl+u")
		d.types("wrong")
		d.press("ctrl+s") // the second one has never been seen on a low screen, but here it has
		d.rest()
		d.sees("✗ open a session: the agent answered: that key is wrong (-32000)", "╭ Log in to fake ")
		d.called("authenticate", 1) // it might have wanted to be told
		d.press("enter")
		d.sees("▸ API key  required")
		d.misses("•")
		d.typesKey(secretKey)
		d.press("ctrl+s")
		d.connected()
		k.environments(t, nil, workspace.Variables{"FAKE_KEY": "wrong"}, workspace.Variables{"FAKE_KEY": secretKey})
	})
	k = &locked{}
	drive(t, k.set, func(d *driver) { // another way after that begins without it
		d.rest()
		d.press("enter")
		d.types("wrong")
		d.press("ctrl+s")
		d.rest()
		d.types("terminal\n")
		d.connected()
		k.environments(t, nil, workspace.Variables{"FAKE_KEY": "wrong"}, nil)
	})
}

// An agent that has the variables and still wants a login is told to log in with
// them, once.
func TestLoginWithVariablesHasToBeTold(t *testing.T) {
	k := &locked{told: true}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Prompt = "from outside" }, func(d *driver) {
		d.hidden = secretKey
		d.rest()
		d.press("enter")
		d.types("wrong")
		d.press("ctrl+s")
		d.rest()
		d.sees("✗ log in: the agent answered: nobody has this key (-32603)", "╭ Log in to fake ")
		d.called("session/new", 1)
		d.press("enter")
		d.typesKey(secretKey)
		d.press("ctrl+s")
		d.connected()
		if got := d.called("authenticate", 1); got[0] != `{"methodId":"key"}` {
			t.Error(got)
		}
		d.called("session/new", 2)
		d.prompts("from outside")
	})
	// That it answers well proves nothing.
	k = &locked{told: true}
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		d.fake.Answer("authenticate", `{}`)
	}, func(d *driver) {
		d.rest()
		d.press("enter")
		d.types("wrong")
		d.press("ctrl+s")
		d.rest()
		d.sees("Bitte anmelden", "╭ Log in to fake ")
		d.called("authenticate", 1)
		d.called("session/new", 2)
		if len(d.m.Front.Agent.Login.Spec().Env) != 0 {
			t.Error("kept")
		}
	})
}

// esc returns to the list and discards what was typed.
func TestLoginStepLeft(t *testing.T) {
	k := &locked{}
	drive(t, k.set, func(d *driver) {
		d.hidden = secretKey
		d.rest()
		d.press("down", "up", "enter")
		d.typesKey(secretKey)
		d.press("esc")
		d.sees("╭ Log in to fake ", "Type to filter", "With a key")
		d.draft("")
		d.press("enter")
		d.sees("API key")
		d.misses("•")
		d.press("tab", "tab", "right", "enter") // Cancel
		d.sees("Type to filter")
		d.press("down", "enter")
		d.sees("fake-login --now")
		d.press("esc")
		d.sees("› In its own way") // where one was
		d.press("esc")
		d.sees("enter try again")
		d.misses("╭ Log in")
		if len(k.started) != 1 || len(k.runs) != 0 {
			t.Errorf("started %d times, ran %q", len(k.started), k.runs)
		}
	})
}

// A method that asks for a variable that is not for logins is listed and refused.
func TestLoginWithHostileVariables(t *testing.T) {
	k := &locked{}
	drive(t, k.set, func(d *driver) {
		d.rest()
		d.types("loading\n")
		d.sees("Unsupported login method: LD_PRELOAD is no login's", "╭ Log in to fake ")
		d.misses("▸ API key")
		k.environments(t, nil)
	})
}

// For a prompt that was refused the agent becomes another process; the prompt
// goes to its new session.
func TestLoginWithVariablesForAPrompt(t *testing.T) {
	k := &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if t.Agent.Env["FAKE_KEY"] != secretKey {
				return "login"
			}
			t.Say("You said: " + t.Text)
			return "end_turn"
		})
	}, func(d *driver) {
		d.hidden = secretKey
		d.connected()
		d.types("hello\n")
		d.rest()
		d.press("enter")
		d.sees("╭ Log in to fake: With a key", "▌ hello")
		d.typesKey(secretKey)
		first := d.Agent()
		d.press("ctrl+s")
		d.connected()
		if d.Agent() == first {
			t.Fatal("not started again")
		}
		d.prompts("hello")
		d.sees("started again", "You said: hello")
	})
	// One whose sessions open anyway, and that must be told.
	k = &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		in := false
		d.fake.On("authenticate", func(c *fakeagent.Call) (string, error) { in = c.Agent.Env["FAKE_KEY"] == secretKey; return `{}`, nil })
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if !in {
				return "login"
			}
			t.Say("You said: " + t.Text)
			return "end_turn"
		})
	}, func(d *driver) {
		d.connected()
		d.types("hello\n")
		d.rest()
		d.press("enter")
		d.typesKey("wrong")
		d.press("ctrl+s")
		d.rest()
		d.rest()
		d.called("authenticate", 1)
		d.prompts("hello|hello")
		d.sees("╭ Log in to fake ")
		d.press("enter")
		d.typesKey(secretKey)
		d.press("ctrl+s")
		d.rest()
		d.called("authenticate", 1)
		d.prompts("hello|hello")
		d.sees("You said: hello")
	})
}

// Whatever happens while a secret is typed, the keys reach its field and nothing else.
func TestNothingComesBetweenASecret(t *testing.T) {
	k := &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		d.fake.Turn(func(t *fakeagent.Turn) string {
			if strings.HasPrefix(t.Text, "ask") {
				t.Wait(time.Second)
				go t.Agent.Ask(context.Background(), "s1", push, usual)
				go t.Elicit(oneField)
				t.Wait(time.Second)
				t.Wait(time.Hour)
			}
			t.Wait(2 * time.Second)
			return "login"
		})
	}, func(d *driver) {
		d.hidden = secretKey
		d.connected()
		fill := func() {
			d.press("enter")
			d.sees("▸ API key")
			for range 5 {
				d.typesKey(secretKey[:4])
				d.rest()
			}
			d.sees("•••••")
			d.draft("")
		}
		d.types("hello\n")
		d.types("/login\n")
		fill() // the turn ends for want of a login meanwhile
		d.press("esc")
		d.sees("Type to filter")
		d.press("esc")
		d.types("ask\n/login\n")
		fill() // a question and a form come meanwhile
		d.outcomes("")
		d.answered("")
		d.press("ctrl+c")
		d.sees("Run outside the project")
	})
	// The page with the field is removed.
	k = &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		d.fake.On("session/new", func(c *fakeagent.Call) (string, error) {
			if c.N > 1 {
				time.Sleep(2 * time.Second)
				return "", fakeagent.Errorf(-32603, "no more of them")
			}
			return c.Default()
		})
	}, func(d *driver) {
		d.hidden = secretKey
		d.connected()
		d.types("hello\n/new\n")
		d.types("/login\n\n")
		d.sees("▸ API key")
		d.typesKey(secretKey[:4])
		d.wait(3 * time.Second)
		d.sees("You said: hello", "▸ API key")
		d.types(secretKey[4:])
		d.draft("")
		d.press("ctrl+s")
		d.rest()
		k.environments(t, nil, workspace.Variables{"FAKE_KEY": secretKey})
	})
	// A login that was under way fails.
	k = &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) {
		k.set(d, o)
		d.fake.Capabilities(strings.Replace(keyWays, `[`, `[{"id":"browser","name":"In the browser"},`, 1))
		d.fake.On("authenticate", func(*fakeagent.Call) (string, error) {
			time.Sleep(2 * time.Second)
			return "", fakeagent.Errorf(-32603, "on strike")
		})
	}, func(d *driver) {
		d.hidden = secretKey
		d.connected()
		d.types("/login\n\n")
		d.types("/login\nkey\n")
		d.typesKey(secretKey)
		d.wait(3 * time.Second)
		d.sees("▸ API key")
		d.typesKey(secretKey)
		d.draft("")
		d.press("esc")
		d.sees("on strike", "Type to filter")
	})
}

func TestGoldenLoginStep(t *testing.T) {
	t.Parallel()
	k := &locked{}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Theme = "dark" }, func(d *driver) {
		d.hidden = secretKey
		d.rest()
		d.press("enter")
		d.typesKey(secretKey)
		d.golden("login-key")
	})
	k = &locked{}
	k.in.Store(true)
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Theme = "light" }, func(d *driver) {
		d.hidden = secretKey
		d.connected()
		d.types("hello\n")
		d.soon()
		d.types("/login\n\n")
		d.press("ctrl+s") // an answer is needed
		d.golden("login-key-prompt")
	})
	k = &locked{}
	drive(t, func(d *driver, o *Options) { k.set(d, o); o.Theme = "dark" }, func(d *driver) {
		d.rest()
		d.types("own\n")
		d.rest()
		d.golden("login-command")
	})
}

// An agent that takes a key with the login is handed the one that is typed, and is not
// started again; left empty, it looks in its environment, and says what it has missed.
func TestLoginWithATypedKey(t *testing.T) {
	g := &guarded{}
	drive(t, func(d *driver, o *Options) {
		g.set(d, o)
		d.fake.Capabilities(`,"authMethods":[{"id":"api-key","name":"API key","_meta":{"api-key":{"provider":"x"}}}]`)
		g.auth = func(c *fakeagent.Call) (string, error) {
			if params := c.Agent.Calls("authenticate"); !strings.Contains(params[len(params)-1], secretKey) {
				return "", fakeagent.Errorf(-32603, "FAKE_API_KEY is not set")
			}
			g.in.Store(true)
			return `{}`, nil
		}
	}, func(d *driver) {
		d.hidden = secretKey
		d.rest()
		d.sees("API key", "asks for a key")
		first := d.Agent()
		d.press("enter")
		d.sees("The agent gets it and may keep it; parley does not", "not shown while you type, empty: use the one of its environment", "enter send")
		d.press("enter")
		d.wait(2 * time.Second)
		if got := strings.Join(strings.Fields(d.screen()), " "); !strings.Contains(got, "FAKE_API_KEY is not set (-32603); set FAKE_API_KEY before you start parley") {
			t.Errorf("%s", got)
		}
		d.press("enter")
		d.typesKey(secretKey)
		d.press("enter")
		d.wait(2 * time.Second)
		d.connected()
		if d.Agent() != first {
			t.Error("the agent was started again")
		}
	})
}
