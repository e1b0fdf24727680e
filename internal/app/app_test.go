package app

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"parley/internal/cli"
	"parley/internal/demo"
	"parley/internal/must"
	"parley/internal/safetext"
	"parley/internal/version"
	"parley/internal/workspace"
)

// TestMain lets this test binary act as the built-in agent, which is started by running the current
// executable. Unlike the agent of parley, which internal/e2e starts, it does not pause between words.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "agent" {
		if os.Args[2] != "demo" || demo.Run(context.Background(), os.Stdin, os.Stdout, demo.Options{Version: version.Name(), Pace: -1}) != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// shell runs command lines in an empty directory with an empty PATH and no configuration.
type shell struct {
	t                *testing.T
	dir, bin, config string
}

func newShell(t *testing.T) *shell {
	s := &shell{t: t, dir: t.TempDir(), bin: t.TempDir(), config: filepath.Join(t.TempDir(), "config.toml")}
	t.Setenv("PATH", s.bin)
	t.Setenv("PARLEY_CONFIG", s.config)
	t.Setenv("PARLEY_STATE", t.TempDir())
	t.Setenv("ACCESSIBLE", "")
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each agent takes a second to exit under the race detector
	t.Chdir(s.dir)
	return s
}

// install puts an executable on PATH that must not be run.
func (s *shell) install(name string) string {
	path := filepath.Join(s.bin, name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	must.Do(s.t, os.WriteFile(path, []byte("#!/bin/sh\necho ran >&2\nexit 99\n"), 0o755))
	return path
}

func (s *shell) configure(text string) { s.t.Helper(); write(s.t, s.config, text) }

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

type result struct {
	code        int
	out, stderr string
}

func (s *shell) run(stdin string, args ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute) // only to stop a hanging test
	defer cancel()
	var out, stderr bytes.Buffer
	code := Execute(ctx, cli.Streams{In: strings.NewReader(stdin), Out: &out, Err: &stderr}, args)
	return result{code, out.String(), stderr.String()}
}

// usage expects exit code 2 and one line on stderr that contains every want.
func (s *shell) usage(args []string, want ...string) {
	s.t.Helper()
	r := s.run("", args...)
	if r.code != 2 || r.out != "" || !strings.HasPrefix(r.stderr, "parley: ") || strings.Count(r.stderr, "\n") != 1 || !strings.HasSuffix(r.stderr, "\n") {
		s.t.Errorf("%q: got %+v", args, r)
	}
	for _, w := range want {
		if !strings.Contains(r.stderr, w) {
			s.t.Errorf("%q: no %q in %q", args, w, r.stderr)
		}
	}
}

