package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/cli"
	"parley/internal/gittest"
	"parley/internal/must"
	"parley/internal/workspace"
)

// grove is a repository with one commit and a worktree made from it.
type grove struct {
	*testing.T
	trees      *trees
	main, tree string
}

func newGrove(t *testing.T) *grove {
	t.Setenv("PARLEY_STATE", t.TempDir())
	main := gittest.Repository(t, map[string]string{"a.txt": "one\n"})
	g := &grove{T: t, main: main, trees: &trees{from: main}}
	tree := must.Get(g.trees.Enter(t.Context(), "fix"))(t)
	g.tree = tree.Dir
	return g
}

func (g *grove) commit(dir string) {
	g.Helper()
	gittest.Run(g, dir, "add", "-A")
	gittest.Run(g, dir, "commit", "-qm", "a commit")
}

func (g *grove) look() workspace.Unmerged {
	g.Helper()
	u, err := g.trees.Unmerged(g.Context(), g.tree, "")
	if err != nil {
		g.Fatal(err)
	}
	return u
}

// refuses expects an error of one line, and that nothing has changed.
func (g *grove) refuses(do func(context.Context, string, workspace.Unmerged) error, shown workspace.Unmerged, want string) {
	g.Helper()
	state := func() string {
		files, err := os.ReadDir(g.tree)
		return gittest.Run(g, g.main, "for-each-ref") + gittest.Run(g, g.main, "status", "--porcelain") + gittest.Run(g, g.tree, "diff", "HEAD", "--", "a.txt") + fmt.Sprint(files, err)
	}
	before := state()
	if err := do(g.Context(), g.tree, shown); err == nil || !strings.Contains(err.Error(), want) || strings.ContainsAny(err.Error(), "\n\x1b") {
		g.Errorf("got %v, want %s", err, want)
	}
	if after := state(); after != before {
		g.Errorf("it was\n%sand is\n%s", before, after)
	}
}

func (g *grove) merge(ctx context.Context, dir string, shown workspace.Unmerged) error {
	_, err := g.trees.Merge(ctx, dir, shown)
	return err
}

// What was shown is merged, and the worktree stays. What changes in between is not.
func TestMergeWorktree(t *testing.T) {
	g := newGrove(t)
	write(t, filepath.Join(g.tree, "a.txt"), "one\ntwo\n")
	g.commit(g.tree)
	write(t, filepath.Join(g.tree, "new\x1b[2J.txt"), "x\ny\n")
	shown := g.look()
	added, removed := shown.Lines()
	if shown.Name != "fix" || shown.Branch != "parley/fix" || shown.Into != "main" || shown.Total != 1 || len(shown.Uncommitted) != 1 || len(shown.Files) != 2 || added != 3 || removed != 0 || shown.Refused != "" {
		t.Errorf("shown is %+v, want 1 commit of fix, 1 uncommitted file, and 2 files with +3 −0", shown)
	}
	for _, f := range shown.Files {
		if strings.ContainsRune(f.Path, '\x1b') {
			t.Errorf("%q is not safe to show", f.Path)
		}
	}
	write(t, filepath.Join(g.tree, "late.txt"), "not shown\n")
	g.refuses(g.merge, shown, "the worktree has changed since it was listed: list it again")
	shown = g.look()
	if fastForward, err := g.trees.Merge(t.Context(), g.tree, shown); err != nil || !fastForward {
		t.Fatalf("merged: fast-forward %v, %v, want true", fastForward, err)
	}
	if text, err := os.ReadFile(filepath.Join(g.main, "a.txt")); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("a.txt holds %q, %v, want one and two", text, err)
	}
	if after := g.look(); !after.Empty() || len(after.Files) != 0 {
		t.Errorf("after the merge: %+v, want nothing to merge", after)
	}
}

