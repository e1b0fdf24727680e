package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/gitsafe"
	"parley/internal/gittest"
	"parley/internal/must"
)

// A user who works in a worktree of their own merges into that one.
func TestMergeIntoTheUsersWorktree(t *testing.T) {
	r := newRig(t)
	own := filepath.Join(t.TempDir(), "feature")
	r.git(r.repo, "worktree", "add", "-q", "-b", "feature", own)
	if _, _, err := r.store.Create(t.Context(), own, "fix"); err != nil {
		t.Fatal(err)
	}
	tree, here, err := r.store.Find(t.Context(), own, "fix")
	if err != nil || !here {
		t.Fatalf("found %+v, here %v, %v", tree, here, err)
	}
	r.writeTo(tree.Path, "a.txt", "changed\n")
	if m, err := r.store.Merge(t.Context(), tree, "x"); err != nil || m.Into != "feature" {
		t.Errorf("merged: %+v, %v, want it in feature", m, err)
	}
	if got := r.read(own, "a.txt"); got != "changed\n" {
		t.Errorf("a.txt is %q, want %q", got, "changed\n")
	}
	if got := r.read(r.repo, "a.txt"); got == "changed\n" {
		t.Error("it was merged into the other worktree")
	}
}

// A worktree is found by any directory in it, and goes to the worktree that the user is in.
func TestAt(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	own := filepath.Join(t.TempDir(), "feature")
	r.git(r.repo, "worktree", "add", "-q", "-b", "feature", own)
	for from, main := range map[string]string{r.repo: r.repo, own: own, tree.Path: r.repo, t.TempDir(): r.repo} {
		got, err := r.store.At(t.Context(), filepath.Join(tree.Path, "sub"), from)
		if want := (Tree{"fix", tree.Path, main, nil}); err != nil || got != want {
			t.Errorf("from %s: %+v %v, want %+v", from, got, err, want)
		}
	}
	for _, dir := range []string{r.repo, own, r.store.dir, filepath.Dir(tree.Path), filepath.Join(r.store.dir, ".."), "/"} {
		if got, err := r.store.At(t.Context(), dir, r.repo); !errors.Is(err, ErrNotOurs) {
			t.Errorf("%s: %+v, %v, want %v", dir, got, err, ErrNotOurs)
		}
	}
}

// Of worktrees of one name, that of the repository one is in is found. It is merged where one is, or not.
func TestFind(t *testing.T) {
	r := newRig(t)
	other := t.TempDir()
	gittest.Init(t, other)
	tree := r.create("fix")
	second, _, err := r.store.Create(t.Context(), other, "fix")
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare.git")
	r.git(r.repo, "clone", "-q", "--bare", ".", bare)
	for _, test := range []struct {
		in, path string
		here     bool
	}{
		{r.repo, tree.Path, true}, {filepath.Join(r.repo, "sub"), tree.Path, true}, {other, second.Path, true},
		{filepath.Join(r.repo, ".git"), "", false}, {tree.Path, tree.Path, false}, {t.TempDir(), "", false}, {bare, "", false},
	} {
		got, here, err := r.store.Find(t.Context(), test.in, "fix")
		if got.Path != test.path || here != test.here || (err == nil) != (test.path != "") {
			t.Errorf("in %s: %+v, here %v, %v, want %s, here %v", test.in, got, here, err, test.path, test.here)
		}
		if err != nil && !strings.Contains(err.Error(), "several repositories have a worktree fix: run this in one of them") {
			t.Errorf("in %s: %v", test.in, err)
		}
	}
	must.Do(t, r.store.Remove(t.Context(), second.Tree))
	if got, here, err := r.store.Find(t.Context(), other, "fix"); err != nil || got.Path != tree.Path || here {
		t.Errorf("the only one: %+v, here %v, %v, want that of %s, elsewhere", got, here, err, r.repo)
	}
	for _, name := range []string{"none", "*", "../fix", ""} {
		if got, _, err := r.store.Find(t.Context(), r.repo, name); err == nil {
			t.Errorf("%q: %+v, want none", name, got)
		}
	}
}

// Relative directories are refused: git is not run in the directory that they are relative to.
func TestRelative(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	t.Chdir(r.repo)
	_, _, createErr := r.store.Create(t.Context(), ".", "x")
	_, atErr := r.store.At(t.Context(), "sub", ".")
	_, findErr := gitsafe.Find(t.Context(), r.store.git, ".")
	_, openErr := Open("worktrees")
	for what, err := range map[string]error{"create": createErr, "at": atErr, "find": findErr, "open": openErr} {
		if err == nil || errors.Is(err, ErrNoRepository) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want that the path is not absolute", what, err)
		}
	}
	if got, here, err := r.store.Find(t.Context(), ".", "fix"); err != nil || here || got.Path != tree.Path {
		t.Errorf("found %+v, here %v, %v, want it elsewhere", got, here, err)
	}
}

