package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/headless"
	"parley/internal/must"
	"parley/internal/record"
	"parley/internal/workspace"
)

const (
	all    = `{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}}`
	resume = `{"sessionCapabilities":{"list":{},"resume":{}}}`
)

// sessionRig is an environment in which the test binary is an agent that keeps sessions. DIR in list is
// replaced by the directory.
type sessionRig struct {
	t   *testing.T
	dir string
}

func newSessionRig(t *testing.T, capabilities, list string) sessionRig {
	t.Helper()
	dir := realTemp(t)
	must.Do(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	t.Chdir(dir)
	t.Setenv("PARLEY_CONFIG", filepath.Join(t.TempDir(), "config.toml"))
	if os.Getenv("PARLEY_STATE") == "" {
		t.Setenv("PARLEY_STATE", t.TempDir())
	}
	t.Setenv("PATH", t.TempDir())
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	t.Setenv("TZ", "UTC")
	t.Setenv(agentVar, capabilities)
	t.Setenv(listVar, strings.NewReplacer("DIR", filepath.ToSlash(dir), "\n", "").Replace(list))
	return sessionRig{t, dir}
}

// do runs a command with this agent after "--".
func (k sessionRig) do(cmd func(Streams) *cobra.Command, args ...string) (out, stderr string, err error) {
	k.t.Helper()
	ctx, cancel := context.WithTimeout(k.t.Context(), time.Minute) // only to stop a hanging test
	defer cancel()
	var o, e bytes.Buffer
	c := cmd(Streams{In: strings.NewReader(""), Out: &o, Err: &e})
	err = execute(ctx, c, append(args, "--", self(k.t))...)
	return o.String(), e.String(), err
}

const three = `[
	{"sessionId":"k1","cwd":"DIR","title":"Fix the lexer","updatedAt":"2026-02-27T18:05:00Z"},
	{"sessionId":"k2","cwd":"DIR","title":"Docs \u001b[2J\u202e","updatedAt":"2026-02-28T09:00:00Z"},
	{"sessionId":"k3","cwd":"DIR/sub","title":"Elsewhere","updatedAt":"2026-03-01T09:00:00Z"}]`

func TestSessions(t *testing.T) {
	k := newSessionRig(t, all, three)
	out, stderr, err := k.do(NewSessions)
	if err != nil || stderr != "" {
		t.Fatalf("%v, %q", err, stderr)
	}
	rows := strings.Split(strings.TrimSpace(out), "\n")
	if len(rows) != 3 || strings.Join(strings.Fields(rows[0]), " ") != "ID UPDATED DIRECTORY TITLE" ||
		strings.Join(strings.Fields(rows[1]), " ") != "k1 2026-02-27 18:05 "+k.dir+" Fix the lexer" || !strings.HasPrefix(rows[2], "k2") {
		t.Errorf("%s", out)
	}
	if strings.ContainsAny(out, "\x1b\u202e") {
		t.Errorf("got %q", out)
	}
	if out, _, err = k.do(NewSessions, "--all"); err != nil || !strings.Contains(out, "Elsewhere") || strings.Count(out, "\n") != 4 {
		t.Errorf("%v %s", err, out)
	}
	if out, _, err = k.do(NewSessions, "--cwd", "sub"); err != nil || !strings.Contains(out, "Elsewhere") || strings.Count(out, "\n") != 2 {
		t.Errorf("%v %s", err, out)
	}
}

// --json has the same members wherever the list is from, the ids and directories as the agent spells
// them. What only the logs know is there for an agent that lists, too.
func TestSessionsJSON(t *testing.T) {
	k := newSessionRig(t, all, three)
	agent := Custom([]string{self(t)}).Name
	read := func(args ...string) (list []map[string]any) {
		t.Helper()
		out, stderr, err := k.do(NewSessions, append(args, "--json")...)
		if err == nil {
			err = json.Unmarshal([]byte(out), &list)
		}
		if err != nil || stderr != "" || list == nil || strings.Count(out, "\n") != 1 {
			t.Fatalf("%q: %v, %q, %s", args, err, stderr, out)
		}
		return list
	}
	if got := read("--logs"); len(got) != 0 {
		t.Errorf("without a log: %v", got)
	}
	if _, _, err := k.do(NewRun, "--session", "k2", "hello"); err != nil {
		t.Fatal(err)
	}
	must.Do(t, Names().Save(agent, "k1", "my lexer"))
	k1 := map[string]any{"session": "k1", "agent": agent, "cwd": k.dir, "title": "my lexer", "updated": "2026-02-27T18:05:00Z", "prompts": 0., "run": false}
	k2 := map[string]any{"session": "k2", "agent": agent, "cwd": k.dir, "title": "Docs", "updated": "2026-02-28T09:00:00Z", "prompts": 1., "run": true}
	if d := cmp.Diff([]map[string]any{k1, k2}, read()); d != "" {
		t.Error(d)
	}
	if got := read("--all"); len(got) != 3 || got[2]["cwd"] != filepath.Join(k.dir, "sub") {
		t.Errorf("all: %v", got)
	}
	got := read("--logs")
	if len(got) != 1 || time.Since(timeOf(t, got[0]["updated"])) > time.Minute {
		t.Fatalf("logs: %v", got)
	}
	k2["title"], k2["updated"] = "hello", got[0]["updated"]
	if d := cmp.Diff(k2, got[0]); d != "" {
		t.Error(d)
	}
	t.Setenv(listVar, `[{"sessionId":"\u001b[2J","title":7,"cwd":"DIR"}]`)
	if out, _, err := k.do(NewSessions, "--json", "--all"); err != nil || out != `[{"session":"\u001b[2J","agent":"`+agent+`","cwd":"DIR","title":"","updated":"","prompts":0,"run":false}]`+"\n" {
		t.Errorf("%v, %s", err, out)
	}
}

// timeOf parses a time of JSON.
func timeOf(t *testing.T, v any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fmt.Sprint(v))
	if err != nil {
		t.Error(err)
	}
	return at
}

