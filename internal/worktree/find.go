package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/gitsafe"
)

// repository is the repository of a directory.
type repository struct {
	*gitsafe.Repo // of the user's worktree that the directory is in, else of the main one

	below  string // the directory, relative to the root of its worktree
	place  string // where the store keeps the worktrees of the repository
	inside bool   // the directory is in a worktree of the user's
}

// find finds the repository of a directory.
func (s *Store) find(ctx context.Context, dir string) (*gitsafe.Repo, error) {
	r, err := gitsafe.Find(ctx, s.git, dir)
	if err != nil {
		return nil, notRepository(dir, err)
	}
	return r, nil
}

// repository returns the repository that dir is in. dir may be in a worktree of the store.
func (s *Store) repository(ctx context.Context, dir string) (r repository, err error) {
	if r.Repo, err = s.find(ctx, dir); err != nil {
		return r, err
	}
	main := mainOf(r.Repo)
	base := filepath.Base(main)
	if CheckName(base) != nil {
		base = "repository"
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(r.Common)))
	r.place = filepath.Join(s.dir, base+"-"+hex.EncodeToString(sum[:4]))
	r.below, r.inside = filepath.FromSlash(r.Prefix), !within(s.dir, r.Top)
	if !r.inside {
		r.Repo, err = s.find(ctx, main)
	} else {
		r.Repo = r.AtTop()
	}
	return r, err
}

// notRepository says why git finds no repository in a directory.
func notRepository(dir string, err error) error {
	var failed *gitsafe.Error
	switch {
	case errors.Is(err, ErrNoFiles):
		return fmt.Errorf("%w: %s", ErrNoFiles, dir)
	case !errors.As(err, &failed), failed.Code() < 0: // git did not run
		return err
	case strings.Contains(failed.Stderr, "(or any "):
		return fmt.Errorf("%w: %s", ErrNoRepository, dir)
	case strings.Contains(failed.Stderr, "cannot use bare repository"):
		return fmt.Errorf("%w: %s", ErrNoFiles, dir)
	case strings.Contains(failed.Stderr, "dubious ownership"):
		_, command, _ := strings.Cut(failed.Stderr, "\n\t")
		command, _, _ = strings.Cut(command, "\n")
		return fmt.Errorf("the repository belongs to another user, and git refuses it; if you trust it, type: %s", command)
	}
	return fmt.Errorf("%w: %s (%w)", ErrNoRepository, dir, err)
}

// mainOf returns the main worktree of a repository, or the directory of a bare one.
func mainOf(r *gitsafe.Repo) string {
	if filepath.Base(r.Common) == ".git" {
		return filepath.Dir(r.Common)
	}
	return r.Common
}

// owns reports whether a worktree of the store belongs to the repository.
func (s *Store) owns(ctx context.Context, r repository, t Tree) bool {
	if filepath.Dir(t.Path) == r.place {
		return true
	}
	own, err := s.find(ctx, t.Path) // the repository may have been moved
	return err == nil && own.Shares(r.Repo)
}

// within reports whether path is in dir; both exist.
func within(dir, path string) bool {
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	rel, err := filepath.Rel(dir, filepath.FromSlash(path))
	return err == nil && filepath.IsLocal(rel)
}

// List returns all worktrees of the store, of every repository, sorted by path.
func (s *Store) List(ctx context.Context) ([]Tree, error) { return s.named(ctx, "*") }

// named returns the worktrees whose names match a pattern.
func (s *Store) named(ctx context.Context, pattern string) (all []Tree, err error) {
	paths, err := fs.Glob(os.DirFS(s.dir), "*/"+pattern)
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if path = filepath.Join(s.dir, filepath.FromSlash(path)); CheckName(filepath.Base(path)) == nil {
			all = append(all, s.existing(ctx, path))
		}
	}
	return all, context.Cause(ctx)
}

// existing returns the worktree at a path. Main is the main worktree of its repository.
func (s *Store) existing(ctx context.Context, path string) Tree {
	t := Tree{Name: filepath.Base(path), Path: path}
	_, err := os.Lstat(filepath.Join(path, ".git"))
	if err == nil { // or git would find one around the store
		var r *gitsafe.Repo
		if r, err = s.find(ctx, path); err == nil {
			t.Main = mainOf(r)
		}
	}
	if err != nil {
		t.Broken = fmt.Errorf("its repository is gone: %w", err)
	}
	return t
}

// At returns the worktree that a directory is in, or an ErrNotOurs. It would be merged into the worktree
// of the first of the directories from that is in one of the user's, of the same repository.
func (s *Store) At(ctx context.Context, dir string, from ...string) (Tree, error) {
	store := s.dir
	for _, path := range []*string{&store, &dir} {
		if resolved, err := filepath.EvalSymlinks(*path); err == nil {
			*path = resolved
		}
	}
	rel, err := filepath.Rel(store, dir)
	words := strings.SplitN(filepath.ToSlash(rel), "/", 3)
	if err != nil || !filepath.IsLocal(rel) || len(words) < 2 || CheckName(words[1]) != nil {
		return Tree{}, fmt.Errorf("%s: %w", dir, ErrNotOurs)
	}
	t := s.existing(ctx, filepath.Join(s.dir, words[0], words[1]))
	for _, own := range from {
		if r, err := s.repository(ctx, own); err == nil && r.inside && s.owns(ctx, r, t) {
			t.Main = r.Top // the repository may have other worktrees of the user's
			break
		}
	}
	return t, context.Cause(ctx)
}

// CommitPlaces returns where git writes when it commits in the worktree that a directory is in: its own
// git directory, the objects, and the references of parley's branches with their logs. It returns none if
// the directory is in no worktree of the store, or git would write elsewhere.
func (s *Store) CommitPlaces(ctx context.Context, dir string) []string {
	t, err := s.At(ctx, dir)
	if err != nil {
		return nil
	}
	own, err := s.find(ctx, t.Path)
	if err != nil || own.Prefix != "" || own.Dir == own.Common || !own.Owned() {
		return nil
	}
	return commitPlaces(own)
}

// Find returns the worktree of that name: of dir's repository, or else the only one of that name. here
// says that dir is in the user's worktree that it would be merged into.
func (s *Store) Find(ctx context.Context, dir, name string) (t Tree, here bool, err error) {
	if CheckName(name) != nil {
		return Tree{}, false, fmt.Errorf("no worktree %s", name)
	}
	all, err := s.named(ctx, name)
	if err != nil {
		return Tree{}, false, err
	}
	if r, err := s.repository(ctx, dir); err == nil {
		for _, t := range all {
			if s.owns(ctx, r, t) {
				t.Main = r.Top // the repository may have other worktrees of the user's
				return t, r.inside, nil
			}
		}
	}
	switch len(all) {
	case 0:
		return Tree{}, false, fmt.Errorf("no worktree %s", name)
	case 1:
		return all[0], false, nil
	}
	return Tree{}, false, fmt.Errorf("several repositories have a worktree %s: run this in one of them", name)
}
