package cli

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/must"
)

func TestMerge(t *testing.T) {
	c := &config.Config{Agents: map[string]config.Agent{
		"zed":    {Command: "z"},
		"claude": {Command: "mine", Args: []string{"-x"}, Env: map[string]string{"A": "1"}, Cwd: "/elsewhere", Protocol: "1"},
	}}
	known := []agents.Agent{{Name: "codex", Source: agents.Path}, {Name: "claude", Command: "claude-agent-acp", Source: agents.Path}, {Name: "demo", Source: agents.Builtin}}
	var names []string
	all := merge(c, known)
	for _, a := range all {
		names = append(names, a.Name)
	}
	if got := strings.Join(names, " "); got != "claude zed codex demo" {
		t.Error(got)
	}
	if a := all[0]; a.Command != "mine" || a.Source != agents.Config || !slices.Equal(a.Args, []string{"-x"}) || a.Env["A"] != "1" || a.Dir != "/elsewhere" || a.Protocol != "1" {
		t.Errorf("got %+v", a)
	}
}

func TestDefault(t *testing.T) {
	demo := agents.Agent{Name: "demo", Source: agents.Builtin}
	here, own := agents.Agent{Name: "goose", Source: agents.Path}, agents.Agent{Name: "mine", Source: agents.Config}
	npx, missing := agents.Agent{Name: "codex", Source: agents.Npx}, agents.Agent{Name: "kimi", Source: agents.Missing}
	for name, tc := range map[string]struct {
		configured string
		all        []agents.Agent
		want       string
		ok         bool
	}{
		"configured":               {"goose", []agents.Agent{own, here, demo}, "goose", true},
		"the user's own first":     {"", []agents.Agent{own, here, demo}, "mine", true},
		"installed":                {"", []agents.Agent{here, npx, missing, demo}, "goose", true},
		"never one that is loaded": {"", []agents.Agent{npx, missing, demo}, "demo", false},
		"nothing":                  {"", []agents.Agent{demo}, "demo", false},
		"through npx if one wants": {"codex", []agents.Agent{here, npx, demo}, "codex", true},
	} {
		s := &Setup{Config: &config.Config{Agent: tc.configured}, Agents: tc.all}
		if a, ok := s.Default(); a.Name != tc.want || ok != tc.ok {
			t.Errorf("%s: %s %v", name, a.Name, ok)
		}
	}
	s := &Setup{Config: &config.Config{Agent: "kimi"}, Agents: []agents.Agent{here, missing, demo}}
	var usage UsageError
	if _, err := s.choose("", nil, "parley run --agent demo"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "kimi is not installed") {
		t.Errorf("got %v", err)
	}
	if a, err := s.choose("GOOSE", nil, ""); err != nil || a.Name != "goose" {
		t.Errorf("%+v %v", a, err)
	}
	if a, err := s.choose("", []string{"/opt/x/agent", "--acp"}, ""); err != nil || a.Name != "agent" || a.Command != "/opt/x/agent" || !slices.Equal(a.Args, []string{"--acp"}) {
		t.Errorf("%+v %v", a, err)
	}
}

func TestCommand(t *testing.T) {
	t.Setenv("CLI_TEST_A", "old")
	exe := self(t)
	c, err := (&Setup{Config: &config.Config{}}).starting(agents.Agent{Command: exe, Args: []string{"y"}, Env: map[string]string{"CLI_TEST_A": "new"}}, Directories{Cwd: "/work-dir"})
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, v := range c.Env {
		if value, ok := strings.CutPrefix(v, "CLI_TEST_A="); ok {
			last = value
		}
	}
	if c.Path != exe || !slices.Equal(c.Args, []string{"y"}) || c.Dir != "/work-dir" || last != "new" || len(c.Env) < len(os.Environ()) {
		t.Errorf("got %+v", c)
	}
	if c, err = (&Setup{Config: &config.Config{}}).starting(agents.Agent{Command: exe, Dir: "/own"}, Directories{Cwd: "/work-dir"}); err != nil || c.Dir != "/own" {
		t.Errorf("%+v %v", c, err)
	}
}

