package workspace

import (
	"context"
	"errors"
)

// Worktree is a git worktree that was made for an agent.
type Worktree struct {
	Dir    string // the directory in which the agent works
	Branch string
	Notice string // a message for the user, "" if none
}

// Worktrees makes, merges and removes the git worktrees of agents. Its methods are called in tasks.
// It is an interface because a workspace does not run git.
type Worktrees interface {
	// Enter returns the worktree of that name, which is made if it does not exist; "" makes up a name.
	Enter(ctx context.Context, name string) (Worktree, error)
	// Make makes a new worktree for each of the names, to which it adds numbers. After an error there
	// are none.
	Make(ctx context.Context, names []string) ([]Worktree, error)

	// dir is a directory in a worktree, and prompt what the agent was asked to do there, "" if unknown.
	// Merge and Discard do nothing unless the worktree still holds what was shown, whose message may be
	// another one.
	Unmerged(ctx context.Context, dir, prompt string) (Unmerged, error)
	Merge(ctx context.Context, dir string, shown Unmerged) (fastForward bool, err error)
	Discard(ctx context.Context, dir string, shown Unmerged) error
}

// Why there is no worktree for a session.
var (
	errNoWorktrees = errors.New("worktrees are not available")
	errRemote      = errors.New("a remote agent does not work on this machine")
)

// StartInWorktree starts the same agent again, in a git worktree of that name; "" makes up a
// name. Making it may take a while: Said reports its error.
func (a *Agent) StartInWorktree(name string) {
	w := a.w
	const failed = "No worktree was made: "
	switch {
	case w.opts.Worktrees == nil:
		w.say(failed + errNoWorktrees.Error())
		return
	case a.Spec.Remote:
		w.say(failed + errRemote.Error())
		return
	}
	var tree Worktree
	var err error
	a.request(func(ctx context.Context) error {
		tree, err = w.opts.Worktrees.Enter(ctx, name)
		return err
	}, func(err error) {
		if err != nil {
			w.say(failed + err.Error())
			return
		}
		w.startIn(tree, a.Spec, nil)
	})
}

// startIn starts an agent in a worktree, and shows its session. The prompt, if not nil, is sent when
// that is open.
func (w *Workspace) startIn(tree Worktree, spec Spec, prompt *string) *Session {
	spec.Dir, spec.Branch = tree.Dir, tree.Branch
	a := newAgent(w)
	a.Spec = spec
	s := w.add(a)
	if prompt != nil {
		s.Prompts.Queue.Add(*prompt)
	}
	a.Restart()
	if tree.Notice != "" {
		s.Say(tree.Notice)
	}
	return s
}
