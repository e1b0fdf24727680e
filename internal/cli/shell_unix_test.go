//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outcome collects the output and the end of a command.
func outcome(t *testing.T, s *Shell, line, dir string) (stop func(), out chan string, end chan ShellOutput) {
	t.Helper()
	out, end = make(chan string, 1000), make(chan ShellOutput, 1)
	stop, err := s.Run(line, dir, func(n ShellOutput) {
		if n.Ended {
			end <- n
			return
		}
		out <- string(n.Data)
	})
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := s.Run("true", filepath.Join(dir, "gone"), func(ShellOutput) {}); err == nil {
		t.Error("no error for a missing directory")
	}
	// A lone builtin is a valid line, too.
	if _, _, end = outcome(t, s, "exit", dir); (<-end).Code == nil {
		t.Error("no code")
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
			pid, err := strconv.Atoi(strings.TrimSpace(<-out))
			if err != nil {
				t.Fatal(err)
			}
			how(s, stop)
			if n := <-end; n.Code != nil && *n.Code == 0 {
				t.Errorf("got %+v", n)
			}
			for deadline := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("the child outlives the command")
				}
			}
		})
	}
}

// zombie reports whether a process has exited but was not waited for, on systems with /proc.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
