package workspace_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/acpclient/event"
	"parley/internal/workspace"
)

// said reports an error as a line, as a front end does.
func said(r *rig) func(error) {
	return func(err error) {
		if err != nil {
			r.w.Front().Say(err.Error())
		}
	}
}

// Each agent gets the prompt in a worktree of its own, with the model that the user chose.
func TestCompare(t *testing.T) {
	var fails error
	var names []string
	var specs []workspace.Spec
	each(t, func(r *rig) {
		specs, fails = nil, nil
		r.opts.Worktrees = &forest{makes: func(all []string) (trees []workspace.Worktree, err error) {
			names = all
			for _, name := range all {
				dir := filepath.Join(r.opts.Cwd, name)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Error(err)
				}
				trees = append(trees, workspace.Worktree{Dir: dir, Branch: "parley/" + name})
			}
			return trees, fails
		}}
		connect := r.opts.Connect
		r.opts.Connect = func(ctx context.Context, s workspace.Spec, sink event.Sink, log *event.Log) (*workspace.Connection, error) {
			r.mu.Lock()
			specs = append(specs, s)
			r.mu.Unlock()
			return connect(ctx, s, sink, log)
		}
	}, func(r *rig) {
		s := r.started(local)
		if s.Compared() != nil {
			t.Error("one session is compared")
		}
		big := local
		big.Model = "big"
		r.w.Compare("Make it better", []workspace.Spec{local, big, other}, said(r))
		r.settle()
		all := r.w.Front().Compared()
		if len(all) != 3 || all[0] != r.w.Front() || slices.Contains(all, s) {
			t.Fatalf("%d sessions are compared", len(all))
		}
		if want := []string{"fake", "fake big", "other"}; !slices.Equal(names, want) {
			t.Errorf("the worktrees are %q, want %q", names, want)
		}
		for i, one := range all {
			if prompts := one.Thread.Prompts(); len(prompts) != 1 || string(prompts[0].Text) != "Make it better" {
				t.Errorf("session %d has %d prompts", i, len(prompts))
			}
			if want := filepath.Join(r.opts.Cwd, names[i]); one.Dir != want || one.Agent.Spec.Dir != want {
				t.Errorf("session %d works in %q, want %q", i, one.Dir, want)
			}
		}
		if !slices.ContainsFunc(specs, func(s workspace.Spec) bool { return s.Model == "big" && s.Dir != "" }) {
			t.Errorf("no agent was started with the model: %+v", specs)
		}
		r.w.Remove(all[1])
		if got := all[0].Compared(); !slices.Equal(got, []*workspace.Session{all[0], all[2]}) {
			t.Errorf("%d sessions are compared after one was closed", len(got))
		}
		r.w.Remove(all[0])
		if got := all[2].Compared(); got != nil {
			t.Errorf("the last of a comparison is compared with %d", len(got))
		}
		r.settle()
		r.news = nil
		fails = errors.New("no git")
		started := len(specs)
		r.w.Compare("Again", []workspace.Spec{local, other}, said(r))
		r.wants("Said no git")
		if len(specs) != started {
			t.Error("an agent was started without a worktree")
		}
	})
}

// An agent of another machine cannot work in a worktree of this one.
func TestCompareRemoteAgent(t *testing.T) {
	each(t, func(r *rig) {
		r.opts.Worktrees = &forest{makes: func([]string) ([]workspace.Worktree, error) {
			t.Error("worktrees were made")
			return nil, nil
		}}
	}, func(r *rig) {
		r.started(local)
		r.w.Compare("Make it better", []workspace.Spec{local, far}, said(r))
		r.wants("Said fake does not work on this machine: it cannot be compared")
	})
}
