//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/alive"
	"parley/internal/must"
)

// outcome collects the output and the end of a command.
func outcome(t *testing.T, s *Shell, line, dir string) (stop func(), out chan string, end chan ShellOutput) {
	t.Helper()
	out, end = make(chan string, 1000), make(chan ShellOutput, 1)
	stop = must.Get(s.Run(line, dir, nil, func(n ShellOutput) {
		if n.Ended {
			end <- n
			return
		}
		out <- string(n.Data)
	}))(t)
	return stop, out, end
}

func TestShell(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	s := NewShell()
	defer s.Close()
	dir := realTemp(t)
	_, out, end := outcome(t, s, `cd . && pwd; echo "to stderr" >&2; exit 3`, dir)
	if n := <-end; n.Code == nil || *n.Code != 3 {
		t.Errorf("got %+v", n)
	}
	close(out)
	var text strings.Builder
	for piece := range out {
		text.WriteString(piece)
	}
	if text.String() != dir+"\nto stderr\n" {
		t.Errorf("got %q", text.String())
	}
	if _, err := s.Run("true", filepath.Join(dir, "gone"), nil, func(ShellOutput) {}); err == nil {
		t.Error("no error for a missing directory")
	}
	// A lone builtin is a valid line, too.
	if _, _, end = outcome(t, s, "exit", dir); (<-end).Code == nil {
		t.Error("no code")
	}
}

// A line begins with the directory and the variables that the line before has left.
func TestShellKeeps(t *testing.T) {
	for _, name := range []string{"sh", "bash", "zsh", "dash"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Setenv("SHELL", path)
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			t.Setenv("GIVEN", "by the environment")
			s := NewShell()
			defer s.Close()
			dir := realTemp(t)
			must.Do(t, os.Mkdir(filepath.Join(dir, "sub dir"), 0o700))
			left := ShellOutput{Dir: dir}
			runs := func(line, want string, code int) {
				t.Helper()
				var text strings.Builder
				end := make(chan ShellOutput, 1)
				must.Get(s.Run(line, left.Dir, left.Env, func(n ShellOutput) {
					text.Write(n.Data)
					if n.Ended {
						end <- n
					}
				}))(t)
				n := <-end
				if text.String() != want || n.Code == nil || *n.Code != code {
					t.Errorf("%s: %q and %v, want %q and %d", line, text.String(), n.Code, want, code)
				}
				if n.Dir != "" {
					left = n
				}
			}
			runs("cd 'sub dir'; X='a\nb'; export Y=it\\'s", "", 0)
			if left.Dir != filepath.Join(dir, "sub dir") {
				t.Errorf("left in %q", left.Dir)
			}
			runs(`echo "$X|$Y|$GIVEN"; pwd`, "a\nb|it's|by the environment\n"+dir+"/sub dir\n", 0)
			runs("unset GIVEN Y; cd ..; exit 4", "", 4)
			runs(`echo "${GIVEN-gone} ${Y-gone} $X"; pwd`, "gone gone a\nb\n"+dir+"\n", 0)
			runs("cd - >/dev/null; pwd; false", dir+"/sub dir\n", 1)
			before := left.Dir
			runs("cd /; exec sh -c 'exit 5'", "", 5) // the shell is gone, and says nothing
			if left.Dir != before {
				t.Errorf("moved to %q", left.Dir)
			}
		})
	}
}

// Of another kind of shell nothing is kept, and the line is what it gets.
func TestShellOfAnotherKind(t *testing.T) {
	fish := filepath.Join(t.TempDir(), "fish")
	must.Do(t, os.WriteFile(fish, []byte("#!/bin/sh\necho \"$2\"\n"), 0o700))
	t.Setenv("SHELL", fish)
	s := NewShell()
	defer s.Close()
	_, out, end := outcome(t, s, "cd /", t.TempDir())
	if n := <-end; n.Dir != "" || n.Env != nil || <-out != "cd /\n" {
		t.Errorf("got %+v", n)
	}
}

// The child processes of a command end with it.
func TestShellStops(t *testing.T) {
	t.Setenv("SHELL", "/bin/sh")
	for name, how := range map[string]func(s *Shell, stop func()){"stop": func(_ *Shell, stop func()) { stop() }, "close": func(s *Shell, _ func()) { s.Close() }} {
		t.Run(name, func(t *testing.T) {
			s := NewShell()
			defer s.Close()
			stop, out, end := outcome(t, s, "sleep 1000 & echo $!; wait", t.TempDir())
			pid := must.Get(strconv.Atoi(strings.TrimSpace(<-out)))(t)
			how(s, stop)
			if n := <-end; n.Code != nil && *n.Code == 0 {
				t.Errorf("got %+v", n)
			}
			for deadline := time.Now().Add(10 * time.Second); alive.PID(pid); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the child outlives the command")
				}
			}
		})
	}
}