func TestUsageErrors(t *testing.T) {
	s := newShell(t)
	s.configure("registry = false\n")
	file := filepath.Join(s.dir, "file")
	write(t, file, "")
	for _, tc := range []struct {
		args []string
		want []string
	}{
		{[]string{"--no-such-flag"}, []string{"--no-such-flag", "--help"}},
		{[]string{"run", "--no-such-flag", "hi"}, []string{"--no-such-flag", "--help"}},
		{[]string{"run", "-x", "hi"}, []string{"'x'", "--help"}},
		{[]string{"run", "--agent"}, []string{"--agent"}},
		{[]string{"run", "--approve-all", "--deny-all", "hi"}, []string{"--approve-all", "--deny-all", "cannot be used together"}},
		{[]string{"run", "--approve-all", "--approve-reads", "hi"}, []string{"cannot be used together"}},
		{[]string{"run", "--agent", "nobody", "hi"}, []string{`no agent "nobody"`, "parley agents", "parley -- nobody"}},
		{[]string{"claud"}, []string{`no agent "claud" (did you mean claude?); `}},
		{[]string{"sesions"}, []string{`no agent or command "sesions" (did you mean parley sessions?)`, "parley --help"}},
		{[]string{"worktree", "list"}, []string{"did you mean parley worktrees?"}},
		{[]string{"revieew", "--list"}, []string{"unknown flag: --list (did you mean parley review?)"}},
		{[]string{"claud", "--lsit"}, []string{"unknown flag: --lsit; see --help"}},
		{[]string{"nobody"}, []string{`no agent "nobody";`, "parley agents", "parley -- nobody"}},
		{[]string{"run", "--agent", "codex", "hi"}, []string{"codex is not installed", "npm install -g @agentclientprotocol/codex-acp"}},
		{[]string{"vibe"}, []string{"vibe is not installed", "uv tool install mistral-vibe"}},
		{[]string{"run", "hi", "--"}, []string{"no command after --"}},
		{[]string{"--"}, []string{"no command after --; type one, as in `parley -- my-agent --acp`"}},
		{[]string{"claude", "--", "x"}, []string{"claude", "not both"}},
		{[]string{"claude", "--"}, []string{"no command after --"}},
		{[]string{"sessions", "--"}, []string{"no command after --; type one, as in `parley sessions -- my-agent --acp`"}},
		{[]string{"sessions", "--logs", "--"}, []string{"no command after --"}},
		{[]string{"sessions", "claude", "--", "x"}, []string{"claude", "not both"}},
		{[]string{"claude", "codex"}, []string{"parley -- claude codex"}},
		{[]string{"run", "--agent", "demo", "hi", "--", "x"}, []string{"cannot be used together"}},
		{[]string{"run", "--agent", "demo", "--cwd", "nowhere", "hi"}, []string{"--cwd nowhere: no such directory"}},
		{[]string{"run", "--agent", "demo", "--cwd", file, "hi"}, []string{"--cwd", "not a directory"}},
		{[]string{"run", "--agent", "demo", "--add-dir", "nowhere", "hi"}, []string{"--add-dir nowhere: no such directory"}},
		{[]string{"--cwd", "nowhere", "demo"}, []string{"--cwd nowhere"}},
		{[]string{"run", "-o", "xml", "hi"}, []string{"-o xml", "stream-json"}},
		{[]string{"run", "--timeout", "soon", "hi"}, []string{"soon", "--help"}},
		{[]string{"run", "--timeout", "-3s", "hi"}, []string{"--timeout -3s"}},
		{[]string{"run", "hi"}, []string{"no agent found", "--agent demo"}},
		{[]string{"run", "--agent", "demo"}, []string{"the prompt is empty"}},
		{[]string{"run", "--agent", "demo", " ", ""}, []string{"the prompt is empty"}},
		{[]string{"run", "--agent", "demo\nx", "hi"}, []string{"demo"}},
		{[]string{"agents", "install"}, []string{"takes one agent", "--help"}},
		{[]string{"agents", "install", "codex@latest"}, []string{"want an exact version after @"}},
		{[]string{"agents", "install", "cursor"}, []string{"parley cannot install cursor: see https://cursor.com"}},
		{[]string{"agents", "remove", "codex"}, []string{`parley has not installed "codex"`}},
		{[]string{"agents", "update", "codex"}, []string{`parley has not installed "codex"`}},
		{[]string{"agents", "pin", "codex"}, []string{`parley has not installed "codex"`}},
		{[]string{"agent", "nobody"}, []string{"nobody"}},
		{[]string{"agent", "demo", "extra"}, []string{"extra"}},
		{[]string{"demo"}, []string{"needs a terminal", "parley run"}},
	} {
		s.usage(tc.args, tc.want...)
	}
}

