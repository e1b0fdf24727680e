package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/gittest"
	"parley/internal/must"
)

// rig is a repository with one commit, and a store.
type rig struct {
	*testing.T
	store *Store
	repo  string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	repo := gittest.Repository(t, map[string]string{"a.txt": "one\ntwo\nthree\n", "sub/b.txt": "b\n"})
	store := must.Get(Open(filepath.Join(t.TempDir(), "worktrees")))(t)
	return &rig{t, store, repo}
}

// git runs git as the user would.
func (r *rig) git(dir string, words ...string) string {
	r.Helper()
	return strings.TrimSpace(gittest.Run(r, dir, words...))
}

func (r *rig) commit(dir, message string) {
	r.Helper()
	r.git(dir, "add", "-A")
	r.git(dir, "commit", "-qm", message)
}

func (r *rig) writeTo(dir, name, text string) {
	r.Helper()
	gittest.Write(r, dir, name, text)
}

func (r *rig) write(name, text string) { r.Helper(); r.writeTo(r.repo, name, text) }

func (r *rig) read(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (r *rig) create(name string) Tree {
	r.Helper()
	t, _, err := r.store.Create(r.Context(), r.repo, name)
	if err != nil {
		r.Fatal(err)
	}
	return t.Tree
}

func TestCreate(t *testing.T) {
	r := newRig(t)
	r.write("a.txt", "the user's\n")
	r.write("new.txt", "the user's\n")
	made, uncommitted, err := r.store.Create(t.Context(), filepath.Join(r.repo, "sub"), "fix")
	if err != nil {
		t.Fatal(err)
	}
	tree := made.Tree
	if made.Inside != filepath.Join(tree.Path, "sub") || uncommitted != 2 || made.Existed {
		t.Errorf("made %+v with %d uncommitted, want it in sub, new, with 2", made, uncommitted)
	}
	if got := r.read(tree.Path, "a.txt"); got != "one\ntwo\nthree\n" {
		t.Errorf("a.txt is %q, want %q", got, "one\ntwo\nthree\n")
	}
	if got := r.git(tree.Path, "branch", "--show-current"); got != "parley/fix" {
		t.Errorf("on %s, want parley/fix", got)
	}
	if r.read(r.repo, "a.txt") != "the user's\n" || r.git(r.repo, "branch", "--show-current") != "main" {
		t.Error("the user's worktree changed")
	}
	// The same name opens it again.
	again, _, err := r.store.Create(t.Context(), r.repo, "fix")
	if err != nil || again != (Created{tree, tree.Path, true}) {
		t.Errorf("again: %+v, %v, want the same one", again, err)
	}
	// From inside, too.
	if other, _, err := r.store.Create(t.Context(), tree.Path, "other"); err != nil || other.Main != r.repo {
		t.Errorf("from inside: %+v, %v, want one of %s", other, err, r.repo)
	}
	all, err := r.store.List(t.Context())
	if err != nil || len(all) != 2 || all[0] != tree || all[1].Name != "other" {
		t.Errorf("list: %+v, %v, want fix and other", all, err)
	}
}

func TestCreateErrors(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"", "..", "a/b", "-x", "x.lock", "a..b", "a b", "ü"} {
		if _, _, err := r.store.Create(t.Context(), r.repo, name); err == nil || errors.Is(err, ErrNoRepository) {
			t.Errorf("%q: got %v, want that it is no name", name, err)
		}
	}
	if _, _, err := r.store.Create(t.Context(), t.TempDir(), "x"); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: got %v, want %v", err, ErrNoRepository)
	}
	empty := t.TempDir()
	r.git(empty, "init", "-q")
	if _, _, err := r.store.Create(t.Context(), empty, "x"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("no commit: got %v, want %v", err, ErrNoCommit)
	}
	tree := r.create("moved")
	r.git(tree.Path, "checkout", "-qb", "elsewhere")
	if _, _, err := r.store.Create(t.Context(), r.repo, "moved"); !errors.Is(err, ErrBranchMoved) {
		t.Errorf("moved: got %v, want %v", err, ErrBranchMoved)
	}
}

