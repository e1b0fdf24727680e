//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
	"parley/ui/layer"
)

// repository returns a git repository with one commit of notes.txt.
func repository(t *testing.T) string {
	t.Helper()
	dir := workDir(t)
	write(t, filepath.Join(dir, "notes.txt"), "one\n")
	gittest.Init(t, dir)
	return dir
}

// A second agent works in a worktree beside the first one, whose files stay as they are. At the
// end the user merges what it did.
func TestAgentInWorktree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	notes := filepath.Join(dir, "notes.txt")
	gittest.Write(t, dir, ".git/info/exclude", ".parley\n")
	must.Do(t, os.Mkdir(filepath.Join(dir, ".parley"), 0o700))
	write(t, filepath.Join(dir, ".parley", "rules.toml"), "[[deny]]\npath = \"private.txt\"\n")
	s := StartEnv(t, 100, 40, dir, []string{"PATH=" + os.Getenv("PATH")}, "demo")
	s.WaitFor(placeholder, "⎇ main")
	s.Type("/worktree fix")
	s.Press("enter")
	s.WaitFor("/fix", "⎇ parley/fix")
	s.WaitIdle()
	s.Prompt("edit private.txt")
	s.WaitFor("ejected by your rule: deny path private.txt") // the project's rules hold there, too
	s.WaitIdle()
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("y")
	s.WaitFor("That is all.")
	s.WaitIdle()
	if got := read(t, notes); got != "one\n" {
		t.Errorf("the file outside of the worktree holds %q", got)
	}
	s.Press("ctrl+d")
	s.WaitFor("What about the worktree fix?", "› Keep", "into main, then removes the worktree", "loses 1 file not committed  ", "Message: edit private.txt", "notes.txt")
	for range 4 {
		s.Press("down")
	}
	s.WaitFor("› Message: edit private.txt")
	s.pressEvery(2*layer.Quiet, "enter", "enter save")
	s.Press("ctrl+u")
	s.Type("Say hello in the notes\r")
	s.WaitFor("› Message: Say hello in the notes")
	for range 3 {
		s.Press("up")
	}
	s.WaitFor("› Merge and remove")
	s.pressEvery(2*layer.Quiet, "enter", "Merged fix into main")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	if got := read(t, notes); !strings.Contains(got, "demo agent was here") {
		t.Errorf("after the merge the file holds %q", got)
	}
	if got := gittest.Run(t, dir, "log", "-1", "--format=%s"); got != "Say hello in the notes\n" {
		t.Errorf("the commit is %q", got)
	}
}

// What an agent did in its worktree is merged from inside the chat, and what it does then is discarded.
// The worktree is gone without a question at the end.
func TestMergeInTheChat(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	notes := filepath.Join(dir, "notes.txt")
	s := StartEnv(t, 100, 40, dir, []string{"PATH=" + os.Getenv("PATH")}, "demo")
	s.WaitFor(placeholder, "⎇ main")
	s.Type("/merge\r")
	s.WaitFor("Not merged: this session is not in a worktree; /worktree starts one")
	s.Type("/worktree fix\r")
	s.WaitFor("/fix", "⎇ parley/fix")
	s.WaitIdle()
	s.Type("/merge\r")
	s.WaitFor("Not merged: main has all of fix")
	edits := func() {
		s.Prompt("edit notes.txt")
		s.WaitFor(armed)
		s.Press("y")
		s.WaitFor("That is all.")
		s.WaitIdle()
	}
	edits()
	s.Type("/merge\r")
	s.WaitFor("Merge fix into main?", "Merge 1 file, +1 −0", "commits 1 file first", "Message: edit notes.txt", "enter edit")
	s.pressEvery(2*layer.Quiet, "enter", "Merged into main")
	s.WaitFor("· Merged fix into main (fast-forward): 1 file, +1 −0")
	if got := strings.Count(read(t, notes), "demo agent was here"); got != 1 {
		t.Errorf("after the merge the file holds %q", read(t, notes))
	}
	if got := gittest.Run(t, dir, "log", "-1", "--format=%s"); got != "edit notes.txt\n" {
		t.Errorf("the commit is %q", got)
	}
	edits() // the worktree stays after a merge
	s.Type("/discard\r")
	s.WaitFor("Discard fix?", "› Keep it", "Lost: 1 file, not committed")
	s.Press("down")
	s.pressEvery(2*layer.Quiet, "enter", "Discarded fix")
	s.WaitFor("⎇ main")
	if got := strings.Count(read(t, notes), "demo agent was here"); got != 1 {
		t.Errorf("after the discard the file holds %q", read(t, notes))
	}
	if left := gittest.Run(t, dir, "branch", "--list", "parley/*"); left != "" {
		t.Errorf("left %s", left)
	}
	s.Press("ctrl+d")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
}

