//go:build unix

package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient/event"
	"parley/internal/agents"
	"parley/internal/config"
	"parley/internal/must"
	"parley/internal/sandbox"
	"parley/terminal"
)

func on() *bool { yes := true; return &yes }

// If the sandbox is not available, nothing starts and a usage error of one line is returned. For a
// setting in the configuration, the error names its place in the file. A flag can override it.
func TestSandboxIsRefused(t *testing.T) {
	none := func() error { return &sandbox.UnsupportedError{What: "this kernel has no Landlock: start without it"} }
	wish := must.Get(config.Parse("/p/config.toml", []byte("theme = 'dark'\nsandbox = true\nsandbox_write = ['/none/such']\n")))(t)
	off := false
	for _, tc := range []struct {
		c     *config.Config
		flag  *bool
		check func() error
		want  string // "": no sandbox and no error
	}{
		{&config.Config{}, nil, none, ""},
		{&config.Config{}, on(), none, "--sandbox: this kernel has no Landlock: start without it"},
		{wish, nil, none, "/p/config.toml:2:11: sandbox: this kernel has no Landlock: start without it"},
		{wish, &off, none, ""},
		{wish, nil, func() error { return nil }, "sandbox_write: /none/such: no such file or directory"},
	} {
		s := &Setup{Config: tc.c, Sandbox: tc.flag}
		box, err := s.newSandbox(tc.check)
		var usage UsageError
		switch {
		case tc.want == "" && (err != nil || box != nil):
			t.Errorf("%v, %v", box, err)
		case tc.want != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("got %v, want %q", err, tc.want)
		}
	}
}

// bound returns a Setup with the sandbox on, a session directory, and a directory outside that the
// sandbox may not write to. HOME is elsewhere.
func bound(t *testing.T) (s *Setup, root, outside string) {
	t.Helper()
	if err := sandbox.Check(); err != nil {
		t.Skip(err)
	}
	root, outside = t.TempDir(), t.TempDir()
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir()) // the test directories are below the directory for temporary files
	return &Setup{Config: &config.Config{}, Sandbox: on()}, root, outside
}

const writes = `echo x > in; echo x > "$OUT/out"; cat in; ls "$OUT"; env`

// An agent and its commands can write only in the session's directories. They do not get parley's
// own variables.
func TestSandboxBindsAgentsAndCommands(t *testing.T) {
	s, root, outside := bound(t)
	t.Setenv("OUT", outside)
	t.Setenv("FLAG_AUTH", "secret")
	t.Setenv("PARLEY_OTHER", "secret")
	s.Remote.headerEnv = []string{"A=FLAG_AUTH"}
	withhold(s.Config, s.Remote)
	place := Directories{Cwd: root}
	start := must.Get(s.starting(agents.Agent{Command: "sh", Args: []string{"-c", writes}}, place))(t)
	check := func(who, out string) {
		t.Helper()
		if !strings.HasPrefix(strings.TrimSpace(strings.Join(lines(out, "ermission denied"), "\n")), "x\n") || !strings.Contains(out, "OUT="+outside) || strings.Contains(out, "secret") {
			t.Errorf("%s: %s", who, out)
		}
		if _, err := os.Stat(filepath.Join(outside, "out")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s wrote outside: %v", who, err)
		}
		if err := os.Remove(filepath.Join(root, "in")); err != nil {
			t.Errorf("%s did not write inside: %v", who, err)
		}
	}
	agent := exec.Command(start.Path, start.Args...)
	agent.Env, agent.Dir = start.Env, start.Dir
	out, _ := agent.CombinedOutput()
	check("the agent", string(out))

	box := must.Get(s.bounds(agents.Agent{}, place))(t)
	service := terminal.New(terminal.Options{Environ: commands().Environ, Confine: func(_ string, cmd *exec.Cmd) error { return box.Confine(cmd, []string{root}) }})
	defer service.Close()
	id := must.Get(service.Create("s", terminal.Command{Command: "sh", Args: []string{"-c", writes}, Dir: root}))(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	must.Get(service.WaitForExit(ctx, "s", id))(t)
	output := must.Get(service.Output("s", id))(t)
	check("the command", output.Text)
	if !strings.Contains(output.Text, "GIT_TERMINAL_PROMPT=0\n") {
		t.Errorf("git would ask: %s", output.Text)
	}

	if _, err := s.starting(agents.Agent{Command: "no-such-agent"}, place); !errors.As(err, new(*event.StartError)) || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("an agent that is missing: %v", err)
	}
}