// Sessions are listed and found by the names that the user gave them.
func TestRenamedSessions(t *testing.T) {
	k := newSessionRig(t, all, three)
	must.Do(t, Names().Save(Custom([]string{self(t)}).Name, "k1", "my lexer"))
	out, stderr, err := k.do(NewSessions)
	if err != nil || stderr != "" || !strings.Contains(out, "my lexer") || strings.Contains(out, "Fix the lexer") {
		t.Errorf("%v, %q, %s", err, stderr, out)
	}
	if out, stderr, err = k.do(NewRun, "--session", "My Lexer", "hello"); err != nil || !strings.Contains(out, "session/load k1") || stderr != "" {
		t.Errorf("%v, %q, %s", err, stderr, out)
	}
	state, err := record.StateDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(state, "names.json"), []byte("{"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, stderr, err = k.do(NewSessions)
	if err != nil || !strings.Contains(stderr, "names.json is damaged") || strings.Count(stderr, "\n") != 1 || !strings.Contains(out, "Fix the lexer") {
		t.Errorf("%v, %q, %s", err, stderr, out)
	}
}

// A list without an end is used as far as it was read, and said to be cut.
func TestSessionsCut(t *testing.T) {
	k := newSessionRig(t, all, three+`,"nextCursor":"again"`)
	const cut = "parley: only 3 sessions are listed: the agent's list is too long or has no end\n"
	if out, stderr, err := k.do(NewSessions); err != nil || stderr != cut || !strings.Contains(out, "Fix the lexer") {
		t.Errorf("%v, %q, %s", err, stderr, out)
	}
	if out, stderr, err := k.do(NewRun, "--continue", "hello"); err != nil || stderr != cut || !strings.Contains(out, "session/load k2") {
		t.Errorf("%v, %q, %s", err, stderr, out)
	}
}

func TestSessionsErrors(t *testing.T) {
	k := newSessionRig(t, `{"loadSession":true}`, three)
	if out, stderr, err := k.do(NewSessions); err != nil || strings.Count(out, "\n") != 1 || stderr != "parley: kept does not list sessions; these are from parley's logs\n" {
		t.Errorf("%v, %q, %q", err, out, stderr)
	}
	t.Setenv(agentVar, `{"promptCapabilities":{}}`)
	if _, _, err := k.do(NewSessions); !errors.Is(err, event.ErrNoSession) || !strings.Contains(err.Error(), "kept cannot resume sessions") {
		t.Errorf("got %v", err)
	}
	var usage UsageError
	if _, _, err := k.do(NewSessions, "claude"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "after --") {
		t.Errorf("got %v", err)
	}
	if _, _, err := k.do(NewSessions, "--cwd", "nowhere"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "--cwd nowhere") {
		t.Errorf("got %v", err)
	}
	if _, _, err := k.do(NewSessions, "--protocol", "3"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "--protocol 3") {
		t.Errorf("got %v", err)
	}
	for _, args := range [][]string{{"nobody"}, {"a", "b"}, {}} {
		c := NewSessions(Streams{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}})
		if err := execute(t.Context(), c, args...); !errors.As(err, &usage) || strings.Contains(err.Error(), "--agent") {
			t.Errorf("%q: got %v", args, err)
		}
	}
	t.Setenv(agentVar, all)
	t.Setenv(guardVar, "1")
	if _, _, err := k.do(NewSessions); err == nil || !strings.Contains(err.Error(), "log in, please") {
		t.Errorf("got %v", err)
	}
}