// A signal ends the question at the end of the chat, and the worktree is kept.
func TestSignalAtTheQuestionAboutAWorktree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	s := StartEnv(t, 100, 40, dir, []string{"PATH=" + os.Getenv("PATH")}, "--worktree=fix", "demo")
	s.WaitFor(placeholder)
	s.Prompt("edit notes.txt")
	s.WaitFor(armed)
	s.Press("y")
	s.WaitFor("That is all.")
	s.WaitIdle()
	s.Press("ctrl+d")
	s.WaitFor("What about the worktree fix?", "esc keep")
	s.Kill(syscall.SIGTERM)
	s.WaitFor("Kept.")
	if code := s.ExitCode(); code != 130 {
		t.Errorf("got exit code %d, want 130", code)
	}
	if branches := gittest.Run(t, dir, "branch", "--list", "parley/fix"); branches == "" {
		t.Error("the branch is gone")
	}
}

// The command that resumes a session is printed after the question about its worktree, and only if
// that is still there.
func TestResumeInAWorktree(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	start := func() *Screen {
		s := StartEnv(t, 100, 40, dir, []string{keptVar + "=[]", "PATH=" + os.Getenv("PATH")}, append([]string{"--worktree=fix"}, scripted(t)...)...)
		s.WaitFor(placeholder, "⎇ parley/fix")
		s.Turn("hello")
		return s
	}
	s := start()
	s.Press("ctrl+d")
	s.ExitCode()
	if rows := s.Rows(); rowOf(rows, "Resume:") >= 0 || rowOf(rows, "Worktree fix") >= 0 {
		t.Errorf("the empty worktree is gone:\n%s", numbered(rows))
	}
	s = start()
	s.Type("!echo x >new.txt; echo do''ne\r")
	s.WaitFor("done")
	s.WaitIdle()
	s.Press("ctrl+d")
	s.WaitFor("What about the worktree fix?", "› Keep", "new.txt")
	s.Press("esc")
	rows := s.WaitFor("Kept.", "Resume:")
	s.ExitCode()
	if kept, resume := rowOf(rows, "Kept."), rowOf(rows, "Resume: parley --resume s1 --cwd /"); kept < 0 || resume < kept {
		t.Errorf("the worktree was kept:\n%s", numbered(rows))
	}
}

// `parley worktrees merge` asks at a terminal for the message, and whether to remove the worktree.
func TestMergeCommandAsks(t *testing.T) {
	t.Parallel()
	dir := repository(t)
	env := []string{"PARLEY_STATE=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	s := StartEnv(t, 100, 40, dir, env, "run", "--worktree=fix", "--approve-all", "--agent", "demo", "edit notes.txt")
	if code := s.ExitCode(); code != 0 {
		t.Fatalf("got exit code %d", code)
	}
	gittest.Write(t, dir, "notes.txt", "mine\n")
	gittest.Run(t, dir, "commit", "-qam", "mine")
	s = StartEnv(t, 100, 40, dir, env, "worktrees", "merge", "fix") // it asks nothing if it cannot merge
	rows := s.WaitFor("parley: merge fix: the merge would conflict in notes.txt")
	if code := s.ExitCode(); code != 1 || rowOf(rows, "Commit message") >= 0 {
		t.Errorf("got exit code %d:\n%s", code, numbered(rows))
	}
	gittest.Run(t, dir, "reset", "-q", "--hard", "HEAD~")
	s = StartEnv(t, 100, 40, dir, env, "worktrees", "merge", "fix")
	s.WaitFor(`Commit message (enter for "edit notes.txt"):`)
	s.Type("Say hello\r")
	s.WaitFor("Merged fix into main (fast-forward): Say hello", "Remove the worktree fix? [Y/n]")
	s.Type("n\r")
	if code := s.ExitCode(); code != 0 {
		t.Errorf("got exit code %d", code)
	}
	if got := gittest.Run(t, dir, "log", "-1", "--format=%s") + gittest.Run(t, dir, "branch", "--list", "parley/*"); !strings.HasPrefix(got, "Say hello\n") || !strings.Contains(got, "parley/fix") {
		t.Errorf("the commit and the branches are %q", got)
	}
}
