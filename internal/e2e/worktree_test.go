//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A second agent works in a work tree beside the first one, whose files stay as they are. At the
// end the user merges what it did.
func TestAgentInWorktree(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.org"}, {"add", "-A"}, {"commit", "-qm", "first"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
	write(t, filepath.Join(dir, ".git", "info", "exclude"), ".parley\n")
	if err := os.Mkdir(filepath.Join(dir, ".parley"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".parley", "rules.toml"), "[[deny]]\npath = \"private.txt\"\n")
	s := StartEnv(t, 100, 40, dir, []string{"PATH=" + os.Getenv("PATH")}, "demo")
	s.WaitFor(placeholder, "⎇ main")
	s.Type("/worktree fix")
	s.Press("enter")
	s.WaitFor("/fix", "⎇ parley/fix")
	s.WaitIdle()
	s.Prompt("edit private.txt")
	s.WaitFor("Rejected by your rule: deny path private.txt") // the project's rules hold there, too
	s.WaitIdle()
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("y")
	s.WaitFor("That is all.")
	s.WaitIdle()
	if got := read(t, notes); got != "one\n" {
		t.Errorf("the file outside of the work tree holds %q", got)
	}
	s.Press("ctrl+d")
	s.WaitFor("Work tree fix: 1 uncommitted file, 0 commits to merge", "[k]eep, [m]erge, or [d]iscard?")
	s.Type("m")
	s.Press("enter")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	if got := read(t, notes); !strings.Contains(got, "demo agent was here") {
		t.Errorf("after the merge the file holds %q", got)
	}
}
