package linear

import (
	"context"
	"errors"
	"slices"
	"testing"

	"parley/internal/workspace"
)

// forest is the worktrees of a test.
type forest struct {
	holds  workspace.Unmerged
	fails  error
	did    []string
	merged func() // called after a merge; it may be nil
}

func (f *forest) Enter(context.Context, string) (workspace.Worktree, error) {
	return workspace.Worktree{Dir: f.holds.Dir, Branch: "parley/fix"}, nil
}

func (f *forest) Make(context.Context, []string) ([]workspace.Worktree, error) {
	return nil, errors.New("nothing is compared")
}

func (f *forest) Unmerged(context.Context, string, string) (workspace.Unmerged, error) {
	return f.holds, nil
}

func (f *forest) Merge(_ context.Context, _ string, shown workspace.Unmerged) (bool, error) {
	f.did = append(f.did, "merge "+shown.Message)
	if f.merged != nil {
		f.merged()
	}
	return false, f.fails
}

func (f *forest) Discard(context.Context, string, workspace.Unmerged) error {
	f.did = append(f.did, "discard")
	return f.fails
}

// /merge and /discard list what they are about, and ask.
func TestWorktrees(t *testing.T) {
	trees := &forest{holds: workspace.Unmerged{Name: "fix", Into: "main", Makes: true, Message: "wire it", Total: 60, Commits: slices.Repeat([]string{"4f2c1aa Wire it"}, 2), Uncommitted: []string{"new.go"},
		Files: []workspace.ChangedFile{{Path: "lex.go", Added: 1, Removed: 2}, {Path: "new.go", Added: 3}}}}
	talkTo(t, func(r *rig) { r.opts.Worktrees = trees }, func(r *rig) {
		r.pause()
		r.fresh()
		r.types("/merge")
		r.wants("Would change: lex.go, 1 line added, 2 removed.", "Would change: new.go, 3 lines added, 0 removed, not committed yet.", "Commit: 4f2c1aa Wire it.", "Commit: 4f2c1aa Wire it.", "And 58 more.",
			"Commit message: wire it", "To change it, answer 0 and type /merge and the message.", "Merge fix into main, 2 files, 4 lines added, 2 removed?", "1. Yes, keep the worktree", "2. Yes, then close this session and remove its worktree", "0. No", "Answer 0 to 2:")
		r.types("1")
		r.sees("does not answer it")
		r.pause()
		r.types("0", "/merge")
		r.pause()
		if len(trees.did) > 0 {
			t.Errorf("did %q", trees.did)
		}
		r.fresh()
		r.types("1")
		r.wants("Notice: Merged fix into main: 2 files, +4 −2.")
		trees.fails = errors.New("the merge would conflict in lex.go")
		r.types("/merge wire the parser")
		r.pause()
		r.fresh()
		r.types("1")
		r.wants("Notice: Not merged: the merge would conflict in lex.go.")
		if want := []string{"merge wire it", "merge wire the parser"}; !slices.Equal(trees.did, want) {
			t.Errorf("did %q, want %q", trees.did, want)
		}
		trees.holds.Refused = "no branch is checked out"
		r.types("/merge", "/discard")
		r.wants("Not merged: no branch is checked out.", "Not discarded: it is the only session: quit, and discard it then.")
	})
}

// /discard closes the session and removes its worktree.
func TestDiscardWorktree(t *testing.T) {
	trees := &forest{holds: workspace.Unmerged{Name: "fix", Into: "main", Dir: t.TempDir(), Total: 1, Commits: []string{"4f2c1aa Wire it"}, Uncommitted: []string{"new.go"}}}
	talkTo(t, func(r *rig) {
		r.opts.Worktrees = trees
	}, func(r *rig) {
		r.types("/worktree fix")
		r.pause()
		r.fresh()
		r.types("/discard")
		r.wants("Would be lost: new.go, not committed.", "Commit: 4f2c1aa Wire it.", "Discard fix, and close this session?", "1. Yes, remove its worktree and branch", "0. No", "Answer 0 to 1:")
		r.pause()
		r.types("1")
		r.pause()
		r.sees("Now in session: new session", "Discarded fix.")
		if !slices.Equal(trees.did, []string{"discard"}) {
			t.Errorf("did %q", trees.did)
		}
	})
}

// /merge can close the session and remove its worktree, if that has nothing left then.
func TestMergeAndRemoveWorktree(t *testing.T) {
	trees := &forest{holds: workspace.Unmerged{Name: "fix", Into: "main", Dir: t.TempDir(), Total: 1, Commits: []string{"4f2c1aa Wire it"}}}
	talkTo(t, func(r *rig) { r.opts.Worktrees = trees }, func(r *rig) {
		r.types("/worktree fix")
		r.pause()
		for _, c := range []struct {
			total int
			says  string
		}{{1, "Not removed: the worktree has changed since."}, {0, "Discarded fix."}} {
			trees.merged = func() { trees.holds.Total = c.total }
			r.types("/merge")
			r.pause()
			r.types("2")
			r.pause()
			r.sees(c.says)
		}
		if !slices.Equal(trees.did, []string{"merge ", "merge ", "discard"}) {
			t.Errorf("did %q", trees.did)
		}
	})
}