func TestMergeFastForward(t *testing.T) {
	r := newRig(t)
	tree := r.create("ff")
	r.writeTo(tree.Path, "a.txt", "changed\n")
	r.writeTo(tree.Path, "new.bin", "\x00\x01")
	os.Remove(filepath.Join(tree.Path, "sub/b.txt"))
	r.write("mine.txt", "the user's, not committed\n")
	st, err := r.store.State(t.Context(), tree)
	if err != nil || st.Total != 0 || !slices.Equal(st.Uncommitted, []string{"a.txt", "sub/b.txt", "new.bin"}) {
		t.Errorf("state %+v, %v, want 3 uncommitted files and no commit", st, err)
	}
	m, err := r.store.Merge(t.Context(), tree, "fix the lexer")
	if err != nil || !m.FastForward || m.Into != "main" {
		t.Fatalf("merged: %+v, %v, want a fast-forward of main", m, err)
	}
	if r.read(r.repo, "a.txt") != "changed\n" || r.read(r.repo, "mine.txt") != "the user's, not committed\n" || r.read(r.repo, "new.bin") != "\x00\x01" {
		t.Error("the merge is not in the worktree")
	}
	if _, err := os.Stat(filepath.Join(r.repo, "sub/b.txt")); err == nil {
		t.Error("the deletion was not merged")
	}
	if got := r.git(r.repo, "log", "-1", "--format=%s"); got != "fix the lexer" {
		t.Errorf("commit %q, want %q", got, "fix the lexer")
	}
	if st, err := r.store.State(t.Context(), tree); err != nil || !st.Empty() {
		t.Errorf("state %+v, %v, want nothing to merge", st, err)
	}
	if m, err := r.store.Merge(t.Context(), tree, "x"); err != nil || !m.Nothing {
		t.Errorf("merged again: %+v, %v, want nothing to merge", m, err)
	}
}

func TestMergeCommit(t *testing.T) {
	r := newRig(t)
	tree := r.create("both")
	r.writeTo(tree.Path, "sub/b.txt", "agent\n")
	r.commit(tree.Path, "agent's own commit")
	r.write("a.txt", "user\n")
	r.commit(r.repo, "user's commit")
	m, err := r.store.Merge(t.Context(), tree, "merge it")
	if err != nil || m.FastForward || m.Nothing {
		t.Fatalf("merged: %+v, %v, want a merge commit", m, err)
	}
	if r.read(r.repo, "a.txt") != "user\n" || r.read(r.repo, "sub/b.txt") != "agent\n" {
		t.Error("one side is missing")
	}
	if got := r.git(r.repo, "log", "-1", "--format=%s %P"); len(strings.Fields(got)) != 4 {
		t.Errorf("subject and parents %q, want two parents", got)
	}
}

// A merge that cannot be done leaves the user's worktree, index and branch exactly as they are, and
// commits nothing.
func TestMergeRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		prepare func(r *rig, tree Tree)
		want    func(err error) bool
	}{
		"conflict": {
			func(r *rig, tree Tree) { r.write("a.txt", "user\n"); r.commit(r.repo, "user") },
			func(err error) bool {
				var c *ConflictError
				return errors.As(err, &c) && slices.Equal(c.Files, []string{"a.txt"})
			},
		},
		"uncommitted, fast-forward": {
			func(r *rig, tree Tree) { r.write("a.txt", "user, not committed\n") },
			func(err error) bool {
				var o *OverwriteError
				return errors.As(err, &o) && slices.Equal(o.Files, []string{"a.txt"})
			},
		},
		"uncommitted, merge commit": {
			func(r *rig, tree Tree) {
				r.write("sub/b.txt", "user\n")
				r.commit(r.repo, "user")
				r.write("a.txt", "user, not committed\n")
			},
			func(err error) bool { var o *OverwriteError; return errors.As(err, &o) },
		},
		"untracked in the way": {
			func(r *rig, tree Tree) {
				r.writeTo(tree.Path, "new.txt", "agent\n")
				r.write("new.txt", "user\n")
			},
			func(err error) bool { var o *OverwriteError; return errors.As(err, &o) },
		},
		"detached": {
			func(r *rig, tree Tree) { r.git(r.repo, "checkout", "-q", "--detach") },
			func(err error) bool { return errors.Is(err, ErrNotOnBranch) },
		},
		"in mid-merge": {
			func(r *rig, tree Tree) {
				r.git(r.repo, "checkout", "-qb", "side")
				r.write("a.txt", "side\n")
				r.commit(r.repo, "side")
				r.git(r.repo, "checkout", "-q", "main")
				r.write("a.txt", "main\n")
				r.commit(r.repo, "main")
				gittest.Command(r, r.repo, "merge", "side").Run()
			},
			func(err error) bool { return errors.Is(err, ErrBusy) },
		},
		"a filter": {
			func(r *rig, tree Tree) {
				r.writeTo(tree.Path, ".gitattributes", "a.txt filter=evil\n")
				r.git(r.repo, "config", "filter.evil.smudge", "touch evil")
			},
			func(err error) bool { return errors.Is(err, ErrFiltered) && strings.HasPrefix(err.Error(), "a.txt: ") },
		},
		"a filter, committed": {
			func(r *rig, tree Tree) {
				r.writeTo(tree.Path, ".gitattributes", "a.txt filter=evil\n")
				r.commit(tree.Path, "agent")
				r.git(r.repo, "config", "filter.evil.smudge", "touch evil")
			},
			func(err error) bool { return errors.Is(err, ErrFiltered) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			tree := r.create("x")
			r.writeTo(tree.Path, "a.txt", "agent\n")
			tc.prepare(r, tree)
			look := func() string {
				out, _ := gittest.Command(r, r.repo, "status", "--porcelain=v2", "--branch").CombinedOutput()
				return string(out) + r.read(r.repo, "a.txt") + r.read(r.repo, "new.txt") + r.git(r.repo, "rev-parse", tree.Branch()) + r.read(tree.Path, "a.txt")
			}
			before := look()
			p, failed := r.store.Preview(t.Context(), tree)
			_, err := r.store.Merge(t.Context(), tree, "x")
			if overwrites := errors.As(err, new(*OverwriteError)); failed != nil || tc.want(p.Refused) == overwrites {
				t.Errorf("preview: refused for %v, %v, want the reason of the merge, except for what is overwritten", p.Refused, failed)
			}
			if err == nil || !tc.want(err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want that it is refused for this reason, in one line", err)
			}
			if after := look(); after != before {
				t.Errorf("changed:\n%s\nto\n%s", before, after)
			}
		})
	}
}