// All ways to name a session, and the resulting requests to the agent.
func TestRunOpens(t *testing.T) {
	for _, c := range []struct {
		name, capabilities, list string
		args                     []string
		want                     string
	}{
		{"a new one", all, three, nil, "session/new DIR; in fresh"},
		{"by id", all, three, []string{"--session", "k2"}, "session/list; session/load k2 DIR; in k2"},
		{"by title", all, three, []string{"--session", "fix THE lexer"}, "session/list; session/load k1 DIR; in k1"},
		{"in its own directory", all, three, []string{"--session", "elsewhere"}, "session/list; session/load k3 DIR/sub; in k3"},
		{"the id before the title", all, `[{"sessionId":"a","title":"b","cwd":"DIR"},{"sessionId":"b","cwd":"DIR"}]`, []string{"--session", "b"}, "session/list; session/load b DIR; in b"},
		{"by resume", resume, three, []string{"--session", "k1"}, "session/list; session/resume k1 DIR; in k1"},
		{"without a list", `{"loadSession":true}`, three, []string{"--session", "k1"}, "session/load k1 DIR; in k1"},
		{"the newest here", all, three, []string{"--continue"}, "session/list DIR; session/load k2 DIR; in k2"},
		{"the newest here, short", all, three, []string{"-c"}, "session/list DIR; session/load k2 DIR; in k2"},
		{"the newest there", all, three, []string{"-c", "--cwd", "sub"}, "session/list DIR/sub; session/load k3 DIR/sub; in k3"},
		{"the first without times", all, `[{"sessionId":"x","cwd":"DIR","updatedAt":"?"},{"sessionId":"y","cwd":"DIR"}]`, []string{"-c"}, "session/list DIR; session/load x DIR; in x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newSessionRig(t, c.capabilities, c.list)
			out, stderr, err := k.do(NewRun, append(c.args, "hello")...)
			got := strings.ReplaceAll(strings.TrimSpace(out), k.dir, "DIR")
			if err != nil || got != c.want || stderr != "" {
				t.Errorf("%v, %q, want %q, stderr %q", err, got, c.want, stderr)
			}
		})
	}
}

// Case 211: a turn that runs in the session is said before the prompt is sent.
func TestRunOpensRunning(t *testing.T) {
	k := newSessionRig(t, `{"loadSession":true,"sessionCapabilities":{"list":{},"status":{}}}`, three)
	out, stderr, err := k.do(NewRun, "--session", "k1", "hello")
	if want := "session/list; session/status k1; session/load k1 DIR; in k1"; err != nil || strings.ReplaceAll(strings.TrimSpace(out), k.dir, "DIR") != want || !strings.Contains(stderr, workspace.TurnRan) {
		t.Errorf("%v, %q, want %q, stderr %q", err, out, want, stderr)
	}
}

