package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
)

// repository makes a git repository with one commit, and changes to its directory.
func repository(t *testing.T) string {
	t.Helper()
	dir := gittest.Repository(t, map[string]string{"a.txt": "one\n"})
	t.Setenv("PARLEY_STATE", t.TempDir())
	t.Chdir(dir)
	return dir
}

// put writes a file, and the directories that it needs.
func put(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
}

// runWorktrees runs `parley worktrees` and returns what it printed.
func runWorktrees(t *testing.T, stdin string, words ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := NewWorktrees(Streams{In: strings.NewReader(stdin), Out: &out, Err: &out})
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	err := execute(t.Context(), cmd, words...)
	return out.String(), err
}

func enter(t *testing.T, name string) *Worktree {
	t.Helper()
	here := must.Get(os.Getwd())(t)
	w := must.Get(EnterWorktree(t.Context(), here, name))(t)
	if w.Inside != w.Path {
		t.Errorf("works in %s, want %s", w.Inside, w.Path)
	}
	return w
}

func TestWorktreeMerged(t *testing.T) {
	dir := repository(t)
	put(t, filepath.Join(dir, "mine.txt"), "the user's\n")
	w := enter(t, "fix")
	if !strings.Contains(w.Notice, "1 uncommitted file is not in it") {
		t.Errorf("notice %q, want one of 1 uncommitted file", w.Notice)
	}
	put(t, filepath.Join(w.Path, "a.txt"), "two\n")
	out, err := runWorktrees(t, "")
	if err != nil || !strings.Contains(out, "fix ") || !strings.Contains(out, dir) || !strings.Contains(out, " 1            0 ") {
		t.Errorf("%v, want fix of %s with 1 uncommitted file and 0 commits:\n%s", err, dir, out)
	}
	var left bytes.Buffer
	must.Do(t, w.Leave(t.Context(), Streams{In: strings.NewReader("d\n"), Out: &left}, nil))
	if !strings.Contains(left.String(), "1 uncommitted file, 0 commits to merge") || !strings.Contains(left.String(), "Kept.") {
		t.Errorf("without a terminal, want what is uncommitted, and that it was kept:\n%s", &left)
	}
	out, err = runWorktrees(t, "", "merge", "fix")
	if err != nil || out != "Merged fix into main (fast-forward): fix\n" {
		t.Errorf("%v, want a fast-forward of main:\n%s", err, out)
	}
	holds(t, filepath.Join(dir, "a.txt"), "two\n")
	if out, err := runWorktrees(t, ""); err != nil || !strings.HasPrefix(out, "No worktrees") {
		t.Errorf("%v, want no worktrees:\n%s", err, out)
	}
	holds(t, filepath.Join(dir, "mine.txt"), "the user's\n")
}

// Removing lists what would be lost, and requires the name of the worktree.
func TestWorktreeRemoved(t *testing.T) {
	repository(t)
	w := enter(t, "fix")
	put(t, filepath.Join(w.Path, "new.txt"), "text\n")
	for _, answer := range []string{"", "y\n", "other\n"} {
		out, err := runWorktrees(t, answer, "remove", "fix")
		if err != nil || !strings.Contains(out, "file   new.txt") || !strings.HasSuffix(out, "Kept\n") {
			t.Errorf("%q: %v, want new.txt listed and kept:\n%s", answer, err, out)
		}
		must.Get(os.Stat(filepath.Join(w.Path, "new.txt")))(t)
	}
	if out, err := runWorktrees(t, "fix\n", "remove", "fix"); err != nil || !strings.HasSuffix(out, "Removed fix\n") {
		t.Errorf("%v, want fix removed:\n%s", err, out)
	}
	if _, err := os.Stat(w.Path); !os.IsNotExist(err) {
		t.Errorf("the worktree is still there: %v", err)
	}
	if _, err := runWorktrees(t, "", "remove", "fix"); err == nil || err.Error() != "no worktree fix; `parley worktrees` lists them" {
		t.Errorf("removed once more: got %v, want that there is no such worktree", err)
	}
}

