package acpclient_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/acpclient/event"
	"parley/internal/must"
)

// offeredBy connects to an agent with these login methods and returns the ones that the
// engine reports.
func offeredBy(t *testing.T, methods string, f func(t *testing.T, a *wireAgent, c *acpclient.Client), o acpclient.Options) (got []event.AuthMethod) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a, c, _, err := connectV2(t, map[string]string{"authenticate": `{}`, "initialize": strings.Replace(v1Hello, `"agentCapabilities"`, `"authMethods":[`+methods+`],"agentCapabilities"`, 1)}, o)
		if err != nil {
			t.Fatalf("%s: got %v", methods, err)
		}
		defer c.Close()
		got = c.Agent().AuthMethods
		if f != nil {
			f(t, a, c)
		}
	})
	return got
}

// The name of a variable decides whether the user is asked for it at all.
func TestLoginVariables(t *testing.T) {
	for vars, want := range map[string]string{
		`{"name":"OPENAI_API_KEY"}`:      "",
		`{"name":"_x9"},{"name":"url"}`:  "",
		`{"name":"PATHFINDER_TOKEN"}`:    "", // only starts like one of the others
		`{"name":"NODE_AUTH_TOKEN"}`:     "",
		`{"name":"HOMEPAGE"}`:            "",
		``:                               "it names no variable",
		`{"label":"x"}`:                  "it names no variable",
		`{"name":"A=B"}`:                 "it names something that cannot be a variable",
		`{"name":"A B"}`:                 "it names something that cannot be a variable",
		`{"name":"1A"}`:                  "it names something that cannot be a variable",
		`{"name":"A\n"}`:                 "it names something that cannot be a variable",
		`{"name":"\u0410PI_KEY"}`:        "it names something that cannot be a variable", // a Cyrillic A
		`{"name":"BASH_FUNC_ls%%"}`:      "it names something that cannot be a variable",
		`{"name":"A\u001b[2J"}`:          "it names something that cannot be a variable",
		`{"name":"KEY"},{"name":"key"}`:  "it names a variable twice",
		`{"name":"KEY"},{"name":"PATH"}`: "PATH is no login's",
		`{"name":"Path"}`:                "Path is no login's",
		`{"name":"HOME"}`:                "HOME is no login's",
		`{"name":"SHELL"}`:               "SHELL is no login's",
		`{"name":"LD_PRELOAD"}`:          "LD_PRELOAD is no login's",
		`{"name":"DYLD_INSERT_LIBRARIES","label":"API key"}`: "DYLD_INSERT_LIBRARIES is no login's",
		`{"name":"NODE_OPTIONS"}`:                            "NODE_OPTIONS is no login's",
		`{"name":"BASH_ENV"}`:                                "BASH_ENV is no login's",
		`{"name":"PYTHONSTARTUP"}`:                           "PYTHONSTARTUP is no login's",
		`{"name":"npm_config_registry"}`:                     "npm_config_registry is no login's",
		`{"name":"PARLEY_STATE"}`:                            "PARLEY_STATE is no login's",
		`{"name":"` + strings.Repeat("A", 101) + `"}`:        "it names something that cannot be a variable",
	} {
		got := offeredBy(t, `{"id":"k","name":"K","type":"env_var","link":"https://x","vars":[`+vars+`]}`, nil, acpclient.Options{})
		if len(got) != 1 || got[0].RefusalReason != want || (len(got[0].Vars) == 0) != (want != "") || (got[0].Link == "") != (want != "") {
			t.Errorf("%s: got %+v, want %q", vars, got, want)
		}
	}
	many := strings.TrimSuffix(strings.Repeat(`{"name":"A"},`, 17), ",")
	if got := offeredBy(t, `{"id":"k","type":"env_var","vars":[`+many+`]}`, nil, acpclient.Options{}); got[0].RefusalReason != "it asks for too many variables" {
		t.Errorf("got %+v", got)
	}
	got := offeredBy(t, `{"id":"k","type":"env_var","vars":[{"name":"A","label":"\u001b[31mKey\n","optional":true,"secret":false}]}`, nil, acpclient.Options{})
	if want := []event.AuthVar{{Name: "A", Label: "Key", Optional: true}}; !reflect.DeepEqual(got[0].Vars, want) {
		t.Errorf("got %+v", got)
	}
	// A type that only becomes a known one when it is made safe to show.
	got = offeredBy(t, `{"id":"k","type":"env_\u200bvar"}`, nil, acpclient.Options{})
	if got[0].Type != "env_var" || got[0].RefusalReason == "" {
		t.Errorf("got %+v", got)
	}
}

