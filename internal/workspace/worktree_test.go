package workspace_test

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// The same agent is started again in a worktree, and its further sessions work there, too.
func TestStartInWorktree(t *testing.T) {
	var fails error
	var specs []workspace.Spec
	each(t, func(r *rig) {
		specs, fails = nil, nil
		tree := workspace.Worktree{Dir: filepath.Join(r.opts.Cwd, "tree"), Branch: "parley/try", Notice: "the last commit"}
		r.opts.Worktrees = &forest{enter: func(name string) (workspace.Worktree, error) {
			if name != "try" {
				return workspace.Worktree{}, errors.New("no worktree of that name")
			}
			return tree, cmp.Or(fails, os.MkdirAll(tree.Dir, 0o700))
		}}
		connect := r.opts.Connect
		r.opts.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			specs = append(specs, s)
			return connect(ctx, s, sink, log)
		}
	}, func(r *rig) {
		s := r.started(local)
		dir := r.opts.Cwd
		s.Agent.StartInWorktree("try")
		r.settle()
		tree := r.w.Front()
		if len(specs) != 2 || specs[1].Dir != filepath.Join(dir, "tree") || specs[1].Name != specs[0].Name {
			t.Fatalf("connected to %+v", specs)
		}
		if tree == s || tree.Agent == s.Agent || tree.Dir != filepath.Join(dir, "tree") || tree.Agent.Spec.Branch != "parley/try" || s.Dir != "" {
			t.Errorf("the session works in %q", tree.Dir)
		}
		tree.Agent.NewSession()
		r.settle()
		if next := r.w.Front(); next == tree || next.Dir != tree.Dir {
			t.Errorf("its next session works in %q", next.Dir)
		}
		r.news = nil
		fails = errors.New("no git")
		s.Agent.StartInWorktree("try")
		r.wants("Said No worktree was made: no git")
		if len(specs) != 2 {
			t.Error("an agent was started without a worktree")
		}
	})
}

// A remote agent cannot work in a worktree of this machine.
func TestRemoteAgentHasNoWorktree(t *testing.T) {
	each(t, func(r *rig) {
		r.opts.Worktrees = &forest{enter: func(string) (workspace.Worktree, error) {
			t.Error("a worktree was made")
			return workspace.Worktree{}, nil
		}}
	}, func(r *rig) {
		r.started(far).Agent.StartInWorktree("try")
		r.wants("Said No worktree was made: a remote agent does not work on this machine")
	})
}
