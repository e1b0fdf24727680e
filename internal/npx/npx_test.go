//go:build unix

package npx

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// The test binary is the parley that npx starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Command {
		code, err := Main(os.Args[2:])
		os.Stderr.WriteString(err.Error())
		os.Exit(code + 3)
	}
	os.Exit(m.Run())
}

// environment is the environment in which a program is fetched and run.
type environment struct {
	t                             *testing.T
	state, project, fetched, tool string
}

func newEnvironment(t *testing.T) *environment {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	h := &environment{t, filepath.Join(root, "state"), filepath.Join(root, "project"), filepath.Join(root, "cache", "node_modules", ".bin"), filepath.Join(root, "tools")}
	for _, dir := range []string{h.project, h.fetched, h.tool} {
		must.Do(t, os.MkdirAll(dir, 0o755))
	}
	return h
}

func (h *environment) script(path, text string) string {
	h.t.Helper()
	must.Do(h.t, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return path
}

// wrap wraps a program of a package for an npx that behaves like npm's: it puts the
// package's programs into PATH and sets its own variables.
func (h *environment) wrap(env ...string) (*exec.Cmd, error) {
	h.t.Helper()
	npx := h.script(filepath.Join(h.tool, "npx"), `pwd > "$SEEN"; echo "$@" >> "$SEEN"; shift 3
export PATH="`+h.fetched+`:/elsewhere/node_modules/.bin:$PATH" npm_config_package=x npm_config_mine=changed INIT_CWD=x NODE=x EDITOR=x PWD=x
exec "$@"`)
	self := must.Get(os.Executable())(h.t)
	cmd := &exec.Cmd{Path: "agent", Args: []string{"agent", "--acp", "a b"}, Dir: h.project, Env: append(env, "SEEN="+filepath.Join(h.tool, "seen"), "HOME="+h.state)}
	return cmd, Wrap(cmd, npx, "pkg@1.2.3", self, h.state)
}

func TestWrap(t *testing.T) {
	h := newEnvironment(t)
	h.script(filepath.Join(h.fetched, "agent"), `pwd; echo "$*"; export -p`)
	h.script(filepath.Join(h.project, "agent"), "echo the project was run")
	cmd, err := h.wrap("PATH=/usr/bin:/bin", "npm_config_mine=1", "OTHER=2")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(cmd.Args, "login")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	private := filepath.Join(h.state, "npx")
	seen, _ := os.ReadFile(filepath.Join(h.tool, "seen"))
	if where, args, _ := strings.Cut(string(seen), "\n"); where != private || !strings.HasPrefix(args, "--yes --package=pkg@1.2.3 -- ") || !strings.HasSuffix(args, " agent --acp a b login\n") {
		t.Errorf("npx ran as %q", seen)
	}
	if entries, err := os.ReadDir(private); err != nil || len(entries) != 1 || entries[0].Name() != "package.json" {
		t.Errorf("npx ran among %v, %v", entries, err)
	}
	lines := strings.Split(string(out), "\n")
	if lines[0] != h.project || lines[1] != "--acp a b login" {
		t.Errorf("the program ran as %q", lines[:2])
	}
	for _, want := range []string{"export PATH='" + h.fetched + ":/usr/bin:/bin'", "export PWD='" + h.project + "'", "export OTHER='2'"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no %s in %q", want, lines)
		}
	}
	for _, wrong := range []string{"npm_config_package", "INIT_CWD", "NODE=", "EDITOR", variable} {
		if strings.Contains(string(out), wrong) {
			t.Errorf("%s in %q", wrong, lines)
		}
	}
	if !strings.Contains(string(out), "npm_config_mine=") {
		t.Errorf("the user's own settings of npm are gone: %q", lines)
	}
}

