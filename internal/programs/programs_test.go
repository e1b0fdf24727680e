//go:build unix

package programs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// machine is a home, a project in it, and a directory of system programs. The current
// directory is the project.
type machine struct {
	t                  *testing.T
	home, project, bin string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	m := &machine{t, filepath.Join(root, "home"), filepath.Join(root, "home", "src", "project"), filepath.Join(root, "bin")}
	for _, dir := range []string{m.project, m.bin} {
		must.Do(t, os.MkdirAll(dir, 0o755))
	}
	t.Setenv("HOME", m.home)
	t.Chdir(m.project)
	before := guard.dirs
	guard.dirs, guard.skipped, guard.reported, guard.tell = nil, nil, 0, nil
	t.Cleanup(func() { guard.dirs, guard.skipped, guard.reported, guard.tell = before, nil, 0, nil })
	return m
}

// install creates a program that is never run.
func (m *machine) install(path string) string {
	m.t.Helper()
	must.Do(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(m.t, os.WriteFile(path, []byte("#!/bin/sh\nexit 1\n"), 0o755))
	return path
}

func TestFind(t *testing.T) {
	for _, test := range []struct {
		name    string
		path    []string // PATH; ~ means the home, @ the project, / the system
		program []string // the existing programs, all called git
		want    string   // the file; "" for none
		project string   // the skipped file in the project; "" for none
	}{
		{"of the system", []string{"/"}, []string{"/git"}, "/git", ""},
		{"in the home", []string{"~bin", "/"}, []string{"~bin/git", "/git"}, "~bin/git", ""},
		{"nowhere", []string{"/", "~bin"}, nil, "", ""},
		{"in the project by its full path", []string{"@bin", "/"}, []string{"@bin/git", "/git"}, "/git", "@bin/git"},
		{"in the project alone", []string{"@bin"}, []string{"@bin/git"}, "", "@bin/git"},
		{"by a relative path", []string{"bin", "/"}, []string{"@bin/git", "/git"}, "/git", "@bin/git"},
		{"by a relative path from outside", []string{"../tools", "/"}, []string{"~src/tools/git", "/git"}, "/git", "~src/tools/git"},
		{"here", []string{".", "/"}, []string{"@git", "/git"}, "/git", "@git"},
		{"here by an empty entry", []string{"", "/"}, []string{"@git", "/git"}, "/git", "@git"},
		{"in the project, but later", []string{"/", "@bin"}, []string{"@bin/git", "/git"}, "/git", ""},
		{"in a project of the same beginning", []string{"~src/project2"}, []string{"~src/project2/git"}, "~src/project2/git", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			place := func(name string) string {
				switch {
				case strings.HasPrefix(name, "~"):
					return filepath.Join(m.home, name[1:])
				case strings.HasPrefix(name, "@"):
					return filepath.Join(m.project, name[1:])
				case strings.HasPrefix(name, "/"):
					return filepath.Join(m.bin, name[1:])
				}
				return name
			}
			for _, p := range test.program {
				m.install(place(p))
			}
			var dirs, told []string
			for _, dir := range test.path {
				dirs = append(dirs, place(dir))
			}
			t.Setenv("PATH", strings.Join(dirs, ":"))
			got, err := Find("git")
			OnSkipped(func(file string) { told = append(told, file) })
			if got != place(test.want) || (err != nil) != (test.want == "") {
				t.Errorf("%q, %v", got, err)
			}
			var inProject *InProjectError
			if want := test.want == "" && test.project != ""; errors.As(err, &inProject) != want || err != nil && !want && !errors.Is(err, exec.ErrNotFound) {
				t.Errorf("got %v", err)
			}
			if got := strings.Join(told, " "); got != place(test.project) {
				t.Errorf("reported %q", got)
			}
		})
	}
}

