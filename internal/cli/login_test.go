package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/must"
	"parley/internal/record"
)

// Variables typed for a login are in the environment of the agent, override the configuration, and
// are in no file.
func TestVariablesReachTheAgent(t *testing.T) {
	const secret = "hush-4711"
	k := newSessionRig(t, `{}`, `[]`)
	t.Setenv(guardVar, secret)
	s := &Setup{Config: &config.Config{}}
	configured := agents.Agent{Name: "own", Command: self(t), Args: []string{"--acp"}, Env: map[string]string{"CLI_TEST_A": "configured", keyVar: "nothing"}, Source: agents.Config}
	for _, tc := range []struct {
		more  map[string]string
		opens bool
		a     string
	}{
		{nil, false, "configured"},
		{map[string]string{keyVar: "wrong"}, false, "configured"},
		{map[string]string{keyVar: secret}, true, "configured"},
		{map[string]string{keyVar: secret, "CLI_TEST_A": "typed"}, true, "typed"},
	} {
		log := event.NewLog()
		agent := WithVariables(configured, tc.more)
		c, err := s.Connect(t.Context(), agent, Directories{Cwd: k.dir}, Opening{}, 0, event.NewQueue(), log)
		var answered *event.AgentError
		if c == nil || (err == nil) != tc.opens || err != nil && !(errors.As(err, &answered) && answered.AuthRequired()) {
			t.Fatalf("%d variables: %v", len(tc.more), err)
		}
		if got := c.Client.Agent().Version; got != tc.a {
			t.Errorf("%d variables: CLI_TEST_A is %q, want %q", len(tc.more), got, tc.a)
		}
		c.Close()
		lines, _ := log.Lines()
		for _, l := range lines {
			if strings.Contains(l.Text, secret) {
				t.Errorf("the log says %q", l.Text)
			}
		}
		if strings.Contains(agent.CommandLine(), secret) {
			t.Error(agent.CommandLine())
		}
	}
	if want := (map[string]string{"CLI_TEST_A": "configured", keyVar: "nothing"}); !maps.Equal(configured.Env, want) {
		t.Errorf("the configuration is now %v", configured.Env)
	}
	dir := must.Get(record.Dir())(t)
	files := 0
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		if data, err := os.ReadFile(path); err != nil || bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s: %v, %s", path, err, data)
		}
		return nil
	}); err != nil || files == 0 {
		t.Errorf("%d logs, %v", files, err)
	}
}

// A command named by the agent runs as shown: without a shell, in the session's directory, with the
// agent's environment and the method's variables over it.
func TestAskedLogin(t *testing.T) {
	dir := realTemp(t)
	self := self(t)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	agent := agents.Agent{Command: "/nowhere/agent", Args: []string{"--acp"}, Dir: "/nowhere", Env: map[string]string{"CLI_TEST_A": "configured", loginVar: "0", "PATH": filepath.Dir(self)}}
	for _, tc := range []struct {
		command string
		env     []event.EnvVar
		line    string // may contain SELF
		out     string
		fails   bool
	}{
		{self, nil, "SELF --login '$HOME `x`'", "configured", false},
		{filepath.Base(self), nil, "BASE --login '$HOME `x`'", "configured", false},
		{self, []event.EnvVar{{Name: "CLI_TEST_A", Value: "its own"}, {Name: loginVar, Value: "1"}}, "CLI_TEST_A='its own' " + loginVar + "=1 SELF --login '$HOME `x`'", "its own", true},
	} {
		asked, err := new(Setup).NewAgentLogin(t.Context(), agent, event.AuthCommand{Command: tc.command, Args: []string{"--login", "$HOME `x`"}, Env: tc.env}, Directories{Cwd: dir})
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.NewReplacer("SELF", self, "BASE", filepath.Base(self)).Replace(tc.line); asked.Line != want || asked.Program != self || asked.Dir != dir {
			t.Errorf("%q in %s, want %q", asked.Line, asked.Dir, want)
		}
		var out bytes.Buffer
		asked.Command.SetStdin(strings.NewReader(""))
		asked.Command.SetStdout(&out)
		asked.Command.SetStderr(&out)
		err = asked.Command.Run()
		if want := `["--login" "$HOME ` + "`x`" + `"] ` + tc.out + " " + dir + "\n"; out.String() != want || (err != nil) != tc.fails {
			t.Errorf("%v, %q, want %q", err, out.String(), want)
		}
	}
	for _, c := range []event.AuthCommand{{Command: "parley-is-not-there"}, {Command: self + " --login"}, {Command: "sh -c 'exit 0'"}, {Command: "."}} {
		if asked, err := new(Setup).NewAgentLogin(t.Context(), agent, c, Directories{Cwd: dir}); err == nil {
			t.Errorf("%s is %s", c.Command, asked.Program)
		}
	}
}
