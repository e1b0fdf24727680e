//go:build unix

package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/cli"
	"parley/internal/gittest"
	"parley/internal/must"
	"parley/ui"
)

// subject returns the first line of the last commit message.
func (s *shell) subject(dir string) string {
	return strings.TrimSpace(gittest.Run(s.t, dir, "log", "-1", "--format=%s"))
}

// leftNone expects that no worktree and no branch of parley's is left.
func (s *shell) leftNone() {
	s.t.Helper()
	if branches := gittest.Run(s.t, s.dir, "branch", "--list", "parley/*"); branches != "" {
		s.t.Errorf("branches %s, want none of parley's", branches)
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("PARLEY_STATE"), "worktrees")); err == nil {
		s.t.Error("the store is still there")
	}
}

// A run in a worktree leaves the user's files alone, and says on stderr what it left.
func TestRunInWorktree(t *testing.T) {
	s := newRepository(t)
	write(t, "mine.txt", "not committed\n")
	const prompt = "edit notes.txt, and tell everybody about all of it in so many words that they do not fit"
	r := s.run("", "run", "--worktree=fix", "--approve-all", "--agent", "demo", prompt)
	if r.code != 0 || !strings.Contains(r.out, "has one more line now") || strings.Contains(r.out, "orktree") {
		t.Errorf("%+v, want the answer alone on stdout", r)
	}
	for _, want := range []string{"parley: This worktree has the last commit: 1 uncommitted file is not in it\n", "Worktree fix: 1 uncommitted file, 0 commits to merge\n", "Kept. `parley worktrees merge fix` merges it"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, r.stderr)
		}
	}
	if got := s.read("notes.txt"); got != "one\n" {
		t.Errorf("the user's file is %q, want one line", got)
	}
	if r := s.run("", "worktrees", "merge", "fix"); r.code != 0 || r.out != "Merged fix into main (fast-forward): edit notes.txt, and tell everybody about all of it in so many words tha…\n" {
		t.Errorf("merged: %+v, want it with the beginning of the prompt", r)
	}
	if got, want := s.subject(s.dir), "edit notes.txt, and tell everybody about all of it in so many words tha…"; got != want {
		t.Errorf("the commit is %q, want %q", got, want)
	}
	s.leftNone()
	// Another of that name has another prompt.
	if r := s.run("", "run", "--worktree=fix", "--approve-all", "--agent", "demo", "edit notes.txt again"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if r := s.run("", "worktrees", "merge", "fix"); r.code != 0 || s.subject(s.dir) != "edit notes.txt again" {
		t.Errorf("merged: %+v, the commit is %q", r, s.subject(s.dir))
	}
}

// What a run makes and leaves empty is removed, also if the run fails.
func TestRunInWorktreeLeavesNothing(t *testing.T) {
	s := newRepository(t)
	for code, args := range map[int][]string{
		0: {"run", "--worktree", "--agent", "demo", "hello"},
		1: {"run", "--worktree=fix", "hello", "--", "/does/not/exist"},
		2: {"run", "--worktree=a/b", "--agent", "demo", "hello"},
		3: {"run", "--worktree", "--timeout", "1ns", "--agent", "demo", "hello"},
		4: {"run", "--worktree", "--session", "none", "--agent", "demo", "hello"},
	} {
		if r := s.run("", args...); r.code != code || strings.Contains(r.stderr, "orktree") != (code == 2) {
			t.Errorf("%q: %+v, want code %d", args, r, code)
		}
		s.leftNone()
	}
	t.Chdir(t.TempDir())
	s.usage([]string{"run", "--worktree", "--agent", "demo", "hello"}, "--worktree: not a git repository: ")
	s.usage([]string{"--linear", "--worktree", "demo"}, "--worktree: not a git repository: ")
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
	must.Do(t, os.Mkdir(sub, 0o700))
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
	t.Chdir(other)
	editor := filepath.Join(t.TempDir(), "editor")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\necho \"$(/bin/cat \"$1\"), edited\" >\"$1\"\n"), 0o700))
	t.Setenv("EDITOR", editor)
	if r := s.run("", "worktrees", "merge", "--edit", "demo-2"); r.code != 0 || s.subject(other) != "edit notes.txt, edited" {
		t.Errorf("edited: %+v, the commit is %q", r, s.subject(other))
	}
}