// lines returns the lines of a text that do not contain a word.
func lines(text, without string) (out []string) {
	for l := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(l, without) {
			out = append(out, l)
		}
	}
	return out
}

// The user's own commands do not get parley's own variables either.
func TestShellGetsNoSecrets(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	t.Setenv("PARLEY_OTHER", "secret")
	t.Setenv("THE_USERS", "own")
	newSetup(&config.Config{}, RemoteFlags{})
	shell := NewShell()
	defer shell.Close()
	_, out, end := outcome(t, shell, "env", t.TempDir())
	<-end
	close(out)
	text := ""
	for piece := range out {
		text += piece
	}
	if strings.Contains(text, "secret") || !strings.Contains(text, "THE_USERS=own\n") {
		t.Errorf("%s", text)
	}
}

// `parley serve` applies the sandbox too.
func TestServingInTheSandbox(t *testing.T) {
	s, root, outside := bound(t)
	t.Setenv("PARLEY_CONFIG", filepath.Join(root, "none.toml"))
	t.Setenv("OUT", outside)
	t.Setenv("PARLEY_OTHER", "secret")
	t.Chdir(root)
	command, env, err := serving(s.Sandbox, []string{"sh", "-c", writes}, nil)
	if err != nil {
		t.Fatal(err)
	}
	agent := exec.Command(command[0], command[1:]...)
	agent.Env = env
	out, _ := agent.CombinedOutput()
	if _, err := os.Stat(filepath.Join(outside, "out")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(string(out), "x\n") || strings.Contains(string(out), "secret") {
		t.Errorf("%v: %s", err, out)
	}
	if _, _, err := serving(nil, []string{"sh"}, []string{outside}); !errors.As(err, new(UsageError)) {
		t.Errorf("--add-dir without a sandbox: %v", err)
	}
	if _, _, err := serving(s.Sandbox, []string{"no-such-agent"}, nil); !errors.As(err, new(UsageError)) {
		t.Errorf("an agent that is missing: %v", err)
	}
}

// Parley writes files for an agent only where the agent itself could.
func TestSandboxBindsWritingForAgents(t *testing.T) {
	s, root, outside := bound(t)
	own, other := filepath.Join(os.Getenv("HOME"), ".gemini"), filepath.Join(os.Getenv("HOME"), ".claude")
	also, linked := t.TempDir(), filepath.Join(t.TempDir(), "link")
	must.Do(t, errors.Join(os.Mkdir(own, 0o755), os.Mkdir(other, 0o755), os.Symlink(root, linked)))
	s.Config.SandboxWrite = []string{also}
	gemini := agents.Agent{Name: "gemini", Source: agents.Path, Command: "/bin/sh", Args: []string{"-c", `mkdir -p "$DIR" && : > "$DIR/new"`}}
	box := must.Get(s.bounds(gemini, Directories{Cwd: linked}))(t)
	for dir, want := range map[string]bool{root: true, also: true, os.Getenv("TMPDIR"): true, own: true,
		other: false, outside: false, root + "x": false, filepath.Dir(root): false, os.Getenv("HOME"): false, filepath.Join(os.Getenv("HOME"), ".codex"): false} {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		t.Setenv("DIR", dir)
		start := must.Get(s.starting(gemini, Directories{Cwd: linked}))(t)
		agent := exec.Command(start.Path, start.Args...)
		agent.Env = start.Env
		if got := agent.Run() == nil; got != want {
			t.Errorf("%s: the agent can write: %v", dir, got)
		}
		if got := box.Writable(filepath.Join(dir, "new"), []string{linked}); got != want {
			t.Errorf("%s: parley writes for it: %v", dir, got)
		}
	}
}

// A session in a directory that the agent was not started for, but has listed, lets its commands write no
// more than the agent can.
func TestSandboxOfASessionElsewhere(t *testing.T) {
	s, root, outside := bound(t)
	sub := filepath.Join(root, "sub")
	must.Do(t, os.Mkdir(sub, 0o755))
	box := must.Get(s.bounds(agents.Agent{}, Directories{Cwd: root}))(t)
	for dir, want := range map[string]bool{root: true, sub: true, outside: false, filepath.Dir(root): false} {
		file := filepath.Join(dir, "new-by-a-test")
		cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", `: >"$0"`, file}, Dir: root}
		must.Do(t, box.Confine(cmd, []string{dir}))
		if got := cmd.Run() == nil; got != want {
			t.Errorf("%s: a command writes: %v", dir, got)
		}
		if got := box.Writable(file, []string{dir}); got != want {
			t.Errorf("%s: parley writes: %v", dir, got)
		}
	}
}
