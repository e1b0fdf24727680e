package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestDiff(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	if d, err := r.store.Diff(t.Context(), tree); err != nil || d != (Diff{}) {
		t.Errorf("nothing changed: %+v, %v, want an empty diff", d, err)
	}
	r.writeTo(tree.Path, "a.txt", "one\n2\nthree\n")
	r.commit(tree.Path, "agent's own commit")
	r.writeTo(tree.Path, "dir/new.txt", "x\ny\n")
	r.writeTo(tree.Path, "new.bin", "\x00\x01")
	r.writeTo(tree.Path, ".gitignore", "*.log\n")
	r.writeTo(tree.Path, "noise.log", "not this\n")
	os.Remove(filepath.Join(tree.Path, "sub/b.txt"))
	r.write("a.txt", "the user's\n")
	r.commit(r.repo, "user's commit")
	d := must.Get(r.store.Diff(t.Context(), tree))(t)
	if d.Files != 5 || d.Added != 4 || d.Removed != 2 || d.Truncated {
		t.Errorf("counts %+v, want 5 files, +4 −2", d)
	}
	for _, want := range []string{"--- a/a.txt", "\n-two\n+2\n", "+++ b/dir/new.txt", "\n+y\n", "--- a/sub/b.txt", "new.bin differ"} {
		if !strings.Contains(d.Patch, want) {
			t.Errorf("no %q in\n%s", want, d.Patch)
		}
	}
	for _, not := range []string{"noise", "the user's"} {
		if strings.Contains(d.Patch, not) {
			t.Errorf("want no %q in\n%s", not, d.Patch)
		}
	}
	if m, err := r.store.Merge(t.Context(), tree, "x"); !errors.As(err, new(*ConflictError)) {
		t.Errorf("merge after the diff: %+v, %v, want a conflict", m, err)
	}
}

// Nothing that an agent has put into the repository's configuration runs.
func TestDiffRunsNothing(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	mark := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"filter.x.clean", "filter.x.process", "diff.external", "diff.x.command", "diff.x.textconv", "core.pager", "core.fsmonitor", "alias.diff"} {
		r.git(r.repo, "config", key, "touch "+mark+" #")
	}
	r.writeTo(tree.Path, ".gitattributes", "* diff=x filter=x\n")
	r.writeTo(tree.Path, "a.txt", "changed\n")
	d, err := r.store.Diff(t.Context(), tree)
	if err != nil || d.Files != 2 || !strings.Contains(d.Patch, "+changed") {
		t.Errorf("diff %+v, %v, want 2 files and the changed line", d, err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a program of the repository ran")
	}
}

// An agent that removes .git does not make parley change the repository that the store is in.
func TestDiffOfATreeWithoutGit(t *testing.T) {
	r := newRig(t)
	outer := filepath.Dir(r.store.dir)
	r.git(outer, "init", "-q")
	tree := r.create("fix")
	r.writeTo(tree.Path, "new.txt", "x\n")
	must.Do(t, os.Remove(filepath.Join(tree.Path, ".git")))
	if d, err := r.store.Diff(t.Context(), tree); !errors.Is(err, ErrReplaced) {
		t.Errorf("got %+v, %v, want %v", d, err, ErrReplaced)
	}
	if got := r.git(outer, "ls-files"); got != "" {
		t.Errorf("the other repository's index has %s, want nothing", got)
	}
}

// An agent that makes its worktree a repository of its own cannot show one thing and have another
// merged.
func TestReplacedRepository(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	r.writeTo(tree.Path, "a.txt", "hidden\n")
	r.commit(tree.Path, "hidden")
	before := r.git(r.repo, "rev-parse", "main")
	must.Do(t, os.Remove(filepath.Join(tree.Path, ".git")))
	r.git(tree.Path, "init", "-q", "-b", tree.Branch())
	r.git(tree.Path, "fetch", "-q", r.repo, "main")
	r.git(tree.Path, "reset", "-q", "FETCH_HEAD")
	r.writeTo(tree.Path, "a.txt", "shown\n")
	if p, err := r.store.Preview(t.Context(), tree); !errors.Is(err, ErrReplaced) {
		t.Errorf("preview %+v, %v, want %v", p, err, ErrReplaced)
	}
	if m, err := r.store.Merge(t.Context(), tree, "x"); !errors.Is(err, ErrReplaced) || r.git(r.repo, "rev-parse", "main") != before {
		t.Errorf("merge %+v, %v, want %v and main as it was", m, err, ErrReplaced)
	}
}