// Errors about a project do not let the project write to the terminal.
func TestErrorsAreSafe(t *testing.T) {
	s := newShell(t)
	must.Do(t, os.Mkdir(filepath.Join(s.dir, ".parley"), 0o700))
	allow := filepath.Join(filepath.Dir(s.config), "rules.toml")
	write(t, allow, "[[allow]]\ncommand = \"rg *\"\n")
	name := "a\x1b]52;c;eA==\x07\u009b2J\u202e"
	if runtime.GOOS != "windows" { // which does not allow such names
		write(t, filepath.Join(s.dir, name+".pem"), "")
		for _, args := range [][]string{{"rules", "test", "--json", "rg x"}, {"rules", "test", "rg x"}, {"rules", "test", "--json", "cat " + name}} {
			r := s.run("", append(args, "--rules", allow)...)
			if all := r.out + r.stderr; r.code != 1 || safetext.Clean(all) != all {
				t.Errorf("%q: %d, %q", args, r.code, all)
			}
		}
	}
	rules := filepath.Join(s.dir, ".parley", "rules.toml")
	for _, text := range []string{"\"a\\u001b]52;c;eA==\\u0007\\u009b2J\\u202e\" = 1\n", "[[deny]]\ncommand = \"a\\u001b[2J > b\"\n", "[[deny]]\npath = \"~\\u001b[2J\"\n"} {
		write(t, rules, text)
		for _, args := range [][]string{{"run", "--agent", "demo", "hi"}, {"rules", "list"}, {"rules", "test", "ls"}, {"demo"}, {"run", "--agent", "\x1b[2J", "hi"}} {
			r := s.run("", args...)
			if all := r.out + r.stderr; r.code != 2 || safetext.Clean(all) != all {
				t.Errorf("%q: %d, %q", args, r.code, all)
			}
		}
	}
}

func TestBrokenConfig(t *testing.T) {
	s := newShell(t)
	for text, want := range map[string]string{
		"agent = \n":                          "config.toml:1",
		"# fine\ncolour = 1\n":                "config.toml:2",
		"theme = \"pink\"":                    "pink",
		"agent = \"nobody\"":                  "nobody",
		"[agents.x]\ncommand = \"\"":          "set command or url",
		"[agents.x]\ncommand = [\"a\"]\nx=1":  "config.toml",
		"[mcp.m]\ncommand=\"a\"\nurl=\"b\"\n": "set either command or url",
	} {
		s.configure(text)
		for _, args := range [][]string{{"run", "--agent", "demo", "hi"}, {"agents"}, {"demo"}} {
			s.usage(args, want)
		}
	}
}

func TestAgents(t *testing.T) {
	s := newShell(t)
	goose := s.install("goose")
	s.configure("[agents.mine]\ncommand = \"my-agent\"\nargs = [\"--acp\", \"a b\"]\n[agents.claude]\ncommand = \"other-claude\"\n")
	r := s.run("", "agents")
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("got %+v", r)
	}
	rows := map[string][]string{}
	var order []string
	for l := range strings.SplitSeq(strings.TrimSuffix(r.out, "\n"), "\n") {
		name, _, _ := strings.Cut(l, " ")
		order = append(order, name)
		rows[name] = append(rows[name], strings.Join(strings.Fields(l), " "))
	}
	for name, want := range map[string]string{
		"NAME":   "NAME VERSION DESCRIPTION HOW",
		"claude": "claude configured",
		"mine":   "mine configured",
		"goose":  "goose goose · Agentic AI Foundation on PATH: " + goose,
		"codex":  "codex 2.6.0 OpenAI Codex not installed (npm)",
		"demo":   "demo Demo (built in) · no account needed built in",
	} {
		if len(rows[name]) != 1 || rows[name][0] != want {
			t.Errorf("%s: got %q, want %q", name, rows[name], want)
		}
	}
	if got := strings.Join(order[:4], " "); got != "NAME claude mine goose" || order[len(order)-1] != "demo" {
		t.Errorf("order %q", order)
	}
	// All of a kind are in one column.
	at := strings.Index(r.out, "HOW")
	for line := range strings.SplitSeq(strings.TrimSuffix(r.out, "\n"), "\n") {
		if l := []rune(line); l[at-1] != ' ' || l[at] == ' ' {
			t.Errorf("got %q", line)
		}
	}
	if r := s.run("", "agents", "mine"); strings.Count(r.out, "\n") != 2 || !strings.Contains(r.out, "mine") {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "agents", "show", "mine"); !strings.Contains(r.out, "my-agent --acp 'a b'") {
		t.Errorf("got %+v", r)
	}
	must.Do(t, os.Mkdir("bin", 0o755))
	own, outside := s.bin, os.Getenv("PATH")
	s.bin = filepath.Join(s.dir, "bin")
	vibe := s.install("vibe-acp")
	t.Setenv("PATH", s.bin+string(filepath.ListSeparator)+outside)
	if r = s.run("", "agents"); !strings.Contains(r.out, "not installed; "+vibe+" lies in the project") {
		t.Errorf("got %+v", r)
	}
	t.Setenv("PATH", outside)
	s.bin = own
	s.install("npx")
	if r = s.run("", "agents"); !strings.Contains(r.out, "through npx") {
		t.Errorf("got %+v", r)
	}
}

