package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// waitRunning waits for a process with that command line.
func (s *Screen) waitRunning(words string) {
	s.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, line := range processesOf(s.root) {
			if strings.HasSuffix(line, words) && !strings.Contains(line, parley) {
				return
			}
		}
	}
	s.t.Fatalf("nobody runs %q", words)
}

// Killed without a chance to end anything, parley leaves nothing behind all the
// same: an agent sees the end of its input, and what parley has started itself is
// sent a signal by the system. What a command has started in turn is left alone:
// nobody is there any more who could end it.
func TestKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		busy func(s *Screen)
	}{
		{"idle", []string{"demo"}, func(*Screen) {}},
		{"in a turn", scripted(t), func(s *Screen) {
			s.Prompt("trickle")
			s.WaitFor("Paragraph 2")
		}},
		{"with a command", []string{"demo"}, func(s *Screen) {
			s.Prompt("run exec sleep 604") // no shell stands between
			s.WaitFor(armed)
			s.Press("y")
			s.waitRunning("sleep 604")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 80, 24, workDir(t), test.args...)
			s.WaitFor(placeholder)
			test.busy(s)
			s.Kill(syscall.SIGKILL)
			s.ExitCode()
			s.noneLeft()
		})
	}
}