// A worktree whose repository is gone is listed and removed, and does nothing else. One whose repository
// was moved works again after git has repaired it.
func TestBroken(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	moved := filepath.Join(t.TempDir(), "moved")
	must.Do(t, os.Rename(r.repo, moved))
	broken := func() Tree {
		t.Helper()
		all, err := r.store.List(t.Context())
		if err != nil || len(all) != 1 || all[0].Path != tree.Path || all[0].Broken == nil || strings.Contains(all[0].Broken.Error(), "\n") {
			t.Fatalf("list: %+v, %v, want fix, broken", all, err)
		}
		return all[0]
	}
	gone := broken()
	_, stateErr := r.store.State(t.Context(), gone)
	_, diffErr := r.store.Diff(t.Context(), gone)
	_, previewErr := r.store.Preview(t.Context(), gone)
	_, mergeErr := r.store.Merge(t.Context(), gone, "x")
	for what, err := range map[string]error{"state": stateErr, "diff": diffErr, "preview": previewErr, "merge": mergeErr} {
		if !errors.Is(err, gone.Broken) {
			t.Errorf("%s: got %v, want %v", what, err, gone.Broken)
		}
	}
	r.git(moved, "worktree", "repair", tree.Path)
	if got, here, err := r.store.Find(t.Context(), moved, "fix"); err != nil || !here || got.Broken != nil || got.Main != moved {
		t.Errorf("repaired: %+v, here %v, %v, want one of %s", got, here, err, moved)
	}
	must.Do(t, os.Remove(filepath.Join(tree.Path, ".git")))
	must.Do(t, r.store.Remove(t.Context(), broken()))
	if _, err := os.Stat(r.store.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the store is still there: %v", err)
	}
}

// What cannot be made leaves no branch and no directory.
func TestCreateLeavesNothing(t *testing.T) {
	r := newRig(t)
	blob := r.git(r.repo, "rev-parse", "HEAD:a.txt")
	must.Do(t, os.Remove(filepath.Join(r.repo, ".git", "objects", blob[:2], blob[2:])))
	if _, _, err := r.store.Create(t.Context(), r.repo, "x"); err == nil || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("without a file's content: got %v, want an error that names it", err)
	}
	if branches := r.git(r.repo, "branch", "--list", "parley/*"); branches != "" {
		t.Errorf("left the branch %s", branches)
	}
	if _, err := os.Stat(r.store.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left the store: %v", err)
	}
	// What was there before stays.
	r.git(r.repo, "branch", "parley/x")
	if _, _, err := r.store.Create(t.Context(), r.repo, "x"); !errors.Is(err, ErrBranchExists) {
		t.Errorf("got %v, want %v", err, ErrBranchExists)
	}
	if branches := r.git(r.repo, "branch", "--list", "parley/*"); branches != "parley/x" {
		t.Errorf("branches %q, want parley/x", branches)
	}
}

// A repository that was made inside a worktree would be lost with it: it is not merged.
func TestMergeNested(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	app := filepath.Join(tree.Path, "app")
	r.writeTo(app, "main.go", "package main\n")
	gittest.Init(t, app)
	before := r.git(r.repo, "for-each-ref")
	for _, committed := range []bool{false, true} {
		if committed {
			r.commit(tree.Path, "with a repository")
			before = r.git(r.repo, "for-each-ref")
		}
		if _, err := r.store.Merge(t.Context(), tree, "x"); !errors.Is(err, ErrNested) || !strings.HasSuffix(err.Error(), ": app") {
			t.Errorf("committed %v: got %v, want %v: app", committed, err, ErrNested)
		}
		if after := r.git(r.repo, "for-each-ref"); after != before {
			t.Errorf("committed %v: the branches were\n%s\nand are\n%s", committed, before, after)
		}
	}
}

// A submodule is refused without advice that would break it, and so is the inside of .git.
func TestCreateElsewhere(t *testing.T) {
	r := newRig(t)
	super := t.TempDir()
	gittest.Init(t, super)
	r.git(super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", r.repo, "module")
	for dir, want := range map[string]error{filepath.Join(super, "module"): ErrElsewhere, filepath.Join(super, ".git"): ErrNoFiles} {
		if _, _, err := r.store.Create(context.Background(), dir, "x"); !errors.Is(err, want) || strings.Contains(err.Error(), "unset") {
			t.Errorf("in %s: got %v, want %v", dir, err, want)
		}
	}
	if _, _, err := r.store.Create(t.Context(), super, "x"); err != nil {
		t.Errorf("in a repository with a submodule: %v", err)
	}
}
