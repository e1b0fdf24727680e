//go:build unix

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository commits the files of a directory to a new git repository there.
func repository(t *testing.T, dir string) {
	t.Helper()
	for _, words := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Ada"}, {"config", "user.email", "ada@example.org"}, {"add", "-A"}, {"commit", "-qm", "first"},
	} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
}

// A second agent works in a work tree beside the first one, whose files stay as they are. At the
// end the user merges what it did.
func TestAgentInWorktree(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	notes := filepath.Join(dir, "notes.txt")
	write(t, notes, "one\n")
	repository(t, dir)
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

// Two agents get the same prompt, are answered beside each other, and leave the user's files as they
// are. At the end the user is asked about the work of each.
func TestCompareSideBySide(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "one\n")
	repository(t, dir)
	config := filepath.Join(filepath.Dir(dir), "two.toml")
	write(t, config, "[agents.second]\ncommand = '"+parley+"'\nargs = [\"agent\", \"demo\"]\n")
	s := StartEnv(t, 140, 40, dir, []string{"PATH=" + os.Getenv("PATH"), "PARLEY_CONFIG=" + config}, "demo")
	s.WaitFor(placeholder)
	s.Type("/compare edit notes.txt")
	s.Press("enter")
	s.WaitFor("Compare agents", "[x] demo")
	s.Type("second")
	s.WaitFor("› second")
	s.Press("enter")
	s.WaitFor("demo asks", "second asks", armed, "alt+w or a click to answer")
	s.Press("y")
	s.WaitFor("That is all.")
	s.Press("alt+w")
	s.WaitFor(armed)
	s.Press("y")
	s.WaitFor("All are done")
	s.Press("f5")
	reviews := func(n int) func([]string) bool {
		return func(rows []string) bool {
			text := strings.Join(rows, "\n")
			return strings.Count(text, "╭ Review: turn 1 · 1 file +1 −0") == n && strings.Count(text, "2 + demo agent was here") == n
		}
	}
	s.WaitFunc("the two reviews beside each other", reviews(2))
	if got := read(t, filepath.Join(dir, "notes.txt")); got != "one\n" {
		t.Errorf("the user's file holds %q", got)
	}
	s.Resize(90, 30)
	s.WaitFunc("one review, and two tabs", func(rows []string) bool {
		return reviews(1)(rows) && strings.Contains(rows[0], "demo") && strings.Contains(rows[0], "second")
	})
	s.Press("esc")
	s.WaitGone("╭ Review")
	s.WaitFor(placeholder)
	s.Press("ctrl+d")
	for _, tree := range []string{"demo-1", "second-1"} {
		s.WaitFor("Work tree "+tree+": 1 uncommitted file", "[d]iscard?")
		s.Type("k")
		s.Press("enter")
		s.WaitFor("parley worktrees merge " + tree)
	}
	if code := s.ExitCode(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
}