// What cannot be merged stays as it is, and says why.
func TestMergeWorktreeRefused(t *testing.T) {
	g := newGrove(t)
	write(t, filepath.Join(g.tree, "a.txt"), "agent\n")
	write(t, filepath.Join(g.main, "a.txt"), "user, not committed\n")
	g.refuses(g.merge, g.look(), "uncommitted changes would be overwritten in a.txt: commit or move them first")
	g.commit(g.main)
	g.refuses(g.merge, g.look(), "the merge would conflict in a.txt: ask the agent to merge main first")
	gittest.Run(g, g.main, "checkout", "-q", "--detach")
	if u := g.look(); !strings.Contains(u.Refused, "not on a branch") {
		t.Errorf("got %+v, want that it is not on a branch", u)
	}
	if _, err := g.trees.Unmerged(t.Context(), g.main, ""); err == nil || err.Error() != "this session is not in a worktree; /worktree starts one" {
		t.Errorf("got %v, want that the session is not in a worktree", err)
	}
}

// Discarding removes what was shown with its branch, and nothing is asked about it at the end.
func TestDiscardWorktree(t *testing.T) {
	g := newGrove(t)
	write(t, filepath.Join(g.tree, "a.txt"), "agent\n")
	shown := g.look()
	write(t, filepath.Join(g.tree, "late.txt"), "not shown\n")
	g.refuses(g.trees.Discard, shown, "the worktree has changed since it was listed: parley asks about it at the end")
	must.Do(t, g.trees.Discard(t.Context(), g.tree, g.look()))
	if _, err := os.Stat(g.tree); err == nil {
		t.Error("the directory is still there")
	}
	if refs := gittest.Run(g, g.main, "for-each-ref", "refs/heads/parley/"); refs != "" {
		t.Errorf("branches %s, want none", refs)
	}
	var out strings.Builder
	if err := g.trees.leave(t.Context(), cli.Streams{In: strings.NewReader(""), Out: &out}, nil, nil); err != nil || out.Len() > 0 {
		t.Errorf("at the end: %v, want no question:\n%s", err, &out)
	}
}

// An interrupt between the end of the chat and its question keeps a worktree, and says so.
func TestLeaveInterrupted(t *testing.T) {
	for text, left := range map[string]string{"": "", "one\ntwo\n": "Kept. `parley worktrees merge fix` merges it"} {
		g := newGrove(t)
		if text != "" {
			write(t, filepath.Join(g.tree, "a.txt"), text)
		}
		interrupted, interrupt := context.WithCancel(t.Context())
		interrupt()
		var out strings.Builder
		err := g.trees.leave(interrupted, cli.Streams{In: strings.NewReader(""), Out: &out}, nil, nil)
		if err != nil || !strings.Contains(out.String(), left) {
			t.Errorf("%v, want %q:\n%s", err, left, &out)
		}
		if _, err := os.Stat(g.tree); (err == nil) != (left != "") {
			t.Errorf("the worktree with %q: %v", text, err)
		}
	}
}

// held is a context that ends when the test says so. Whoever asks it waits.
type held struct {
	context.Context
	asked func()
	end   chan struct{}
}

func (c held) Err() error {
	c.asked()
	<-c.end
	return context.Canceled
}

func (c held) Done() <-chan struct{} {
	c.asked()
	<-c.end
	return c.end
}

// A chat that ends while worktrees are made waits for them: git would leave half of one.
func TestLeaveWaitsForTrees(t *testing.T) {
	gittest.Program(t)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	asked := make(chan struct{})
	ctx := held{context.Background(), sync.OnceFunc(func() { close(asked) }), make(chan struct{})}
	all, made := &trees{from: t.TempDir()}, make(chan error, 1)
	go func() {
		_, err := all.Make(ctx, []string{"fake", "other"})
		made <- err
	}()
	select {
	case <-asked:
	case err := <-made:
		t.Fatalf("made none: %v", err)
	}
	if all.mu.TryLock() {
		t.Error("the chat can end")
		all.mu.Unlock()
	}
	close(ctx.end)
	if err := <-made; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := all.leave(context.Background(), cli.Streams{}, nil, nil); err != nil {
		t.Error(err)
	}
}
