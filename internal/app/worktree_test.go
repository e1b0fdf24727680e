//go:build unix

package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/gittest"
)

// subject returns the first line of the last commit message.
func (s *shell) subject(dir string) string {
	return strings.TrimSpace(gittest.Run(s.t, dir, "log", "-1", "--format=%s"))
}

// A merge goes to where one is: among worktrees of the same name to that of the repository, and to the
// branch that is checked out there.
func TestMergeWhereOneIs(t *testing.T) {
	s := newRepository(t)
	other, feature := t.TempDir(), filepath.Join(t.TempDir(), "feature")
	gittest.Write(t, other, "notes.txt", "other\n")
	gittest.Init(t, other)
	gittest.Run(t, s.dir, "worktree", "add", "-q", "-b", "feature", feature)
	for _, dir := range []string{s.dir, other} {
		t.Chdir(dir)
		s.compare(0, "--agent", "demo", "--agent", "demo", "--approve-all", "edit notes.txt")
	}
	sub := filepath.Join(feature, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(sub)
	if r := s.run("", "worktrees", "diff", "demo-1"); r.code != 0 || !strings.Contains(r.out, " one\n+demo agent was here") {
		t.Errorf("diff: %+v, want that of this repository", r)
	}
	if r := s.run("", "worktrees", "merge", "-m", "my message", "demo-1"); r.code != 0 || r.out != "Merged demo-1 into feature (fast-forward): my message\n" {
		t.Errorf("merged: %+v, want it in feature", r)
	}
	if got := s.read(filepath.Join(feature, "notes.txt")); !strings.Contains(got, "demo agent was here") || s.subject(feature) != "my message" {
		t.Errorf("notes.txt of feature is %q in %q", got, s.subject(feature))
	}
	for _, dir := range []string{s.dir, other} {
		if text := s.read(filepath.Join(dir, "notes.txt")); strings.Contains(text, "demo") {
			t.Errorf("%s has %q", dir, text)
		}
	}
	t.Chdir(s.dir) // the only one of that name is the other repository's
	if r := s.run("", "worktrees", "merge", "demo-1"); r.code != 1 || !strings.Contains(r.stderr, "parley: demo-1 belongs to "+other+": run this there, on the branch to merge into\n") {
		t.Errorf("elsewhere: %+v, want where to run it", r)
	}
	if r := s.run("demo-2\n", "worktrees", "remove", "demo-2"); r.code != 0 || !strings.HasSuffix(r.out, "Removed demo-2\n") {
		t.Errorf("removed: %+v", r)
	}
}
