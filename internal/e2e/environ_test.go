//go:build unix

package e2e

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
)

// SIGQUIT shuts down like any other signal, then dumps the goroutines.
func TestQuitWithADump(t *testing.T) {
	t.Parallel()
	for ready, args := range map[string][]string{"demo dev": {"demo"}, "Ask first": {"--inline", "demo"}, "You:": {"--linear", "demo"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			s := Start(t, 100, 30, workDir(t), args...)
			s.WaitFor(ready)
			s.Kill(syscall.SIGQUIT)
			if code := s.ExitCode(); code != 131 {
				t.Errorf("exit code %d", code)
			}
			var raw []byte
			at := -1
			s.WaitFunc("where parley was", func([]string) bool { // its last output may still be on the way
				raw, _ = s.Raw(0)
				at = bytes.Index(raw, []byte("goroutine "))
				return at >= 0
			})
			if bytes.ContainsRune(raw[at:], 0x1b) {
				t.Errorf("the terminal was restored only after the dump: %q", raw[at:])
			}
		})
	}
}

// On a dumb terminal parley starts no screen and points to the chat in lines.
func TestDumbTerminal(t *testing.T) {
	t.Parallel()
	for _, terminal := range []string{"TERM=dumb", "TERM="} {
		s := StartEnv(t, 120, 10, workDir(t), []string{terminal}, "demo")
		if code := s.ExitCode(); code != 2 {
			t.Errorf("%s: exit code %d", terminal, code)
		}
		s.WaitFor("cannot draw the screen", "parley --linear")
		s = StartEnv(t, 120, 30, workDir(t), []string{terminal}, "--linear", "demo")
		s.WaitFor("Connected: demo", "You:")
	}
}

// Without a home directory parley runs with its defaults and says what it cannot save.
func TestNoHome(t *testing.T) {
	t.Parallel()
	s := StartEnv(t, 120, 30, workDir(t), []string{"HOME=", "XDG_CONFIG_HOME="}, "--linear", "demo")
	s.WaitFor("HOME is not set: no history, drafts, logs or copies for undo are kept", "Connected: demo", "You:")
}

// A relative home directory would be one in the project.
func TestRelativeHome(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	for _, args := range [][]string{{"run", "--agent", "demo", "hello"}, {"--linear", "demo"}, {"sessions", "--logs"}} {
		r := runEnv(t, dir, []string{"HOME=elsewhere", "XDG_CONFIG_HOME="}, args...)
		if r.code != 2 || r.stderr != "parley: HOME is a relative path (elsewhere): set it to the absolute path of your home directory\n" {
			t.Errorf("%q: %+v", args, r)
		}
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("%v, %v", made, err)
	}
}