// Hooks of the repository do not run.
func TestNoHooks(t *testing.T) {
	r := newRig(t)
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "post-merge", "pre-merge-commit", "prepare-commit-msg"} {
		r.write(".git/hooks/"+hook, "#!/bin/sh\ntouch "+filepath.Join(r.repo, "hook-ran")+"\n")
		os.Chmod(filepath.Join(r.repo, ".git/hooks", hook), 0o755)
	}
	tree := r.create("x")
	r.writeTo(tree.Path, "a.txt", "agent\n")
	must.Get(r.store.Merge(t.Context(), tree, "x"))(t)
	if _, err := os.Stat(filepath.Join(r.repo, "hook-ran")); err == nil {
		t.Error("a hook ran")
	}
}

func TestRemove(t *testing.T) {
	r := newRig(t)
	tree := r.create("x")
	r.writeTo(tree.Path, "a.txt", "agent\n")
	r.commit(tree.Path, "only here")
	r.writeTo(tree.Path, "new.txt", "agent\n")
	st, err := r.store.State(t.Context(), tree)
	if err != nil || st.Total != 1 || !strings.HasSuffix(st.Commits[0], " only here") || !slices.Equal(st.Uncommitted, []string{"new.txt"}) {
		t.Errorf("state %+v, %v, want 1 commit and new.txt", st, err)
	}
	must.Do(t, r.store.Remove(t.Context(), tree))
	if _, err := os.Stat(tree.Path); err == nil {
		t.Error("the directory is still there")
	}
	if out := r.git(r.repo, "branch", "--list", "parley/*"); out != "" {
		t.Errorf("branches %s, want none of parley's", out)
	}
	if err := r.store.Remove(t.Context(), Tree{Name: "x", Path: r.repo, Main: r.repo}); err == nil {
		t.Error("removed a worktree of the user's")
	}
}

// An agent that sets core.worktree does not make git write elsewhere.
func TestFilesElsewhere(t *testing.T) {
	r := newRig(t)
	tree := r.create("x")
	r.writeTo(tree.Path, "a.txt", "agent\n")
	elsewhere := t.TempDir()
	r.git(r.repo, "config", "core.worktree", elsewhere)
	if _, _, err := r.store.Create(t.Context(), r.repo, "y"); !errors.Is(err, ErrNoFiles) {
		t.Errorf("create: got %v, want %v", err, ErrNoFiles)
	}
	if _, err := r.store.Merge(t.Context(), tree, "x"); !errors.Is(err, ErrBare) {
		t.Errorf("merge: got %v, want %v", err, ErrBare)
	}
	if files, err := os.ReadDir(elsewhere); err != nil || len(files) > 0 {
		t.Errorf("elsewhere are %v, %v, want no files", files, err)
	}
}

// A context that has ended stops everything with its cause.
func TestCancelled(t *testing.T) {
	r := newRig(t)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("stopped"))
	if _, _, err := r.store.Create(ctx, r.repo, "x"); err == nil {
		t.Error("a worktree was created, want an error")
	}
}

// Commits of the branch count even if something else is checked out: they would be lost with it.
func TestStateOfAnotherBranch(t *testing.T) {
	r := newRig(t)
	tree := r.create("x")
	r.writeTo(tree.Path, "a.txt", "agent\n")
	r.commit(tree.Path, "only on the branch")
	r.git(tree.Path, "checkout", "-q", "--detach", "main")
	if st, err := r.store.State(t.Context(), tree); err != nil || st.Total != 1 || !strings.HasSuffix(st.Commits[0], " only on the branch") {
		t.Errorf("state %+v, %v, want the commit of the branch", st, err)
	}
	r.writeTo(tree.Path, "sub/b.txt", "agent\n")
	r.commit(tree.Path, "on no branch")
	if st, err := r.store.State(t.Context(), tree); err != nil || st.Total != 2 {
		t.Errorf("state %+v, %v, want 2 commits", st, err)
	}
	r.git(tree.Path, "branch", "-qD", tree.Branch())
	if st, err := r.store.State(t.Context(), tree); err != nil || st.Total != 1 {
		t.Errorf("without the branch: state %+v, %v, want 1 commit", st, err)
	}
}
