package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/internal/fakeagent"
	"parley/internal/workspace"
)

// forest is the worktrees of a test.
type forest struct {
	*testing.T
	r      *rig
	holds  workspace.Unmerged
	prompt string // of the last Unmerged
	fails  error
	done   []string        // what was merged and discarded
	takes  time.Duration   // how long that takes
	ctx    context.Context // of the last call
	before func()          // called by the next Discard
	enter  func(name string) (workspace.Worktree, error)
	makes  func(names []string) ([]workspace.Worktree, error)
}

func (f *forest) Enter(_ context.Context, name string) (workspace.Worktree, error) {
	return f.enter(name)
}

func (f *forest) Make(_ context.Context, names []string) ([]workspace.Worktree, error) {
	return f.makes(names)
}

func (f *forest) Unmerged(ctx context.Context, dir, prompt string) (workspace.Unmerged, error) {
	f.ctx, f.prompt = ctx, prompt
	if filepath.Base(dir) != "tree" {
		return workspace.Unmerged{}, errors.New("not in a worktree")
	}
	u := f.holds
	u.Dir = dir
	return u, f.fails
}

func (f *forest) Merge(ctx context.Context, dir string, shown workspace.Unmerged) (bool, error) {
	return true, f.does(ctx, "merge", dir, shown)
}

func (f *forest) Discard(ctx context.Context, dir string, shown workspace.Unmerged) error {
	f.before()
	return f.does(ctx, "discard", dir, shown)
}

func (f *forest) does(ctx context.Context, what, dir string, shown workspace.Unmerged) error {
	f.ctx = ctx
	time.Sleep(f.takes)
	if dir != shown.Dir || shown.Name != "fix" {
		f.Errorf("%s of %s, shown %+v", what, dir, shown)
	}
	f.done = append(f.done, what)
	return f.fails
}

// did expects merges and discards since the last look.
func (f *forest) did(want ...string) {
	f.Helper()
	f.r.settle()
	if !slices.Equal(f.done, want) {
		f.Errorf("did %q, want %q", f.done, want)
	}
	f.done = nil
}

// inTree runs a test with a session in a worktree, which is in front, and one beside it.
func inTree(t *testing.T, f func(r *rig, trees *forest, beside, s *workspace.Session)) {
	var trees *forest
	each(t, func(r *rig) {
		trees = &forest{T: r.T, r: r, before: func() {}, holds: workspace.Unmerged{Name: "fix", Branch: "parley/fix", Into: "main", Total: 1, Commits: []string{"abc one"},
			Files: []workspace.ChangedFile{{Path: "a.txt", Added: 20, Removed: 2}, {Path: "b.txt", Removed: 3}}}}
		tree := filepath.Join(r.opts.Cwd, "tree")
		r.opts.Worktrees = trees
		trees.enter = func(string) (workspace.Worktree, error) {
			return workspace.Worktree{Dir: tree, Branch: "parley/fix"}, os.MkdirAll(tree, 0o700)
		}
	}, func(r *rig) {
		beside := r.started(local)
		beside.Agent.StartInWorktree("fix")
		r.settle()
		r.news = nil
		f(r, trees, beside, r.w.Front())
	})
}

// unmerged returns what a session has to merge.
func unmerged(r *rig, s *workspace.Session) (u workspace.Unmerged, err error) {
	r.Helper()
	called := false
	s.Tree.Unmerged(func(got workspace.Unmerged, e error) { u, err, called = got, e, true })
	r.settle()
	if !called {
		r.Error("it does not answer")
	}
	return u, err
}

// merges merges and expects an error; "" for none.
func merges(r *rig, s *workspace.Session, u workspace.Unmerged, want string) {
	r.Helper()
	got := "no answer"
	told := func(err error) {
		if got = ""; err != nil {
			got = err.Error()
		}
	}
	if err := s.Tree.Merge(u, told); err != nil {
		told(err)
	}
	r.settle()
	if got != want {
		r.Errorf("got %q, want %q", got, want)
	}
}

// A session's worktree is merged as it was shown, whichever session is in front, and again after
// another turn.
func TestMerge(t *testing.T) {
	inTree(t, func(r *rig, trees *forest, beside, s *workspace.Session) {
		r.w.Show(beside)
		r.news = nil
		for _, prompt := range []string{"", "more"} {
			u, err := unmerged(r, s)
			if err != nil || u.Into != "main" || u.Total != 1 || trees.prompt != prompt {
				r.Fatalf("%+v %v, with the prompt %q, want %q", u, err, trees.prompt, prompt)
			}
			trees.did()
			merges(r, s, u, "")
			trees.did("merge")
			if !says(s, "Merged fix into main (fast-forward): 2 files, +20 −5") || says(beside, "Merged") {
				r.Error("the merge is not a notice of its session")
			}
			r.turns(s, "more", "and more")
		}
		if r.w.Front() != beside {
			r.Error("another session is in front")
		}
	})
}

