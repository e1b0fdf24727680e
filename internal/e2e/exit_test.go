//go:build unix

package e2e

import (
	"os"
	"regexp"
	"strings"
	"syscall"
	"time"

	"parley/internal/must"

	"github.com/charmbracelet/x/term"
)

// Pid returns parley's process id.
func (s *Screen) Pid() int { return s.cmd.Process.Pid }

// Kill sends parley a signal.
func (s *Screen) Kill(sig os.Signal) {
	s.t.Helper()
	must.Do(s.t, s.cmd.Process.Signal(sig))
}

// ExitCode waits, up to patience, for parley to exit and returns its exit code.
func (s *Screen) ExitCode() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Fatalf("parley does not end; the screen:\n%s", numbered(s.Rows()))
	}
	return s.cmd.ProcessState.ExitCode()
}

// hangUp closes the terminal, as closing its window does. The file is closed only once no goroutine
// reads from it, so parley must write some output first.
func (s *Screen) hangUp() {
	s.gone.Store(true)
	s.Type("x")
	<-s.ended
	s.slave.Close()
	s.master.Close()
}

// finish ends parley if the test has not, and checks what must hold after every exit: the terminal
// is restored and no process is left.
func (s *Screen) finish() {
	if s.t.Failed() {
		s.t.Logf("the screen at the end:\n%s", numbered(s.Rows()))
	}
	select {
	case <-s.exited:
	default:
		s.cmd.Process.Signal(syscall.SIGTERM)
	}
	select {
	case <-s.exited:
	case <-time.After(patience):
		s.t.Error("parley does not end at SIGTERM")
		s.cmd.Process.Signal(syscall.SIGQUIT) // makes the runtime dump all goroutines
		select {
		case <-s.exited:
		case <-time.After(patience):
			s.cmd.Process.Kill()
			<-s.exited
		}
		trace, _ := s.Raw(0)
		s.t.Logf("what parley waited for:\n%s", trace)
	}
	orderly := s.cmd.ProcessState.ExitCode() >= 0 && !s.gone.Load()
	if orderly {
		if after, err := term.GetState(s.slave.Fd()); err != nil || *after != *s.before {
			s.t.Errorf("the terminal's line settings are not as they were (%v)", err)
		}
	}
	s.slave.Close()
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.t.Error("something still has the terminal open")
	}
	s.master.Close()
	if orderly {
		raw, _ := s.Raw(0)
		for _, what := range unrestored(string(raw)) {
			s.t.Errorf("the terminal is not restored: %s", what)
		}
	}
	s.noneLeft()
}

// noneLeft waits until no process started for this test runs. A killed process may take a moment to
// exit. Any process left after that is an error, and is killed.
func (s *Screen) noneLeft() {
	s.t.Helper()
	var left map[int]string
	for deadline := time.Now().Add(patience / 4); ; time.Sleep(5 * time.Millisecond) {
		if left = processesOf(s.root); len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			break
		}
	}
	for pid, words := range left {
		s.t.Errorf("still running: %d %s", pid, words)
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

var modeChange = regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`)

// unrestored lists what a program changed in the terminal and did not restore, according to its
// output: private modes and keyboard protocols.
func unrestored(raw string) []string {
	on := map[string]bool{"25": true, "7": true} // the modes that are on by default
	start := map[string]bool{"25": true, "7": true}
	for _, m := range modeChange.FindAllStringSubmatch(raw, -1) {
		for mode := range strings.SplitSeq(m[1], ";") {
			on[mode] = m[2] == "h"
		}
	}
	var out []string
	for mode, set := range on {
		if set != start[mode] {
			out = append(out, "mode "+mode)
		}
	}
	if pushed, popped := len(kittyPush.FindAllString(raw, -1)), len(kittyPop.FindAllString(raw, -1)); pushed > popped {
		out = append(out, "keyboard enhancements")
	}
	if all := modifyKeys.FindAllString(raw, -1); len(all) > 0 && all[len(all)-1] != "\x1b[>4m" && all[len(all)-1] != "\x1b[>4;0m" {
		out = append(out, "modifyOtherKeys")
	}
	return out
}

var (
	kittyPush  = regexp.MustCompile(`\x1b\[>[0-9]+u`)
	kittyPop   = regexp.MustCompile(`\x1b\[<[0-9]*u`)
	modifyKeys = regexp.MustCompile(`\x1b\[>4[0-9;]*m`)
)
