//go:build unix

package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
)

// answered repeats an answer until it is accepted: a line that comes too early, or too soon after
// another, does not count.
func answered(s *Screen, answer, taken string) {
	s.t.Helper()
	const early, pause = "does not answer it", 700 * time.Millisecond
	for ; ; time.Sleep(pause) {
		_, mark := s.Raw(0)
		s.Type(answer + "\r")
		s.WaitFunc("the answer to be taken, or not", func([]string) bool {
			raw, _ := s.Raw(mark)
			return bytes.Contains(raw, []byte(taken)) || bytes.Contains(raw, []byte(early))
		})
		if raw, _ := s.Raw(mark); bytes.Contains(raw, []byte(taken)) {
			return
		}
	}
}

// The chat in lines writes nothing but lines.
func TestLines(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "one\n")
	s := StartEnv(t, 100, 40, dir, []string{"ACCESSIBLE=1"})
	s.WaitFor("Which agent?", "Answer 0 to ")
	s.Type("demo\r")
	s.WaitFor("Connected: demo", "You:")
	s.Type("edit notes.txt\r")
	s.WaitFor("Change of ", "Line 2, added:", "d. Details", "Answer 1 to 3:")
	answered(s, "1", "Allowed by you")
	s.WaitFor("Turn ended.")
	if got := read(t, filepath.Join(dir, "notes.txt")); !strings.Contains(got, "demo agent was here") {
		t.Errorf("the file holds %q", got)
	}
	s.Type("long\r")
	s.WaitFor("Section ")
	s.Press("ctrl+c")
	s.WaitFor("Press ctrl+c again to quit; the turn is still running.", "Turn ended: stopped.")
	if raw, _ := s.Raw(0); bytes.ContainsRune(raw, 0x1b) {
		t.Errorf("an escape was written: %q", raw)
	}
	s.Type("/queue\r") // another line in between
	s.WaitFor("No queued prompts.")
	s.Press("ctrl+c")
	s.WaitFor("Press ctrl+c again to quit.")
	s.Press("ctrl+c")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestLinesEndWithTheInput(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 30, workDir(t), "--linear", "demo")
	s.WaitFor("You:")
	s.Press("ctrl+d")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// An agent that ends before there is a session is reported once, with what it wrote.
func TestLinesAgentEndsEarly(t *testing.T) {
	t.Parallel()
	s := Start(t, 100, 30, workDir(t), append([]string{"--linear"}, dyingEarly...)...)
	s.WaitFor("sh did not start: open a session: the agent exited with code 7", "  no key", "Answer 0 to 3:")
	if raw, _ := s.Raw(0); bytes.Count(raw, []byte("exited with code 7")) != 1 {
		t.Errorf("said more than once:\n%s", raw)
	}
}

// linesLocked starts the chat in lines with an agent that requires a login.
func linesLocked(t *testing.T, dir string) *Screen {
	t.Helper()
	self := must.Get(os.Executable())(t)
	s := Start(t, 100, 30, dir, "--linear", "-p", "are you open?", "--", self, "locked")
	s.WaitFor("requires a login", "1. With a key, asks for 1 value", "2. Its own way, runs a command")
	return s
}

func TestLinesLoginWithAKey(t *testing.T) {
	t.Parallel()
	s := linesLocked(t, workDir(t))
	answered(s, "1", "Type "+lockKey)
	s.WaitFor("which is not shown")
	s.Type(lockSecret[:4])
	s.Press("ctrl+c") // discards the key and turns the echo on again
	s.WaitFunc("the ways to log in, again", func([]string) bool {
		raw, _ := s.Raw(0)
		return bytes.Count(raw, []byte("How do you want to log in to")) == 2
	})
	answered(s, "1", "Type "+lockKey)
	s.Type(lockSecret + "\r")
	s.WaitFor("open with the key", "Turn ended.")
	if raw, _ := s.Raw(0); bytes.Contains(raw, []byte(lockSecret[:4])) {
		t.Error("the terminal was sent the key")
	}
	s.WaitFunc("the prompt", func(rows []string) bool {
		return slices.ContainsFunc(rows, func(r string) bool { return strings.TrimSpace(r) == "You:" })
	})
	s.Type("/quit\r")
	s.WaitFor("You: /quit") // the echo is on again
	s.ExitCode()
	if raw, _ := s.Raw(0); !bytes.Contains(raw, []byte("/quit")) || bytes.Count(raw, []byte("Answer 0 to 4: 1\r\n")) < 2 {
		t.Error("what is typed later is not echoed")
	}
}