func TestRunDemo(t *testing.T) {
	s := newShell(t)
	write(t, "f.txt", "a\nb\n")
	r := s.run("", "run", "--agent", "demo", "read", "f.txt")
	if r.code != 0 || !strings.Contains(r.out, "`f.txt` has 2 lines.") {
		t.Errorf("got %+v", r)
	}
	if r = s.run("", "run", "--agent", "demo", "edit f.txt"); r.code != 5 || !strings.Contains(r.stderr, "--approve-all would allow it") {
		t.Errorf("got %+v", r)
	}
	if r = s.run("", "run", "--agent", "demo", "--approve-all", "-o", "json", "edit f.txt"); r.code != 0 || !json.Valid([]byte(r.out)) {
		t.Errorf("got %+v", r)
	}
	if got, _ := os.ReadFile("f.txt"); !strings.HasPrefix(string(got), "a\nb\ndemo agent was here") {
		t.Errorf("got %q", got)
	}
	// Another directory, and a custom command.
	exe, _ := os.Executable()
	other := t.TempDir()
	if r = s.run("", "run", "--cwd", other, "--approve-all", "edit g.txt", "--", exe, "agent", "demo"); r.code != 0 {
		t.Errorf("got %+v", r)
	}
	if _, err := os.Stat(filepath.Join(other, "g.txt")); err != nil {
		t.Error(err)
	}
	if r = s.run("", "run", "hi", "--", "no-such-agent"); r.code != 1 || !strings.Contains(r.stderr, `cannot start "no-such-agent": command not found`) || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestAddDir(t *testing.T) {
	s := newShell(t)
	other := t.TempDir()
	file := filepath.Join(other, "f.txt")
	write(t, file, "a\n")
	if r := s.run("", "run", "--agent", "demo", "read "+file); r.code != 5 {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "run", "--agent", "demo", "--add-dir", other, "read "+file); r.code != 0 {
		t.Errorf("got %+v", r)
	}
}

func TestPromptFromStdin(t *testing.T) {
	s := newShell(t)
	write(t, "f.txt", "a\n")
	for _, args := range [][]string{{"run", "--agent", "demo"}, {"run", "--agent", "demo", "-"}} {
		if r := s.run("read f.txt\n", args...); r.code != 0 || !strings.Contains(r.out, "`f.txt` has 1 line.") {
			t.Errorf("%q: got %+v", args, r)
		}
		if r := s.run(" \n", args...); r.code != 2 || !strings.Contains(r.stderr, "the prompt is empty") {
			t.Errorf("%q: got %+v", args, r)
		}
	}
	// Words on the command line take precedence: stdin is not read.
	var out, stderr bytes.Buffer
	streams := cli.Streams{In: iotest.ErrReader(os.ErrClosed), Out: &out, Err: &stderr}
	if code := Execute(t.Context(), streams, []string{"run", "--agent", "demo", "read f.txt"}); code != 0 {
		t.Errorf("code %d, %s", code, &stderr)
	}
	if code := Execute(t.Context(), streams, []string{"run", "--agent", "demo"}); code != 2 || !strings.Contains(stderr.String(), "read the prompt from standard input") {
		t.Errorf("code %d, %s", code, &stderr)
	}
}

// Which agent is used if none is named.
func TestDefaultAgent(t *testing.T) {
	s := newShell(t)
	exe, _ := os.Executable()
	quoted, _ := json.Marshal(exe)
	s.configure("agent = \"mine\"\n[agents.mine]\ncommand = " + string(quoted) + "\nargs = [\"agent\", \"demo\"]\n")
	s.install("goose")
	if r := s.run("", "run", "-o", "json", "help"); r.code != 0 || !strings.Contains(r.out, `"agent":"mine"`) {
		t.Errorf("got %+v", r)
	}
	// The configured agent or none: never another installed one.
	s.configure("agent = \"codex\"\n")
	s.usage([]string{"run", "hi"}, "codex is not installed")
	s.configure("")
	if r := s.run("", "run", "hi"); r.code != 1 || !strings.Contains(r.stderr, "code 99") || !strings.Contains(r.stderr, "stderr: ran") {
		t.Errorf("not goose: %+v", r)
	}
}

// --continue without an agent starts the one that was used last in the directory.
func TestContinueStartsTheLastAgent(t *testing.T) {
	s := newShell(t)
	exe, _ := os.Executable()
	quoted, _ := json.Marshal(exe)
	s.configure("[agents.mine]\ncommand = " + string(quoted) + "\nargs = [\"agent\", \"demo\"]\n")
	if r := s.run("", "--linear", "--continue"); !strings.Contains(r.out, "Which agent?") {
		t.Errorf("without a session: got %+v, want the list of agents", r)
	}
	if r := s.run("", "run", "--agent", "mine", "help"); r.code != 0 {
		t.Fatalf("the first session: got %+v", r)
	}
	if r := s.run("/quit\n", "--linear", "--continue"); !strings.Contains(r.out, "Starting mine") {
		t.Errorf("after a session: got %+v, want the agent mine to be started", r)
	}
	if r := s.run("", "--linear", "--continue", "--cwd", t.TempDir()); !strings.Contains(r.out, "Which agent?") {
		t.Errorf("in another directory: got %+v, want the list of agents", r)
	}
}

func TestInterrupt(t *testing.T) {
	newShell(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, stderr bytes.Buffer
	code := Execute(ctx, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}, []string{"run", "--agent", "demo", "hi"})
	if code != 130 || stderr.String() != "parley: interrupted\n" {
		t.Errorf("code %d, %q", code, stderr.String())
	}
}

func TestHelpAndVersion(t *testing.T) {
	s := newShell(t)
	if r := s.run("", "--version"); r.code != 0 || !strings.Contains(r.out, version.Name()) || r.stderr != "" {
		t.Errorf("got %+v", r)
	}
	if r := s.run("", "man"); r.code != 0 || !strings.HasPrefix(r.out, ".TH PARLEY 1 ") || !strings.Contains(r.out, "\\fB-c --continue\\fP") || !strings.Contains(r.out, "worktrees") {
		t.Errorf("got %+v", r)
	}
	for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"agents", "--help"}, {"agent"}} {
		if r := s.run("", args...); r.code != 0 || len(r.out) < 100 || r.stderr != "" {
			t.Errorf("%q: got %+v", args, r)
		}
	}
	if r := s.run("", "run", "--help"); !strings.Contains(r.out, "130") || !strings.Contains(r.out, "--approve-reads") {
		t.Errorf("got %+v", r)
	}
}