// Several are removed at once, and each is confirmed.
func TestWorktreesRemoved(t *testing.T) {
	repository(t)
	one, _, three := enter(t, "one"), enter(t, "two"), enter(t, "three")
	put(t, filepath.Join(one.Path, "new.txt"), "text\n")
	put(t, filepath.Join(three.Path, "new.txt"), "text\n")
	out, err := runWorktrees(t, "one\nno\n", "remove", "one", "two", "three")
	if err != nil || !strings.Contains(out, "Removed one\nRemoved two\n") || !strings.HasSuffix(out, "Kept\n") {
		t.Errorf("%v, want one and two removed, and three kept:\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(three.Path, "new.txt")); err != nil {
		t.Error(err)
	}
}

// The diff has new files, and git can apply it.
func TestWorktreeDiff(t *testing.T) {
	dir := repository(t)
	w := enter(t, "fix")
	put(t, filepath.Join(w.Path, "a.txt"), "two\n")
	put(t, filepath.Join(w.Path, "new.txt"), "\x1b[2Jtext\n")
	out, err := runWorktrees(t, "", "diff", "fix")
	if err != nil || !strings.Contains(out, "-one\n+two\n") {
		t.Errorf("%v, want one replaced by two:\n%s", err, out)
	}
	apply := gittest.Command(t, dir, "apply", "-")
	apply.Stdin = strings.NewReader(out)
	if said, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	holds(t, filepath.Join(dir, "new.txt"), "\x1b[2Jtext\n")
}

// The restrictions of the project hold in a worktree, also those that are not committed.
func TestWorktreeKeepsRules(t *testing.T) {
	dir := repository(t)
	t.Setenv("PARLEY_CONFIG", filepath.Join(t.TempDir(), "config.toml"))
	put(t, filepath.Join(dir, ".parley", "rules.toml"), "[[deny]]\npath = \"a.txt\"\n")
	for _, name := range []string{"made", "made"} { // and opened again
		w, err := EnterWorktree(t.Context(), dir, name)
		if err != nil {
			t.Fatal(err)
		}
		place := Directories{Cwd: w.Inside, Origin: dir}
		book, err := Rules(place, true)([]string{place.Cwd})
		if err != nil || len(book.Rules()) != 1 {
			t.Errorf("%v, %v: want the rule of the project", book, err)
		}
	}
}

// Without a name, one is generated. Outside a repository there is an error.
func TestWorktreeNamed(t *testing.T) {
	repository(t)
	w := enter(t, AutoWorktree)
	if w.Name == AutoWorktree || w.Name == "" {
		t.Errorf("named %q, want a generated name", w.Name)
	}
	if _, err := EnterWorktree(t.Context(), t.TempDir(), "x"); err == nil || !strings.Contains(err.Error(), "not a git repository") {
		t.Errorf("outside of a repository: %v, want an error that says so", err)
	}
}

// What was made for a chat and has nothing left is removed at its end, without a question. What was
// there before, or has something, stays.
func TestWorktreeLeftEmpty(t *testing.T) {
	repository(t)
	leave := func(w *Worktree, want string, stays bool) {
		t.Helper()
		var out bytes.Buffer
		if err := w.Leave(t.Context(), Streams{In: strings.NewReader(""), Out: &out}, nil); err != nil || !strings.HasPrefix(out.String(), want) || want == "" && out.Len() > 0 {
			t.Errorf("%s: %v, want output that begins with %q:\n%s", w.Name, err, want, &out)
		}
		if _, err := os.Stat(w.Path); (err == nil) != stays {
			t.Errorf("%s: %v, want that it stays: %v", w.Name, err, stays)
		}
	}
	leave(enter(t, "empty"), "", false)
	w := enter(t, "full")
	put(t, filepath.Join(w.Path, "a.txt"), "two\n")
	leave(w, "Worktree full: 1 uncommitted file", true)
	put(t, filepath.Join(w.Path, "a.txt"), "one\n")
	leave(enter(t, "full"), "", true) // of an earlier chat
}

// Another worktree begins with what the user has checked out, also from inside the first one.
func TestWorktreeFromAWorktree(t *testing.T) {
	dir := repository(t)
	own := filepath.Join(t.TempDir(), "feature")
	gittest.Run(t, dir, "worktree", "add", "-q", "-b", "feature", own)
	for _, name := range []string{"one", "two"} {
		if w, err := EnterWorktree(t.Context(), own, name); err != nil || w.Main != own {
			t.Errorf("%+v: %v, want one of %s", w, err, own)
		}
	}
}
