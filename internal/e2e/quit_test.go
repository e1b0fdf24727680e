//go:build unix

package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// ctrl+c pressed twice ends parley and everything it started, although the agent ignores all requests
// to end, and says before what that ends.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	const ignore, wait = "trap '' TERM HUP INT", "while :; do sleep 600; done"
	turn := func(more string) []string { return faulty(ignore+"; (sleep 604 &) ; "+more, "", wait) }
	silent := []string{"--", "sh", "-c", "echo thinking about it >&2; " + ignore + "; " + wait}
	for _, test := range []struct {
		name  string
		args  []string
		begin func(s *Screen)
		first string // what the first says
	}{
		{"idle", turn(""), func(s *Screen) { s.WaitFor(placeholder) }, "ctrl+c again to quit"},
		{"during a turn", turn(""), prompted, "ctrl+c again to quit · ends the turn"},
		{"not reading", turn(wait), prompted, "ctrl+c again to quit · ends the turn"},
		{"inline", append([]string{"--inline"}, turn("")...), prompted, "ctrl+c again to quit · ends the turn"},
		{"while it starts", silent, func(s *Screen) {
			s.WaitFor("thinking about it")
			s.Type("draft")
			s.WaitDraft("draft")
		}, "esc cancel"},
		{"lines", append([]string{"--linear"}, turn("")...), func(s *Screen) {
			s.WaitFor("You:")
			s.Type("go on\r\r") // the second shows the status
			s.WaitFor("/stop stops it.")
		}, "Press ctrl+c again to quit; the turn is still running."},
		{"lines while it starts", append([]string{"--linear"}, silent...), func(s *Screen) { s.WaitFor("Starting sh") }, "Press ctrl+c again to quit."},
		{"run", append([]string{"run", "go on"}, turn("")...), func(s *Screen) { s.WaitFor("first words") }, "stopping; ctrl+c again ends it at once"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := Start(t, 80, 24, workDir(t), test.args...)
			test.begin(s)
			s.Press("ctrl+c")
			s.WaitFor(test.first)
			at := time.Now()
			s.Press("ctrl+c")
			s.ExitCode()
			t.Logf("ended after %v", time.Since(at).Round(time.Millisecond))
			s.noneLeft()
		})
	}
}

func prompted(s *Screen) {
	s.WaitFor(placeholder)
	s.Prompt("go on")
	s.WaitFor("first words")
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
			s.WaitFunc("output", func(rows []string) bool { return slices.Contains(rows, "    started") })
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
			s.poll("an agent", func() bool { return len(processesOf(s.root)) != 1 }) // the screen appears before it has started
			at := time.Now()
			s.Kill(test.sig)
			code := s.ExitCode()
			t.Logf("ended with code %d after %v", code, time.Since(at).Round(time.Millisecond))
			s.noneLeft()
			// What outlives a session is kept by its name; in these there is nothing but why nothing is recorded.
			left, err := os.ReadDir(filepath.Join(state, "undo"))
			if i := slices.IndexFunc(left, func(e fs.DirEntry) bool { return !strings.HasPrefix(e.Name(), "kept-") }); i >= 0 {
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
