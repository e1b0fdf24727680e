//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// peers are the transports to the agent of a suspended screen.
var peers = []string{"stdio", "ws", "http"}

// Case 192: while the screen is suspended the agent keeps sending, parley keeps reading, and
// nothing is lost. In this test only the screen is suspended: there is no shell to return to, so
// the process is not stopped.
func TestSuspendedScreen(t *testing.T) {
	t.Parallel()
	for _, peer := range peers {
		t.Run(peer, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			s := Start(t, 80, 24, dir, agentOf(t, peer)...)
			s.WaitFor(placeholder)
			s.Prompt("later")
			s.WaitFor("holding")
			s.Type("a draft")
			s.WaitDraft("a draft")
			s.Press("ctrl+z")
			s.WaitFunc("the end of the screen", func([]string) bool { return !s.full() })
			open(t, dir)
			s.WaitFile("through")
			if s.full() {
				t.Error("the screen is back by itself")
			}
			s.resume()
			s.WaitFor("flood-is-over")
			s.WaitDraft("a draft")
			s.WaitIdle()
		})
	}
}

// The same when a shell stops the whole process. Output of an agent at a URL waits in its server; a
// local agent has to wait itself.
func TestSuspendedByAShell(t *testing.T) {
	t.Parallel()
	for _, peer := range peers {
		t.Run(peer, func(t *testing.T) {
			t.Parallel()
			dir := workDir(t)
			s := startByShell(t, dir, agentOf(t, peer))
			s.WaitFor(placeholder)
			s.Prompt("later")
			s.WaitFor("holding")
			s.Type("a draft")
			s.WaitDraft("a draft")
			s.Press("ctrl+z")
			s.WaitFor("stopped, enter goes on")
			if state := s.state(); state != "T" {
				t.Errorf("parley is in state %q", state)
			}
			open(t, dir)
			if peer != "stdio" {
				s.WaitFile("through")
			}
			s.Press("enter")
			s.WaitFor("flood-is-over")
			s.WaitDraft("a draft")
			s.WaitIdle()
			s.Press("ctrl+c")
			s.WaitDraft("")
			s.Press("ctrl+d")
			s.WaitFor("ended with 0")
			s.ExitCode()
		})
	}
}

// If more output arrives than the server may buffer, it ends the connection. When parley resumes it
// says so and continues with the session as the agent has stored it.
func TestSuspendedForTooMuch(t *testing.T) {
	t.Parallel()
	prompts := filepath.Join(t.TempDir(), "prompts")
	server := ServeAgent(t, scripted(t), append(keptIn(t, "/anywhere/work"), heardVar+"="+prompts),
		"--stall-timeout", "300ms", "--session-buffer", "64KiB", "--connection-buffer", "128KiB")
	dir := workDir(t)
	s := startByShell(t, dir, []string{server.URL("ws")})
	s.WaitFor(placeholder)
	s.Prompt("later")
	s.WaitFor("holding")
	s.Type("a draft")
	s.WaitDraft("a draft")
	s.Press("ctrl+z")
	s.WaitFor("stopped, enter goes on")
	open(t, dir)
	server.WaitLog("msg=\"connection ended\" conn=1 ")
	s.Press("enter")
	s.WaitFor("answer 2 of s1")
	s.WaitDraft("a draft")
	s.WaitIdle()
	s.Press("enter")
	s.WaitFor("heard: a draft")
	s.WaitIdle()
	if got := read(t, prompts); got != "later\na draft\n" {
		t.Errorf("prompts: %q", got)
	}
	s.Press("ctrl+d")
	s.WaitFor("ended with 0")
	s.ExitCode()
}

// agentOf returns the arguments that connect to the scripted agent over that transport.
func agentOf(t *testing.T, peer string) []string {
	t.Helper()
	if peer == "stdio" {
		return scripted(t)
	}
	return []string{ServeAgent(t, scripted(t), nil).URL(peer)}
}

// WaitFile waits until the directory contains a file of that name.
func (s *Screen) WaitFile(name string) {
	s.t.Helper()
	s.poll("the file "+name, func() bool {
		_, err := os.Stat(filepath.Join(s.root, "work", name))
		return err == nil
	})
}

// resume sends SIGCONT once parley waits for it, which is a moment after the end of its screen.
func (s *Screen) resume() {
	s.t.Helper()
	s.poll("a parley that can be resumed", func() bool {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		var caught uint64
		_, rest, _ := strings.Cut(string(status), "\nSigCgt:")
		fmt.Sscanf(rest, "%x", &caught)
		return caught>>(syscall.SIGCONT-1)&1 == 1
	})
	s.Kill(syscall.SIGCONT)
}

// state returns the system's state of a parley that runs in a shell.
func (s *Screen) state() string {
	for pid, words := range processesOf(s.root) {
		if strings.HasPrefix(words, parley+" ") {
			stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			_, rest, _ := strings.Cut(string(stat), ") ")
			return rest[:min(1, len(rest))]
		}
	}
	return ""
}