func TestRunFindsNoSession(t *testing.T) {
	for _, c := range []struct {
		name, capabilities, list string
		args                     []string
		want                     string
		code                     int
	}{
		{"unknown", all, three, []string{"--session", "k9"}, "no such session: load the session: the agent answered: never heard of it", headless.ExitNoSession},
		{"none here", all, `[{"sessionId":"k","cwd":"/other"}]`, []string{"-c"}, "no such session: kept has none in ", headless.ExitNoSession},
		{"no list", `{"loadSession":true}`, three, []string{"-c"}, "no such session: kept does not list sessions, and parley's logs have none in ", headless.ExitNoSession},
		{"neither load nor resume", `{"sessionCapabilities":{"list":{}}}`, three, []string{"--session", "k1"}, "no such session: kept cannot resume sessions", headless.ExitNoSession},
		{"a login is missing", `{"loadSession":true}`, three, []string{"--session", "k1", "GUARD"}, "log in, please", headless.ExitAgent},
		{"mode", all, three, []string{"--mode", "yolo"}, "mode yolo: the agent offers Ask, Code", headless.ExitAgent},
		{"model", all, three, []string{"--model", "tiny"}, "model tiny: the agent offers Big", headless.ExitAgent},
		{"option", all, three, []string{"--config", "colour=red"}, `the agent has no option "colour"`, headless.ExitAgent},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newSessionRig(t, c.capabilities, c.list)
			if args := c.args; args[len(args)-1] == "GUARD" {
				c.args = args[:len(args)-1]
				t.Setenv(guardVar, "1")
			}
			out, stderr, err := k.do(NewRun, append(c.args, "hello")...)
			if out != "" || !errors.Is(err, ExitCode(c.code)) || !strings.Contains(stderr, c.want) {
				t.Errorf("got %v, want code %d; %q, stderr %q", err, c.code, out, stderr)
			}
		})
	}
}

func TestRunSettings(t *testing.T) {
	k := newSessionRig(t, all, three)
	out, _, err := k.do(NewRun, "--mode", "code", "--model", "Big", "--config", "m=ask", "--session", "k1", "hello")
	if want := "session/list; session/load k1 DIR; session/set_config_option k1 m; session/set_config_option k1 llm; session/set_config_option k1 m; in k1"; err != nil ||
		strings.ReplaceAll(strings.TrimSpace(out), k.dir, "DIR") != want {
		t.Errorf("%v %q", err, out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--session", "k1", "-c"}, "--session and --continue cannot be used together"},
		{[]string{"--config", "mode"}, "--config mode: want KEY=VALUE"},
		{[]string{"--config", "=x"}, "want KEY=VALUE"},
	} {
		var usage UsageError
		if _, _, err := k.do(NewRun, append(c.args, "hello")...); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v", c.args, err)
		}
	}
}

// Case 68: a terminal login runs the agent's own command with additional arguments and variables.
func TestLoginCommand(t *testing.T) {
	dir := realTemp(t)
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	agent := agents.Agent{Command: self(t), Args: []string{"--acp", "a b"}, Env: map[string]string{"CLI_TEST_A": "configured"}}
	for _, code := range []string{"0", "1"} {
		for name, env := range map[string][]event.EnvVar{"configured": {{Name: loginVar, Value: code}}, "the method's": {{Name: loginVar, Value: code}, {Name: "CLI_TEST_A", Value: "the method's"}}} {
			cmd := new(Setup).LoginCommand(t.Context(), agent, event.AuthMethod{ID: "tty", Type: "terminal", Args: []string{"--login", "x"}, Env: env}, Directories{Cwd: dir})
			var out bytes.Buffer
			cmd.SetStdin(strings.NewReader(""))
			cmd.SetStdout(&out)
			cmd.SetStderr(&out)
			err := cmd.Run()
			if want := fmt.Sprintf("%q %s %s\n", []string{"--acp", "a b", "--login", "x"}, name, dir); out.String() != want || (err != nil) != (code == "1") {
				t.Errorf("%v, %q, want %q", err, out.String(), want)
			}
		}
	}
}
