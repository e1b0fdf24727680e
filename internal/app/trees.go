package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"parley/internal/cli"
	"parley/internal/safetext"
	"parley/internal/workspace"
	"parley/internal/worktree"
	"parley/ui"
	"parley/ui/panel"
)

// trees are the git worktrees of a chat. Its methods may be called from any goroutine.
type trees struct {
	from string // the directory of the user: its worktree is the one that is merged into

	mu  sync.Mutex      // held while git makes one: a chat that ends waits, or half of it would be left
	all []*cli.Worktree // to ask about at the end of the chat
}

// Enter implements workspace.Worktrees.
func (t *trees) Enter(ctx context.Context, name string) (workspace.Worktree, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tree, err := cli.EnterWorktree(ctx, t.from, cmp.Or(name, cli.AutoWorktree))
	if err != nil {
		return workspace.Worktree{}, err
	}
	t.add(tree)
	return inTree(tree), nil
}

// add adds a worktree to those that are asked about. The caller holds mu.
func (t *trees) add(tree *cli.Worktree) {
	if !slices.ContainsFunc(t.all, func(other *cli.Worktree) bool { return other.Path == tree.Path }) {
		t.all = append(t.all, tree)
	}
}

// Make implements workspace.Worktrees.
func (t *trees) Make(ctx context.Context, names []string) (all []workspace.Worktree, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	made, err := cli.MakeWorktrees(ctx, t.from, names)
	for _, tree := range made {
		t.add(tree)
		all = append(all, inTree(tree))
	}
	return all, err
}

// leave asks what to do with each worktree after a chat that ended without an error: with ask or, if that
// is nil, in lines.
func (t *trees) leave(ctx context.Context, s cli.Streams, err error, ask func(context.Context, workspace.Unmerged) (cli.Ending, error)) error {
	if err != nil {
		return err
	}
	t.mu.Lock()
	all := slices.Clone(t.all)
	t.mu.Unlock()
	for _, tree := range all {
		var ending func(context.Context) (cli.Ending, error)
		if ask != nil {
			ending = func(ctx context.Context) (cli.Ending, error) {
				u, err := t.Unmerged(ctx, tree.Inside, "")
				if err != nil {
					return cli.Ending{}, err
				}
				return ask(ctx, u)
			}
		}
		if err := tree.Leave(ctx, s, ending); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = nil
	return nil
}

// removeEmpty removes the worktrees that leave has not asked about, if they were made for the chat and
// hold nothing.
func (t *trees) removeEmpty(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tree := range t.all {
		tree.RemoveEmpty(ctx)
	}
}

// inTree returns a worktree as the workspace knows it.
func inTree(tree *cli.Worktree) workspace.Worktree {
	return workspace.Worktree{Dir: tree.Inside, Branch: cli.Branch(tree.Inside), Notice: tree.Notice}
}

// Unmerged implements workspace.Worktrees.
func (t *trees) Unmerged(ctx context.Context, dir, prompt string) (workspace.Unmerged, error) {
	tree, u, err := t.look(ctx, dir)
	if u.Makes {
		u.Message = tree.Message(prompt)
	}
	return u, err
}

// Merge implements workspace.Worktrees.
func (t *trees) Merge(ctx context.Context, dir string, shown workspace.Unmerged) (fastForward bool, err error) {
	tree, err := t.still(ctx, dir, shown)
	if errors.Is(err, errChanged) {
		err = fmt.Errorf("%w: list it again", err)
	}
	if err != nil {
		return false, err
	}
	m, err := tree.Merge(ctx, shown.Message)
	switch {
	case err != nil:
		return false, refusal(err, shown.Into)
	case m.Nothing:
		return false, fmt.Errorf("%s has all of %s", shown.Into, shown.Name)
	}
	return m.FastForward, nil
}

// Discard implements workspace.Worktrees.
func (t *trees) Discard(ctx context.Context, dir string, shown workspace.Unmerged) error {
	tree, err := t.still(ctx, dir, shown)
	if errors.Is(err, errChanged) {
		err = fmt.Errorf("%w: parley asks about it at the end", err)
	}
	if err != nil {
		return err
	}
	if err := tree.Remove(ctx); err != nil {
		return readable(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = slices.DeleteFunc(t.all, func(other *cli.Worktree) bool { return other.Path == tree.Path })
	return nil
}

// errChanged says that a worktree does not hold what was shown.
var errChanged = errors.New("the worktree has changed since it was listed")

// still returns the worktree of a directory if it holds what was shown, else errChanged.
func (t *trees) still(ctx context.Context, dir string, shown workspace.Unmerged) (*cli.Worktree, error) {
	tree, now, err := t.look(ctx, dir)
	now.Message = shown.Message
	if err == nil && !reflect.DeepEqual(now, shown) {
		err = errChanged
	}
	return tree, err
}

// look returns the worktree of a directory, and what it has that is not merged.
func (t *trees) look(ctx context.Context, dir string) (*cli.Worktree, workspace.Unmerged, error) {
	tree, err := cli.FindWorktree(ctx, t.from, dir)
	if errors.Is(err, worktree.ErrNotOurs) {
		err = errors.New("this session is not in a worktree; /worktree starts one")
	}
	if err != nil {
		return nil, workspace.Unmerged{}, readable(err)
	}
	p, err := tree.Preview(ctx)
	if err != nil {
		return nil, workspace.Unmerged{}, readable(err)
	}
	t.mu.Lock()
	t.add(tree) // its session may have been resumed there
	t.mu.Unlock()
	u := workspace.Unmerged{Name: tree.Name, Branch: tree.Branch(), Dir: tree.Path, Into: safetext.Line(p.Into, 100), Total: p.Total, Makes: p.Makes}
	for _, line := range p.Commits {
		u.Commits = append(u.Commits, safetext.Line(line, 200))
	}
	for _, file := range p.Uncommitted {
		u.Uncommitted = append(u.Uncommitted, safetext.Line(file, 300))
	}
	for _, f := range p.Files {
		u.Files = append(u.Files, workspace.ChangedFile{Path: safetext.Line(f.Path, 300), Added: f.Added, Removed: f.Removed})
	}
	if p.Refused != nil {
		u.Refused = refusal(p.Refused, u.Into).Error()
	}
	return tree, u, nil
}

// refusal is readable for why a merge was refused, with what to do about a conflict.
func refusal(err error, into string) error {
	if errors.As(err, new(*worktree.ConflictError)) {
		return fmt.Errorf("%w: ask the agent to merge %s first", readable(err), into)
	}
	return readable(err)
}

// readable makes the text of an error safe to show: it may name files of the agent's.
func readable(err error) error { return errors.New(safetext.Line(err.Error(), 300)) }

// askEnding asks on the screen what happens to a worktree.
func askEnding(ctx context.Context, opts ui.Options, u workspace.Unmerged) (cli.Ending, error) {
	do, message, err := ui.AskEnding(ctx, opts, u)
	return cli.Ending{Merge: do == panel.MergeAndRemove || do == panel.MergeAndKeep, Remove: do == panel.MergeAndRemove || do == panel.Remove, Message: message}, err
}
