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
	main   string // the root of the user's worktree that the directory is in, else of the main one
	place  string // where the store keeps the worktrees of the repository
	inside bool   // the directory is in main

	common os.FileInfo // its .git directory
}

// repository returns the repository that dir is in. dir may be in a worktree of the store; main is one of
// the user's in any case.
func (s *Store) repository(ctx context.Context, dir string) (r repository, err error) {
	path, err := s.commonDir(ctx, dir)
	if cause := context.Cause(ctx); cause != nil {
		return r, cause
	}
	if err != nil {
		return r, notRepository(dir, err)
	}
	if r.common, err = os.Stat(path); err != nil {
		return r, err
	}
	if inside, err := s.run(ctx, dir, "rev-parse", "--is-inside-work-tree"); err != nil || inside != "true" {
		return r, fmt.Errorf("%w: %s", ErrNoFiles, dir)
	}
	if r.main, err = s.mainOf(ctx, dir); err != nil {
		return r, err
	}
	sum := sha256.Sum256([]byte(path))
	base := filepath.Base(r.main)
	if CheckName(base) != nil {
		base = "repository"
	}
	r.place = filepath.Join(s.dir, base+"-"+hex.EncodeToString(sum[:4]))
	if top, err := s.run(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && !within(s.dir, top) {
		r.main, r.inside = filepath.FromSlash(top), true
	}
	return r, nil
}

// notRepository says why git finds no repository in a directory.
func notRepository(dir string, err error) error {
	var failed *gitsafe.Error
	switch {
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

// commonDir returns the .git directory of a repository, also in a linked worktree.
func (s *Store) commonDir(ctx context.Context, dir string) (string, error) {
	path, err := s.run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	return filepath.FromSlash(path), err
}

// mainOf returns the main worktree of the repository that dir is in.
func (s *Store) mainOf(ctx context.Context, dir string) (string, error) {
	list, err := s.run(ctx, dir, "worktree", "list", "--porcelain", "-z")
	first, _, _ := strings.Cut(list, "\x00")
	return filepath.FromSlash(strings.TrimPrefix(first, "worktree ")), err
}

// owns reports whether a worktree of the store belongs to the repository.
func (s *Store) owns(ctx context.Context, r repository, t Tree) bool {
	if filepath.Dir(t.Path) == r.place {
		return true
	}
	path, err := s.commonDir(ctx, t.Path) // the repository may have been moved
	if err != nil {
		return false
	}
	common, err := os.Stat(path)
	return err == nil && os.SameFile(common, r.common)
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
		t.Main, err = s.mainOf(ctx, path)
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
			t.Main = r.main // the repository may have other worktrees of the user's
			break
		}
	}
	return t, context.Cause(ctx)
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
				t.Main = r.main // the repository may have other worktrees of the user's
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
