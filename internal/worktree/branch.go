package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/gitsafe"
)

// ref is the branch of a worktree as git names it in full. An agent can write parley's branches, so it may
// be a symbolic reference to one of the user's: commands that change it do not follow it.
func ref(t Tree) string { return "refs/heads/" + t.Branch() }

func branchExists(ctx context.Context, r *gitsafe.Repo, t Tree) (bool, error) {
	found, err := line(ctx, r, "for-each-ref", ref(t))
	return found != "", err
}

// setBranch changes the branch of a worktree from a commit, "" if it must not exist, to another one.
func setBranch(ctx context.Context, r *gitsafe.Repo, t Tree, to, from, reason string) error {
	if info, err := os.Lstat(filepath.Join(r.Common, "logs", filepath.FromSlash(ref(t)))); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the log of %s is no file: remove %s", t.Branch(), filepath.Join(r.Common, "logs", filepath.FromSlash(ref(t))))
	}
	_, err := r.Run(ctx, "update-ref", "--no-deref", "-m", reason, ref(t), to, from)
	return err
}

// removeBranch removes the branch of a worktree, if it is at the commit only.
func removeBranch(ctx context.Context, r *gitsafe.Repo, t Tree, only ...string) error {
	_, err := r.Run(ctx, append([]string{"update-ref", "--no-deref", "-d", ref(t)}, only...)...)
	return err
}

// branchPlaces returns where git writes when it makes objects and changes branches of parley's.
func branchPlaces(r *gitsafe.Repo) (places []string) {
	common, err := os.OpenRoot(r.Common)
	if err != nil {
		return nil
	}
	defer common.Close()
	for _, name := range []string{"objects", "refs/heads/" + prefix, "logs/refs/heads/" + prefix} {
		common.MkdirAll(name, 0o777) // git removes empty ones
		places = append(places, filepath.Join(r.Common, filepath.FromSlash(name)))
	}
	return places
}

// commitPlaces returns where git writes when it commits in a worktree of parley's.
func commitPlaces(own *gitsafe.Repo) []string { return append(branchPlaces(own), own.Dir) }