// A plain name never finds a program in the project. A path to one works, as typed.
func TestProgramOfTheProject(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	name := "my-agent"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	file := filepath.Join(dir, name)
	must.Do(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	place := must.Get(NewDirectories("", nil))(t)
	s := &Setup{Config: &config.Config{}}
	for _, path := range []string{".", dir} {
		t.Setenv("PATH", path)
		var start *event.StartError
		if _, err := s.starting(Custom([]string{"my-agent"}), place); !errors.As(err, &start) || !strings.Contains(err.Error(), "in the project") {
			t.Errorf("PATH=%s: %v", path, err)
		}
	}
	for _, word := range []string{"." + string(filepath.Separator) + name, file} {
		if c, err := s.starting(Custom([]string{word}), place); err != nil || !sameDir(c.Path, file) {
			t.Errorf("%s: %+v, %v", word, c, err)
		}
	}
}

func TestNewSession(t *testing.T) {
	s := &Setup{Config: &config.Config{MCP: map[string]config.MCPServer{
		"b": {Type: "http", URL: "https://host", Headers: map[string]string{"X-B": "2", "X-A": "1"}},
		"a": {Type: "stdio", Command: "run", Args: []string{"x"}, Env: map[string]string{"K": "v"}},
	}}}
	n := s.NewSession(agents.Agent{}, Directories{Cwd: "/cwd", Roots: []string{"/more"}})
	if n.Cwd != "/cwd" || !slices.Equal(n.Roots, []string{"/more"}) || len(n.MCP) != 2 || n.MCP[0].Name != "a" || n.MCP[0].Env[0].Value != "v" ||
		n.MCP[1].URL != "https://host" || n.MCP[1].Headers[0].Name != "X-A" {
		t.Errorf("got %+v", n)
	}
}

func TestNewPlace(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	here, _ := os.Getwd()
	must.Do(t, os.Mkdir("sub", 0o755))
	p, err := NewDirectories("", []string{"sub", filepath.Join(dir, "sub", "..")})
	if err != nil || p.Cwd != here || len(p.Roots) != 2 || p.Roots[0] != filepath.Join(here, "sub") || p.Roots[1] != dir {
		t.Errorf("%+v %v", p, err)
	}
	var usage UsageError
	if _, err := NewDirectories("nowhere", nil); !errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}

func TestPromptOf(t *testing.T) {
	for _, tc := range []struct {
		words       []string
		stdin, want string
		fails       bool
	}{
		{[]string{"what", "is  this"}, "not read", "what is  this", false},
		{nil, "piped\n", "piped\n", false},
		{[]string{"-"}, "piped", "piped", false},
		{[]string{"-", "x"}, "piped", "- x", false},
		{nil, "bad \xff byte", "bad \ufffd byte", false},
		{nil, " \n\t", "", true},
		{[]string{""}, "x", "", true},
		{nil, strings.Repeat("x", maxPrompt+1), "", true},
	} {
		got, err := promptOf(tc.words, strings.NewReader(tc.stdin))
		var usage UsageError
		if got != tc.want || (err != nil) != tc.fails || err != nil && !errors.As(err, &usage) {
			t.Errorf("%q: %.40q, %v", tc.words, got, err)
		}
	}
}

func TestBranch(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	must.Do(t, os.MkdirAll(deep, 0o755))
	must.Do(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	for head, want := range map[string]string{
		"ref: refs/heads/main\n": "main", "ref: refs/heads/feature/x\n": "feature/x",
		"0123456789abcdef\n": "", "ref: refs/heads/a\x1b[2J\n": "", "ref: refs/heads/\u202e\n": "", "": "",
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head), 0o600))
		if got := Branch(deep); got != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}

// In a linked worktree .git is a file. Such a tree does not report the branch of an enclosing
// repository.
func TestBranchOfLinkedWorkTree(t *testing.T) {
	dir := t.TempDir()
	tree := filepath.Join(dir, "linked")
	for _, d := range []string{tree, filepath.Join(dir, ".git", "worktrees", "linked")} {
		must.Do(t, os.MkdirAll(d, 0o755))
	}
	write := func(text string, path ...string) {
		must.Do(t, os.WriteFile(filepath.Join(append([]string{dir}, path...)...), []byte(text), 0o600))
	}
	write("ref: refs/heads/main\n", ".git", "HEAD")
	write("ref: refs/heads/parley/fix\n", ".git", "worktrees", "linked", "HEAD")
	for link, want := range map[string]string{
		"gitdir: " + filepath.Join(dir, ".git", "worktrees", "linked") + "\n": "parley/fix",
		"gitdir: ../.git/worktrees/linked\n":                                  "parley/fix",
		"gitdir: /nowhere\n":                                                  "",
		"something else\n":                                                    "",
	} {
		write(link, "linked", ".git")
		if got := Branch(tree); got != want {
			t.Errorf("%q: got %q, want %q", link, got, want)
		}
	}
}

// What the user types becomes an agent that Find knows, under a unique name.
func TestTyped(t *testing.T) {
	s := &Setup{Config: &config.Config{}, Agents: []agents.Agent{{Name: "claude", Command: "claude"}}}
	a, err := s.TypedAgent(`  /opt/claude --acp "a b"  `)
	if err != nil || a.Name != "claude 2" || a.Command != "/opt/claude" || strings.Join(a.Args, "|") != "--acp|a b" {
		t.Errorf("%+v, %v", a, err)
	}
	if found, err := s.Find("claude 2"); err != nil || found.Command != a.Command {
		t.Errorf("%+v, %v", found, err)
	}
	if again, err := s.TypedAgent(`/opt/claude --acp "a b"`); err != nil || again.Name != a.Name {
		t.Errorf("%+v, %v", again, err)
	}
	if b, err := s.TypedAgent("wss://far:1/acp"); err != nil || b.URL != "wss://far:1/acp" || b.Name != "far:1" {
		t.Errorf("%+v, %v", b, err)
	}
	if c, err := s.TypedAgent("wss://far:1/other"); err != nil || c.Name != "far:1 2" {
		t.Errorf("%+v, %v", c, err)
	}
	var usage UsageError
	for _, line := range []string{"", "  ", "x 'y", "ws://"} {
		if a, err := s.TypedAgent(line); !errors.As(err, &usage) && line != "ws://" {
			t.Errorf("%q: %+v, %v", line, a, err)
		}
	}
}
