package app

import (
	"context"
	"slices"
	"sync"

	"parley/internal/cli"
	"parley/internal/workspace"
)

// trees are the git work trees in which agents of this chat have worked. Its methods may be called
// from any goroutine.
type trees struct {
	mu  sync.Mutex // held while git makes one: a chat that ends waits, or half of it would be left
	all []*cli.Worktree
}

// enter changes a place to the work tree of that name, as cli.EnterWorktree does.
func (t *trees) enter(ctx context.Context, place *cli.Directories, name string) (*cli.Worktree, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tree, err := cli.EnterWorktree(ctx, place, name)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(t.all, func(other *cli.Worktree) bool { return other.Name == tree.Name }) {
		t.all = append(t.all, tree)
	}
	return tree, nil
}

// make makes a new work tree for each of the names, as cli.MakeWorktrees does.
func (t *trees) make(ctx context.Context, place cli.Directories, names []string) ([]*cli.Worktree, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	made, err := cli.MakeWorktrees(ctx, place, names)
	t.all = append(t.all, made...)
	return made, err
}

// leave asks what to do with each work tree after a chat that ended without an error.
func (t *trees) leave(ctx context.Context, s cli.Streams, err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tree := range t.all {
		if err == nil {
			err = tree.Leave(ctx, s)
		}
	}
	return err
}

// inTree returns a work tree as the workspace knows it.
func inTree(tree *cli.Worktree) workspace.Worktree {
	return workspace.Worktree{Dir: tree.Inside, Branch: cli.Branch(tree.Inside), Notice: tree.Notice}
}