// The command to resume is shown only if it can be typed as shown.
func TestResumeCommand(t *testing.T) {
	claude, custom := workspace.Spec{Name: "claude"}, workspace.Spec{Name: "agent", Custom: true}
	for _, c := range []struct {
		left workspace.ResumableSession
		args []string
		cwd  string
		want string
	}{
		{workspace.ResumableSession{}, nil, "", ""},
		{workspace.ResumableSession{Agent: claude, Session: "4b9-c_1"}, nil, "", "claude --resume 4b9-c_1"},
		{workspace.ResumableSession{Agent: claude, Session: "s"}, nil, "/srv/site", "claude --resume s --cwd /srv/site"},
		{workspace.ResumableSession{Agent: custom, Session: "s"}, []string{"./agent", "--acp"}, "", "--resume s -- ./agent --acp"},
		{workspace.ResumableSession{Agent: custom, Session: "s"}, []string{"sh", "-c", "a b"}, "", ""},
		{workspace.ResumableSession{Agent: claude, Session: "-s"}, nil, "", ""},
		{workspace.ResumableSession{Agent: claude, Session: "s; rm"}, nil, "", ""},
		{workspace.ResumableSession{Agent: claude, Session: "s\x1b[2J"}, nil, "", ""},
	} {
		if got := strings.Join(resumeArgs(c.left, c.args, c.cwd), " "); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.left, got, c.want)
		}
	}
}