func TestDiffTruncated(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	r.writeTo(tree.Path, "big.txt", strings.Repeat("0123456789abcde\n", maxPatch/16))
	d, err := r.store.Diff(t.Context(), tree)
	if err != nil || !d.Truncated || len(d.Patch) > maxPatch || len(d.Patch) < maxPatch-20 || !strings.HasSuffix(d.Patch, "\n") || d.Added != maxPatch/16 {
		t.Errorf("%d bytes, truncated %v, %d lines, %v, want almost %d bytes of %d lines", len(d.Patch), d.Truncated, d.Added, err, maxPatch, maxPatch/16)
	}
}

// New worktrees have names that are free, and the same commit.
func TestCreateNew(t *testing.T) {
	r := newRig(t)
	r.create("demo-2")
	r.git(r.repo, "branch", "parley/demo-3")
	r.write("mine.txt", "the user's\n")
	made, uncommitted, err := r.store.CreateNew(t.Context(), filepath.Join(r.repo, "sub"), "demo", "demo", "other")
	if err != nil || uncommitted != 1 || len(made) != 3 {
		t.Fatalf("made %+v with %d uncommitted, %v, want 3 with 1", made, uncommitted, err)
	}
	for i, want := range []string{"demo-1", "demo-4", "other-1"} {
		m := made[i]
		if m.Name != want || m.Inside != filepath.Join(m.Path, "sub") || r.git(m.Path, "branch", "--show-current") != "parley/"+want || r.read(m.Path, "mine.txt") == "the user's\n" {
			t.Errorf("%s: %+v", want, m)
		}
	}
	// All or none.
	before, _ := r.store.List(t.Context())
	if made, _, err := r.store.CreateNew(t.Context(), r.repo, "fine", "not/fine"); err == nil || made != nil {
		t.Errorf("made %+v, %v, want an error and none", made, err)
	}
	if after, err := r.store.List(t.Context()); err != nil || len(after) != len(before) || r.git(r.repo, "branch", "--list", "parley/fine-1") != "" {
		t.Errorf("left are %+v, %v, want %+v", after, err, before)
	}
	// The user may interrupt it.
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	if made, _, err := r.store.CreateNew(ctx, r.repo, "fine"); !errors.Is(err, context.Canceled) || made != nil {
		t.Errorf("interrupted: made %+v, %v, want %v", made, err, context.Canceled)
	}
	if _, _, err := r.store.CreateNew(t.Context(), t.TempDir(), "x"); !errors.Is(err, ErrNoRepository) {
		t.Errorf("no repository: got %v, want %v", err, ErrNoRepository)
	}
}

func TestNameOf(t *testing.T) {
	for text, want := range map[string]string{
		"demo": "demo", "agents.example.com:8080": "agents-example-com-8080", "claude model=anthropic/opus-4[1m]": "claude-model-anthropic-opus-4-1m", "": "tree", "../..": "tree", "ü.lock": "lock",
		strings.Repeat("ab-", 30): strings.TrimRight(strings.Repeat("ab-", 30)[:40], "-"),
	} {
		if got := NameOf(text); got != want || CheckName(got+"-1") != nil {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// A preview names what a merge would bring, and says why there can be none now.
func TestPreview(t *testing.T) {
	r := newRig(t)
	tree := r.create("fix")
	if p, err := r.store.Preview(t.Context(), tree); err != nil || !p.Empty() || len(p.Files) != 0 || p.Into != "main" || p.Refused != nil {
		t.Errorf("nothing changed: %+v, %v, want nothing to merge into main", p, err)
	}
	r.writeTo(tree.Path, "a.txt", "one\n2\nthree\n")
	r.commit(tree.Path, "agent's own commit")
	r.writeTo(tree.Path, "dir/a\tb.txt", "x\ny\n")
	r.writeTo(tree.Path, "new.bin", "\x00\x01")
	before := r.git(r.repo, "rev-parse", "HEAD", tree.Branch())
	p, err := r.store.Preview(t.Context(), tree)
	want := []File{{"a.txt", 1, 1}, {"dir/a\tb.txt", 2, 0}, {"new.bin", 0, 0}}
	if err != nil || !slices.Equal(p.Files, want) || p.Total != 1 || !slices.Equal(p.Uncommitted, []string{"dir/a\tb.txt", "new.bin"}) || p.Refused != nil {
		t.Errorf("preview %+v, %v, want 1 commit, 2 uncommitted files, and %v", p, err, want)
	}
	if after := r.git(r.repo, "rev-parse", "HEAD", tree.Branch()); after != before {
		t.Error("it committed something")
	}
	r.git(r.repo, "checkout", "-q", "--detach")
	if p, err := r.store.Preview(t.Context(), tree); err != nil || p.Into != "" || !errors.Is(p.Refused, ErrNotOnBranch) || p.Total != 1 {
		t.Errorf("detached: %+v, %v, want %v", p, err, ErrNotOnBranch)
	}
}