// A merge that would conflict says so before the message is edited.
func TestMergeConflictOpensNoEditor(t *testing.T) {
	s := newRepository(t)
	if r := s.run("", "run", "--worktree=fix", "--approve-all", "--agent", "demo", "edit notes.txt"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	write(t, "notes.txt", "mine\n")
	gittest.Run(t, s.dir, "commit", "-qam", "mine")
	editor, opened := filepath.Join(t.TempDir(), "editor"), filepath.Join(t.TempDir(), "opened")
	must.Do(t, os.WriteFile(editor, []byte("#!/bin/sh\n: >"+opened+"\n"), 0o700))
	t.Setenv("EDITOR", editor)
	if r := s.run("", "worktrees", "merge", "--edit", "fix"); r.code != 1 || r.stderr != "parley: merge fix: the merge would conflict in notes.txt\n" {
		t.Errorf("%+v, want the conflict", r)
	}
	if _, err := os.Stat(opened); err == nil {
		t.Error("the editor was opened")
	}
}

// /merge and `parley worktrees merge` leave the same, whether the worktree is kept or removed.
func TestMergesAreAlike(t *testing.T) {
	for _, keep := range []bool{true, false} {
		var left []string
		for _, command := range []bool{true, false} {
			s := newRepository(t)
			all := &trees{from: s.dir}
			tree := must.Get(all.Enter(t.Context(), "fix"))(t)
			write(t, filepath.Join(tree.Dir, "notes.txt"), "one\ntwo\n")
			switch {
			case command && keep:
				s.run("", "worktrees", "merge", "--keep", "fix")
			case command:
				s.run("", "worktrees", "merge", "fix")
			default:
				must.Get(all.Merge(t.Context(), tree.Dir, must.Get(all.Unmerged(t.Context(), tree.Dir, ""))(t)))(t)
				if !keep {
					must.Do(t, all.Discard(t.Context(), tree.Dir, must.Get(all.Unmerged(t.Context(), tree.Dir, ""))(t)))
				}
			}
			list := s.run("", "worktrees").out
			name, _, _ := strings.Cut(strings.TrimPrefix(list, "NAME"), "/") // without directories
			left = append(left, strings.Join([]string{s.read("notes.txt"), name, s.read(filepath.Join(tree.Dir, "notes.txt"))[:4],
				gittest.Run(t, s.dir, "log", "--all", "--format=%s %D"), gittest.Run(t, s.dir, "status", "--porcelain")}, "\n"))
		}
		if left[0] != left[1] || !strings.HasPrefix(left[0], "one\ntwo\n") || strings.Contains(left[0], "parley/fix") != keep {
			t.Errorf("kept %v: the command leaves\n%s\nand the chat\n%s", keep, left[0], left[1])
		}
	}
}

// A worktree whose repository is gone is listed and removed, after it was confirmed.
func TestWorktreeOfGoneRepository(t *testing.T) {
	s := newRepository(t)
	repo := filepath.Join(s.dir, "repo")
	gittest.Write(t, repo, "notes.txt", "one\n")
	gittest.Init(t, repo)
	if r := s.run("", "run", "--cwd", repo, "--worktree=fix", "--approve-all", "--agent", "demo", "edit notes.txt"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	must.Do(t, os.RemoveAll(repo))
	if r := s.run("", "worktrees"); r.code != 0 || !strings.Contains(r.out, "\nfix   (gone)  ") {
		t.Errorf("listed: %+v, want that it is gone", r)
	}
	for _, what := range []string{"diff", "merge"} {
		if r := s.run("", "worktrees", what, "fix"); r.code != 1 || !strings.Contains(r.stderr, " fix: its repository is gone: ") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: %+v, want why not, in one line", what, r)
		}
	}
	if r := s.run("y\n", "worktrees", "remove", "fix"); r.code != 0 || !strings.Contains(r.out, "git worktree repair") || !strings.HasSuffix(r.out, "Kept\n") {
		t.Errorf("not confirmed: %+v, want it kept", r)
	}
	if r := s.run("fix\n", "worktrees", "remove", "fix"); r.code != 0 || !strings.HasSuffix(r.out, "Removed fix\n") {
		t.Errorf("removed: %+v", r)
	}
	s.leftNone()
}

// A bug in parley before the screen is there ends in one line and a report, and leaves nothing.
func TestPanicAtTheStart(t *testing.T) {
	s := newRepository(t)
	var out, stderr bytes.Buffer
	adjust := func(*ui.Options) { panic("a mistake on purpose\x1b[31m") }
	code := ExecuteWith(t.Context(), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr}, []string{"--linear", "--worktree", "demo"}, adjust)
	said := out.String() + stderr.String()
	if code != 1 || !strings.Contains(said, "parley: a bug in parley ended it: a mistake on purpose") || !strings.Contains(said, "crash report: ") || strings.ContainsAny(said, "\x1b") || strings.Contains(said, "goroutine ") {
		t.Errorf("code %d:\n%s", code, said)
	}
	s.leftNone()
}