// What cannot be merged says why, and changes nothing.
func TestNotMerged(t *testing.T) {
	inTree(t, func(r *rig, trees *forest, beside, s *workspace.Session) {
		u, err := unmerged(r, s)
		if err != nil {
			r.Fatal(err)
		}
		refused, empty := u, u
		refused.Refused = "a merge is in progress"
		empty.Total = 0
		merges(r, s, refused, "a merge is in progress")
		merges(r, s, empty, "main has all of fix")
		if _, err := unmerged(r, beside); err == nil || err.Error() != "not in a worktree" {
			r.Errorf("got %v", err)
		}
		s.Agent.NewSession() // in the same worktree
		r.settle()
		second := r.w.Front()
		r.fake().Turn(func(turn *fakeagent.Turn) string { turn.Wait(time.Minute); return "end_turn" })
		r.prompt(s, "work")
		if _, err := unmerged(r, s); err == nil || err.Error() != "a turn is running: stop it first" {
			r.Errorf("got %v", err)
		}
		merges(r, s, u, "a turn is running: stop it first")
		merges(r, second, u, "a turn is running in another session of this worktree: stop it first")
		trees.did()
		r.pass(2 * time.Minute)
		trees.fails = errors.New("the merge would conflict in a.txt")
		merges(r, s, u, "the merge would conflict in a.txt")
		trees.did("merge")
		if says(s, "Merged") || !says(s, "Not merged: the merge would conflict in a.txt") {
			r.Error("the notice says something else")
		}
		r.lose() // an agent that has ended changes nothing any longer
		trees.fails = nil
		merges(r, s, u, "")
		trees.did("merge")
	})
}

// Sessions that have no worktree of this machine say so.
func TestNothingToMerge(t *testing.T) {
	with(t, func(r *rig) { r.opts.Worktrees = &forest{T: r.T} }, func(r *rig) {
		if _, err := unmerged(r, r.started(far)); err == nil || err.Error() != "a remote agent does not work on this machine" {
			r.Errorf("got %v", err)
		}
	})
	with(t, nil, func(r *rig) {
		if _, err := unmerged(r, r.started(local)); err == nil || err.Error() != "worktrees are not available" {
			r.Errorf("got %v", err)
		}
	})
}

// Quitting waits for a merge.
func TestMergeWhileQuitting(t *testing.T) {
	inTree(t, func(r *rig, trees *forest, _, s *workspace.Session) {
		u, err := unmerged(r, s)
		if err != nil {
			r.Fatal(err)
		}
		trees.takes = time.Second
		if err := s.Tree.Merge(u, func(error) {}); err != nil {
			r.Fatal(err)
		}
		r.run()
		r.w.End()
		r.w.Close()
		if trees.ctx.Err() != nil || !slices.Equal(trees.done, []string{"merge"}) {
			r.Errorf("did %q, %v", trees.done, trees.ctx.Err())
		}
	})
}

// Discarding closes the session and removes the worktree when its agent has ended.
func TestDiscard(t *testing.T) {
	inTree(t, func(r *rig, trees *forest, beside, s *workspace.Session) {
		u, err := unmerged(r, s)
		if err != nil {
			r.Fatal(err)
		}
		trees.before = func() {
			if r.count(&r.open, 0) != 1 {
				r.Error("the worktree is removed before the agent has ended")
			}
		}
		if err := s.Tree.Discard(u); err != nil {
			r.Fatal(err)
		}
		r.wants("SessionShown s1", "SessionRemoved s1", "Said Discarded fix")
		trees.did("discard")
		if got := r.w.Sessions(); len(got) != 1 || got[0] != beside {
			r.Errorf("%d sessions are open", len(got))
		}
		r.connections(1, 2)
	})
}

// What others use is not discarded.
func TestNotDiscarded(t *testing.T) {
	inTree(t, func(r *rig, trees *forest, beside, s *workspace.Session) {
		u, err := unmerged(r, s)
		if err != nil {
			r.Fatal(err)
		}
		refuses := func(s *workspace.Session, want string) {
			r.Helper()
			n := len(r.w.Sessions())
			if err := s.Tree.Discard(u); err == nil || err.Error() != want {
				r.Errorf("got %v, want %s", err, want)
			}
			trees.did()
			if len(r.w.Sessions()) != n {
				r.Error("a session was closed")
			}
		}
		beside.Agent.StartInWorktree("fix") // another agent
		r.settle()
		third := r.w.Front()
		refuses(s, "another session works in this worktree: close it first")
		third.Close()
		r.settle()
		r.fake().Turn(func(turn *fakeagent.Turn) string { turn.Wait(time.Minute); return "end_turn" })
		r.prompt(s, "work")
		refuses(s, "a turn is running: stop it first")
		r.pass(2 * time.Minute)
		beside.Close()
		r.settle()
		refuses(s, "it is the only session: quit, and discard it then")
	})
}
