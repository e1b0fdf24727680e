//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"parley/internal/must"
)

// Case 127.
func TestEnvironmentAndDir(t *testing.T) {
	h := open(t, Options{Environ: append(os.Environ(), "A=service", "B=service")})
	id := h.create(Command{
		Command: "sh", Args: []string{"-c", `echo "$A|$B|$C|$PATH"; pwd`},
		Env: []EnvVar{{"A", "first"}, {"C", "x=y z"}, {"A", "last"}},
	})
	h.wait(id)
	want := fmt.Sprintf("last|service|x=y z|%s\n%s\n", os.Getenv("PATH"), h.dir)
	if out := h.output(id); out.Text != want {
		t.Fatalf("got %q, want %q", out.Text, want)
	}
	for _, dir := range []string{"sub", "./x", "../x", ""} {
		if _, err := h.Create("s", Command{Command: "true", Dir: dir}); !errors.Is(err, ErrRelativeDir) {
			t.Errorf("folder %q: %v", dir, err)
		}
	}
	if _, err := h.Create("s", Command{Command: "true", Dir: h.dir + "/none"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
	for _, v := range []EnvVar{{"", "x"}, {"A=B", "x"}, {"A", "\x00"}} {
		if _, err := h.Create("s", Command{Command: "true", Dir: h.dir, Env: []EnvVar{v}}); !errors.Is(err, ErrInvalid) {
			t.Errorf("variable %q: %v", v, err)
		}
	}
}

// Case 127: the program is looked up in the PATH of the command's environment.
func TestPathOfTheCommand(t *testing.T) {
	h := open(t, Options{})
	must.Do(t, os.WriteFile(filepath.Join(h.dir, "my-tool"), []byte("#!/bin/sh\necho found $1\n"), 0o755))
	id := h.create(Command{Command: "my-tool", Args: []string{"it"}, Env: []EnvVar{{"PATH", h.dir}}})
	h.wait(id)
	if out := h.output(id); out.Text != "found it\n" {
		t.Fatalf("got %q", out.Text)
	}
}

// Case 128.
func TestCommandLineAndNotFound(t *testing.T) {
	h := open(t, Options{Shell: "sh"})
	for command, want := range map[string]string{
		"echo a && echo $((1+2))": "a\n3\n",
		"A=5; echo $A":            "5\n",
		"echo 'x  y' | tr x z":    "z  y\n",
	} {
		id := h.create(Command{Command: command})
		if status := h.wait(id); status.Code == nil || *status.Code != 0 {
			t.Errorf("%s: got %+v", command, status)
		}
		if out := h.output(id); out.Text != want {
			t.Errorf("%s: got %q", command, out.Text)
		}
	}
	spaced := filepath.Join(h.dir, "my tool")
	must.Do(t, os.WriteFile(spaced, []byte("#!/bin/sh\necho direct\n"), 0o755))
	id := h.create(Command{Command: spaced, Args: []string{"x"}})
	h.wait(id)
	if out := h.output(id); out.Text != "direct\n" {
		t.Errorf("an executable with a blank in its name: %q", out.Text)
	}
	for _, c := range []Command{
		{Command: "no-such-command-here"},
		{Command: "echo a", Args: []string{"b"}},
	} {
		c.Dir = h.dir
		if id, err := h.Create("s", c); id != "" || !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%s: %q, %v", Line(c), id, err)
		}
	}
	for _, command := range []string{"", " \n"} {
		if _, err := h.Create("s", Command{Command: command, Dir: h.dir}); !errors.Is(err, ErrInvalid) {
			t.Errorf("command %q: %v", command, err)
		}
	}
	broken := open(t, Options{Shell: "/no/such/shell"})
	if _, err := broken.Create("s", Command{Command: "a b", Dir: h.dir}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing shell: %v", err)
	}
}

// A program named like a shell in the command's directory, or on PATH, does not run the line.
func TestShellOfAProject(t *testing.T) {
	for _, env := range []string{"SHELL=./shell", "SHELL=shell", "SHELL="} {
		bin := t.TempDir()
		h := open(t, Options{Environ: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), env}})
		for _, name := range []string{filepath.Join(h.dir, "shell"), filepath.Join(bin, "sh"), filepath.Join(bin, "shell")} {
			must.Do(t, os.WriteFile(name, []byte("#!/bin/sh\necho the directory was run\n"), 0o755))
		}
		id := h.create(Command{Command: "echo hi"})
		h.wait(id)
		if out := h.output(id); out.Text != "hi\n" {
			t.Errorf("%s: got %q", env, out.Text)
		}
	}
}

func TestUserShell(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"zsh", "fish"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\necho \"mine: $*\"\n"), 0o755))
	}
	mine := "mine: -c echo hi\n"
	for _, c := range []struct {
		shell string
		own   bool // the line is the user's
		want  string
	}{
		{filepath.Join(dir, "zsh"), false, mine}, {filepath.Join(dir, "fish"), true, mine}, {filepath.Join(dir, "fish"), false, "hi\n"}, {"/none", false, "hi\n"},
	} {
		h := open(t, Options{Environ: []string{"PATH=" + os.Getenv("PATH"), "SHELL=" + c.shell}})
		id := h.create(Command{Command: "echo hi", Shell: c.own})
		h.wait(id)
		if out := h.output(id); out.Text != c.want {
			t.Errorf("%+v: got %q", c, out.Text)
		}
	}
}

// A file named like the line is not run.
func TestFileNamedAsALine(t *testing.T) {
	h := open(t, Options{Shell: "sh"})
	for name, text := range map[string]string{"src/hi": "hi\n", "cat src/hi": "#!/bin/sh\necho the file was run\n"} {
		name = filepath.Join(h.dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.Do(t, os.WriteFile(name, []byte(text), 0o755))
	}
	id := h.create(Command{Command: "cat src/hi"})
	h.wait(id)
	if out := h.output(id); out.Text != "hi\n" {
		t.Errorf("got %q", out.Text)
	}
}