// An agent's command is passed on whole or not at all, only if logins can run in a
// terminal, and never together with a known type.
func TestLoginCommands(t *testing.T) {
	terminal := acpclient.Options{TerminalLogin: true}
	method := func(more, command string) string {
		return `{"id":"k"` + more + `,"_meta":{"terminal-auth":` + command + `}}`
	}
	const plain = `{"command":"/opt/c","args":["log\u001bin"],"label":"C\u202e L","env":{"A":"1"}}`
	want := &event.AuthCommand{Command: "/opt/c", Args: []string{"log\x1bin"}, Env: []event.EnvVar{{Name: "A", Value: "1"}}, Label: "C L"}
	for _, more := range []string{``, `,"type":"agent"`, `,"type":"_acme"`} {
		if got := offeredBy(t, method(more, plain), nil, terminal); len(got) != 1 || !reflect.DeepEqual(got[0].Command, want) {
			t.Errorf("%s: got %+v", more, got)
		}
		if got := offeredBy(t, method(more, plain), nil, acpclient.Options{}); got[0].Command != nil {
			t.Errorf("%s: %+v without a terminal", more, got)
		}
	}
	for _, more := range []string{`,"type":"terminal","args":["login"]`, `,"type":"env_var","vars":[{"name":"K"}]`, `,"type":"env_var"`} {
		if got := offeredBy(t, method(more, plain), nil, terminal); got[0].Command != nil {
			t.Errorf("%s: got %+v", more, got[0].Command)
		}
	}
	for _, command := range []string{`{"command":"c","env":{"A=B":"1"}}`, `{"command":"c","env":{"":"1"}}`, `{"command":"c","args":["` + strings.Repeat("x", 9<<10) + `"]}`} {
		if got := offeredBy(t, method("", command), nil, terminal); got[0].Command != nil {
			t.Errorf("%.60s: got %+v", command, got[0].Command)
		}
	}
}

// The agent is told to use the variables only by an explicit call.
func TestAuthenticateEnv(t *testing.T) {
	const methods = `{"id":"key","type":"env_var","vars":[{"name":"K"}]},{"id":"bad","type":"env_var","vars":[{"name":"PATH"}]},{"id":"own"},{"id":"tty","type":"terminal"}`
	offeredBy(t, methods, func(t *testing.T, a *wireAgent, c *acpclient.Client) {
		for id, goes := range map[string]bool{"key": true, "bad": false, "own": false, "tty": false, "other": false} {
			if err := c.AuthenticateEnv(t.Context(), id); (err == nil) != goes {
				t.Errorf("%s: got %v", id, err)
			}
		}
		if err := c.Authenticate(t.Context(), "key"); err == nil {
			t.Error("called although the agent was not started with the variables")
		}
		if got := a.got("authenticate"); len(got) != 1 || string(got[0].Params) != `{"methodId":"key"}` {
			t.Errorf("got %+v", got)
		}
	}, acpclient.Options{})
}

// If logins can run in a terminal, the request says so in the extension that agents look
// for, and it is still valid.
func TestTerminalLoginIsAdvertised(t *testing.T) {
	for _, can := range []bool{false, true} {
		offeredBy(t, "", func(t *testing.T, a *wireAgent, _ *acpclient.Client) {
			sent := a.got("initialize")[0].Params
			var p struct {
				ClientCapabilities struct {
					Auth struct{ Terminal bool }
					Meta map[string]bool `json:"_meta"`
				}
			}
			must.Do(t, json.Unmarshal([]byte(sent), &p))
			if got := p.ClientCapabilities; got.Auth.Terminal != can || got.Meta["terminal-auth"] != can || !got.Meta["terminal_output"] {
				t.Errorf("%v: %s", can, sent)
			}
			if s, err := loadSchema(); err == nil {
				if err := s.validate("InitializeRequest", json.RawMessage(sent)); err != nil {
					t.Error(err)
				}
			}
		}, acpclient.Options{TerminalLogin: can})
	}
}
