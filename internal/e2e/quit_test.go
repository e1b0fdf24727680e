//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestQuitKeys(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		quit func(s *Screen)
	}{
		{"ctrl+d", func(s *Screen) {
			s.Type("draft")
			s.WaitDraft("draft")
			s.Press("home", "ctrl+d") // deletes forward while there is text after the cursor
			s.WaitDraft("raft")
			s.Press("ctrl+c") // clears the draft
			s.WaitDraft("")
			s.Press("ctrl+d")
		}},
		{"/quit", func(s *Screen) { s.Prompt("/quit") }},
		{"during a turn", func(s *Screen) {
			s.Prompt("trickle")
			s.WaitParagraph(2)
			s.Press("ctrl+d")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 80, 24, workDir(t), scripted(t)...)
			s.WaitFor(placeholder)
			test.quit(s)
			if code := s.ExitCode(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// A signal ends parley, what it started, and what that started.
func TestSignalEndsEverything(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		busy func(s *Screen)
		sig  syscall.Signal
	}{
		{"idle", []string{"demo"}, func(*Screen) {}, syscall.SIGTERM},
		{"agent with stubborn children", scripted(t), func(s *Screen) {
			s.Prompt("child")
			s.WaitFor("started a child")
		}, syscall.SIGTERM},
		{"command in a terminal", []string{"demo"}, func(s *Screen) {
			s.Prompt("run echo started; sleep 602")
			s.WaitFor(armed)
			s.Press("y")
			s.WaitFunc("output", func(rows []string) bool { return has(rows, "     started") })
		}, syscall.SIGTERM},
		{"two sessions", []string{"demo"}, func(s *Screen) {
			s.Turn("first things")
			s.Press("ctrl+s")
			s.WaitFor("╭ Sessions")
			s.Press("ctrl+n")
			s.WaitGone("first things")
			s.Turn("second things")
		}, syscall.SIGHUP},
		{"hang-up", []string{"demo"}, func(*Screen) {}, syscall.SIGHUP},
		{"while it starts", []string{"--", "sh", "-c", "sleep 603"}, nil, syscall.SIGTERM},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			s := StartEnv(t, 80, 24, workDir(t), []string{"PARLEY_STATE=" + state}, test.args...)
			if test.busy == nil {
				s.WaitFor("Starting sh")
			} else {
				s.WaitFor(placeholder)
				test.busy(s)
			}
			for deadline := time.Now().Add(patience); len(processesOf(s.root)) == 1; time.Sleep(10 * time.Millisecond) { // the screen appears before the agent has started
				if time.Now().After(deadline) {
					t.Fatalf("no agent to be found among %v", processesOf(s.root))
				}
			}
			at := time.Now()
			s.Kill(test.sig)
			code := s.ExitCode()
			t.Logf("ended with code %d after %v", code, time.Since(at).Round(time.Millisecond))
			s.noneLeft()
			if left, err := os.ReadDir(filepath.Join(state, "undo")); len(left) > 0 {
				t.Errorf("copies for undo are left: %v, %v", left, err)
			}
		})
	}
}

// A second signal during shutdown does not cut it short: processes that ignore the first requests
// to exit are still killed.
func TestSignalWhileEnding(t *testing.T) {
	t.Parallel()
	s := Start(t, 80, 24, workDir(t), scripted(t)...)
	s.WaitFor(placeholder)
	s.Prompt("child")
	s.WaitFor("started a child")
	s.Press("ctrl+d")
	s.WaitFor("Ending ")
	s.Kill(syscall.SIGTERM)
	s.ExitCode()
	s.noneLeft()
}

// After the window is closed there is no terminal left to restore.
func TestTerminalGone(t *testing.T) {
	t.Parallel()
	s := Start(t, 80, 24, workDir(t), "demo")
	s.WaitFor(placeholder)
	s.hangUp()
	s.ExitCode()
	s.noneLeft()
}