// A link outside of the project that leads into it counts as in the project.
func TestFindThroughLinks(t *testing.T) {
	m := newMachine(t)
	m.install(filepath.Join(m.project, "bin", "git"))
	m.install(filepath.Join(m.project, "npx"))
	for link, target := range map[string]string{"dir": filepath.Join(m.project, "bin"), "npx": filepath.Join(m.project, "npx")} {
		must.Do(t, os.Symlink(target, filepath.Join(m.bin, link)))
	}
	t.Setenv("PATH", filepath.Join(m.bin, "dir")+":"+m.bin)
	for _, name := range []string{"git", "npx"} {
		if got, err := Find(name); !errors.As(err, new(*InProjectError)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestWhatIsAProject(t *testing.T) {
	for _, test := range []struct {
		name       string
		git        string // the directory that gets a .git
		here       string
		in, beside string // directories of the program: it is found only in beside
	}{
		{"the worktree of git", "src/project", "src/project/a/b", "src/project/bin", "src/bin"},
		{"the nearest one", "src", "src/project", "src/bin", "bin"},
		{"a directory without git", "", "src/project/a", "src/project/a/bin", "src/project/bin"},
		{"never the home", ".", "src/project", "src/project/bin", "bin"},
		{"never what holds the home", "..", "..", "", "bin"},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t)
			here := filepath.Join(m.home, test.here)
			for _, dir := range []string{here, filepath.Join(m.home, test.git, ".git")} {
				must.Do(t, os.MkdirAll(dir, 0o755))
			}
			if test.git == "" {
				os.Remove(filepath.Join(m.home, ".git"))
			}
			t.Chdir(here)
			if test.in != "" {
				t.Setenv("PATH", filepath.Dir(m.install(filepath.Join(m.home, test.in, "git"))))
				if got, err := Find("git"); !errors.As(err, new(*InProjectError)) {
					t.Errorf("%q, %v", got, err)
				}
			}
			beside := m.install(filepath.Join(m.home, test.beside, "git"))
			t.Setenv("PATH", filepath.Dir(beside))
			if got, err := Find("git"); got != beside {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	m := newMachine(t)
	other := m.install(filepath.Join(m.home, "other", "bin", "git"))
	t.Setenv("PATH", filepath.Dir(other))
	if got, err := Find("git"); got != other {
		t.Errorf("%q, %v", got, err)
	}
	Guard(filepath.Join(m.home, "other"))
	if got, err := Find("git"); !errors.As(err, new(*InProjectError)) {
		t.Errorf("%q, %v", got, err)
	}
	for path, want := range map[string]bool{other: true, filepath.Join(m.home, "other", "not", "there"): true, m.project: true, m.home: false, m.bin: false} {
		if got := Guarded(path); got != want {
			t.Errorf("%s is guarded: %v", path, got)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	m := newMachine(t)
	m.install(filepath.Join(m.bin, "git"))
	t.Setenv("PATH", m.bin)
	for _, name := range []string{"", ".", "..", "./git", "bin/git", filepath.Join(m.bin, "git"), "g\x00it"} {
		if got, err := Find(name); err == nil {
			t.Errorf("%q: got %q", name, got)
		}
	}
	must.Do(t, os.Chmod(filepath.Join(m.bin, "git"), 0o644))
	if got, err := Find("git"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%q, %v", got, err)
	}
}

// A program that the user has named by its path is that one, even in the project, if it can be run; a name is looked up.
func TestLocate(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", m.bin)
	git, here := m.install(filepath.Join(m.bin, "git")), m.install(filepath.Join(m.project, "tool"))
	for name, want := range map[string]string{"git": git, git: git, here: here} {
		if got, err := Locate(name); got != want || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	must.Do(t, os.Chmod(here, 0o644))
	for name, want := range map[string]error{here: fs.ErrPermission, git + "x": fs.ErrNotExist, "bin/git": exec.ErrNotFound, "tool": exec.ErrNotFound} {
		if got, err := Locate(name); !errors.Is(err, want) {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

// Of the skipped programs in a directory only one is reported.
func TestOnSkipped(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", ":"+filepath.Join(m.project, "bin"))
	for _, name := range []string{"git", "npx"} {
		m.install(filepath.Join(m.project, name))
		m.install(filepath.Join(m.project, "bin", name))
	}
	var told []string
	Find("git")
	OnSkipped(func(file string) { told = append(told, file) })
	Find("npx")
	t.Setenv("PATH", filepath.Join(m.project, "bin"))
	Find("npx")
	Find("git")
	if want := []string{filepath.Join(m.project, "git"), filepath.Join(m.project, "bin", "npx")}; !slices.Equal(told, want) {
		t.Errorf("reported %q, want %q", told, want)
	}
}

func TestCommand(t *testing.T) {
	m := newMachine(t)
	t.Setenv("PATH", strings.Join([]string{"", ".", "bin", filepath.Join(m.project, "bin"), m.bin}, ":"))
	look := m.install(filepath.Join(m.bin, "look"))
	must.Do(t, os.WriteFile(look, []byte("#!/bin/sh\npwd\necho \"$PWD $PATH\"\n"), 0o755))
	must.Do(t, os.Mkdir(filepath.Join(m.project, "bin"), 0o755))
	for _, test := range []struct {
		cmd       *exec.Cmd
		dir, path string
	}{
		{Command(t.Context(), look), m.home, m.bin},
		{CommandIn(t.Context(), m.project, look), m.project, filepath.Join(m.project, "bin") + ":" + m.bin},
	} {
		out, err := test.cmd.Output()
		if want := test.dir + "\n" + test.dir + " " + test.path + "\n"; err != nil || string(out) != want {
			t.Errorf("%q, %v; want %q", out, err, want)
		}
	}
	if err := Command(context.Background(), "look").Run(); err == nil {
		t.Error("a name was run")
	}
}

func TestInterpret(t *testing.T) {
	m := newMachine(t)
	node, venv := m.install(filepath.Join(m.bin, "node")), filepath.Join(m.project, ".venv", "bin")
	m.install(filepath.Join(venv, "node"))
	only := m.install(filepath.Join(venv, "only"))
	safe := m.install(filepath.Join(m.bin, "safe"))
	agent := filepath.Join(m.bin, "agent")
	for _, test := range []struct {
		line string
		want []string // the file and the arguments; nil if only the project has the interpreter
	}{
		{"#!/usr/bin/env node", []string{node, "node", agent, "--acp"}},
		{"#! /usr/bin/env  node ", []string{node, "node", agent, "--acp"}},
		{"#!/usr/bin/env -S node --no-warnings  -x", []string{node, "node", "--no-warnings", "-x", agent, "--acp"}},
		{"#!/usr/bin/env only", nil},
		{"#!/usr/bin/env safe", []string{agent, "agent", "--acp"}},
		{"#!/usr/bin/env nothing", []string{agent, "agent", "--acp"}},
		{"#!/usr/bin/env", []string{agent, "agent", "--acp"}},
		{"#!" + safe, []string{agent, "agent", "--acp"}},
		{"\x7fELF", []string{agent, "agent", "--acp"}},
	} {
		must.Do(t, os.WriteFile(agent, []byte(test.line+"\nnode\n"), 0o755))
		cmd := &exec.Cmd{Path: agent, Args: []string{"agent", "--acp"}}
		err := NewPath([]string{"PATH=" + venv + ":" + m.bin}).Interpret(cmd)
		var inProject *InProjectError
		switch got := append([]string{cmd.Path}, cmd.Args...); {
		case test.want == nil:
			if !errors.As(err, &inProject) || inProject.File != only {
				t.Errorf("%q: %q, %v", test.line, got, err)
			}
		case err != nil || !slices.Equal(got, test.want):
			t.Errorf("%q: %q, %v, want %q", test.line, got, err, test.want)
		}
	}
	// Without the project in PATH, env finds the same file.
	must.Do(t, os.WriteFile(agent, []byte("#!/usr/bin/env node\n"), 0o755))
	cmd := &exec.Cmd{Path: agent, Args: []string{"agent"}}
	if err := NewPath([]string{"PATH=" + m.bin}).Interpret(cmd); err != nil || cmd.Path != agent {
		t.Errorf("%+v, %v", cmd, err)
	}
}

// A known interpreter is used, whatever env would find.
func TestInterpretByWhatIsKnown(t *testing.T) {
	m := newMachine(t)
	node, own := m.install(filepath.Join(m.home, "versions", "node")), m.install(filepath.Join(m.project, "node"))
	m.install(filepath.Join(m.bin, "node"))
	agent := filepath.Join(m.bin, "agent")
	must.Do(t, os.WriteFile(agent, []byte("#!/usr/bin/env node\n"), 0o755))
	for known, want := range map[string]string{node: node, own: agent, "node": agent, "": agent, m.install(filepath.Join(m.bin, "python")): agent} {
		cmd := &exec.Cmd{Path: agent, Args: []string{"agent"}}
		if err := NewPath([]string{"PATH=" + m.bin}).Interpret(cmd, known); err != nil || cmd.Path != want {
			t.Errorf("%s: %+v, %v", known, cmd, err)
		}
	}
}

func TestEnviron(t *testing.T) {
	m := newMachine(t)
	in := filepath.Join(m.project, "lib")
	env := []string{"PATH=.:" + in + "::" + m.bin + ":bin", "LD_LIBRARY_PATH=:" + in, "PYTHONPATH=.", "NODE_PATH=", "CDPATH=.", "PWD=x"}
	for _, test := range []struct {
		got, want []string
	}{
		{Environ(env), []string{"PATH=" + in + ":" + m.bin, "LD_LIBRARY_PATH=" + in, "CDPATH=.", "PWD=x"}},
		{OwnEnviron(env), []string{"PATH=" + m.bin, "CDPATH=.", "PWD=x"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		path := NewPath(os.Environ())
		for range 20 {
			path.Find("no-such-program")
		}
	}
}
