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
	s.poll("a process "+words, func() bool {
		for _, line := range processesOf(s.root) {
			if strings.HasSuffix(line, words) && !strings.Contains(line, parley) {
				return true
			}
		}
		return false
	})
}

// alone waits until the only process left is one with that command line, and returns its id.
func (s *Screen) alone(words string) int {
	s.t.Helper()
	var left map[int]string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		left = processesOf(s.root)
		for pid, line := range left {
			if len(left) == 1 && line == words {
				return pid
			}
		}
	}
	s.t.Fatalf("left are %v", left)
	return 0
}

// A parley that is killed with SIGKILL leaves no process: agents see the end of their input, and
// the system signals the processes that parley started itself. The children of commands are left to
// the next parley: see TestNextEndsWhatWasLeft.
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
			s.WaitParagraph(2)
		}},
		{"with a command", []string{"demo"}, func(s *Screen) {
			s.Prompt("run exec sleep 604") // no shell in between
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

// Children of a command outlive a killed parley. The next parley ends them and says so.
func TestNextEndsWhatWasLeft(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"screen": {"demo"}, "inline": {"--inline", "demo"}, "lines": {"--linear", "demo"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "inline" {
				long(t)
			}
			dir := workDir(t)
			s := Start(t, 80, 24, dir, "demo")
			s.WaitFor(placeholder)
			s.Prompt("run sleep 605; :") // a shell in between
			s.WaitFor(armed)
			s.Press("y")
			s.waitRunning("sleep 605")
			s.Kill(syscall.SIGKILL)
			s.ExitCode()
			pid := s.alone("sleep 605")
			next := Start(t, 100, 30, dir, args...)
			next.WaitFor("a parley that was killed left 1 process: it has been ended")
			if processesOf(s.root)[pid] != "" {
				t.Error("it still runs")
			}
			next.Kill(syscall.SIGTERM)
			next.ExitCode()
			next.noneLeft()
		})
	}
}