// A node program runs with the node that npx uses, even if PATH means another one in the
// project.
func TestRunsByTheNodeOfNpx(t *testing.T) {
	h := newEnvironment(t)
	node := h.script(filepath.Join(h.tool, "node"), `echo "node of npx: $*"`)
	shims := t.TempDir()
	h.script(filepath.Join(shims, "node"), "echo another was run")
	agent := filepath.Join(h.fetched, "agent")
	must.Do(t, os.WriteFile(agent, []byte("#!/usr/bin/env node\n"), 0o755))
	cmd := must.Get(h.wrap("PATH="+shims+":/usr/bin:/bin", "npm_node_execpath="+node))(t)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "node of npx: "+agent+" --acp a b\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A program that npx claims to have fetched is run only from where no project can have put
// it.
func TestFetchedFromTheProject(t *testing.T) {
	h := newEnvironment(t)
	h.fetched = filepath.Join(h.project, "cache")
	must.Do(t, os.Mkdir(h.fetched, 0o755))
	h.script(filepath.Join(h.fetched, "agent"), "echo the project was run")
	cmd := must.Get(h.wrap("PATH=/usr/bin:/bin"))(t)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "set npm_config_cache") {
		t.Errorf("%s, %v", out, err)
	}
}

// A program of that name elsewhere on PATH is not used.
func TestNothingFetched(t *testing.T) {
	h := newEnvironment(t)
	h.script(filepath.Join(h.tool, "agent"), "echo another was run")
	cmd := must.Get(h.wrap("PATH=" + h.tool + ":/usr/bin:/bin"))(t)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "find agent in what npx has fetched") {
		t.Errorf("%s, %v", out, err)
	}
}

func TestPrivateDirectory(t *testing.T) {
	for _, test := range []struct {
		name    string
		prepare func(h *environment, dir string) error
		says    string // "" if it is usable
	}{
		{"new", func(*environment, string) error { return nil }, ""},
		{"used before", func(_ *environment, dir string) error {
			return os.WriteFile(filepath.Join(dir, "package.json"), []byte(manifest), 0o600)
		}, ""},
		{"of another parley", func(_ *environment, dir string) error {
			return os.WriteFile(filepath.Join(dir, "package.json.0123.unfinished"), nil, 0o600)
		}, ""},
		{"open to others", func(_ *environment, dir string) error { return os.Chmod(dir, 0o777) }, ""},
		{"with another manifest", func(_ *environment, dir string) error {
			return os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"bin":{"agent":"x"}}`), 0o600)
		}, ""},
		{"with settings", func(_ *environment, dir string) error {
			return os.WriteFile(filepath.Join(dir, ".npmrc"), []byte("registry=x"), 0o600)
		}, ".npmrc is not parley's"},
		{"with packages", func(_ *environment, dir string) error { return os.Mkdir(filepath.Join(dir, "node_modules"), 0o700) }, "node_modules is not parley's"},
		{"a link", func(h *environment, dir string) error {
			return errors.Join(os.Remove(dir), os.Symlink(h.project, dir))
		}, "not a directory of yours"},
		{"a file", func(_ *environment, dir string) error {
			return errors.Join(os.Remove(dir), os.WriteFile(dir, nil, 0o600))
		}, "directory for npx"},
		{"in the project", func(h *environment, _ string) error {
			h.t.Chdir(filepath.Dir(h.state))
			return nil
		}, "set PARLEY_STATE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newEnvironment(t)
			dir := filepath.Join(h.state, "npx")
			must.Do(t, os.MkdirAll(dir, 0o700))
			must.Do(t, test.prepare(h, dir))
			_, err := h.wrap("PATH=/usr/bin:/bin")
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v", err)
				}
				return
			}
			info, statErr := os.Stat(dir)
			text, readErr := os.ReadFile(filepath.Join(dir, "package.json"))
			if err != nil || statErr != nil || readErr != nil || info.Mode().Perm() != 0o700 || string(text) != manifest {
				t.Errorf("%v, %v, %v: %v, %q", err, statErr, readErr, info.Mode(), text)
			}
		})
	}
}

func TestMainAlone(t *testing.T) {
	for _, value := range []string{"", "{", "{}", `{"Dir":"relative"}`} {
		t.Setenv(variable, value)
		if _, err := Main([]string{"agent"}); err == nil {
			t.Errorf("%q was accepted", value)
		}
	}
}
