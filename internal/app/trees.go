package app

import (
	"context"
	"slices"
	"sync"

	"parley/internal/cli"
)

// trees are the git work trees in which agents of this chat have worked. Its methods may be called
// from any goroutine.
type trees struct {
	mu  sync.Mutex
	all []*cli.Worktree
}

// enter changes a place to the work tree of that name, as cli.EnterWorktree does.
func (t *trees) enter(ctx context.Context, place *cli.Directories, name string) (*cli.Worktree, error) {
	tree, err := cli.EnterWorktree(ctx, place, name)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.ContainsFunc(t.all, func(other *cli.Worktree) bool { return other.Name == tree.Name }) {
		t.all = append(t.all, tree)
	}
	return tree, nil
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
