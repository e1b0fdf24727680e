// Package worktree gives a session its own git worktree and branch, so that an agent can work without
// touching the files that the user has open, and its result can be merged, kept or thrown away.
//
// A worktree named NAME is in the state directory, below a directory for its repository, on the branch
// parley/NAME. git's own records are the only ones: nothing else has to be kept in step. Uncommitted
// changes of the user are never touched: they are not copied into the worktree, and a merge that would
// overwrite one is refused.
//
// All functions wait for git and for the disk. Hooks never run, and a repository whose own configuration
// names programs is refused (gitsafe.Trusted), because an agent may have written it.
package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"parley/internal/gitsafe"
	"parley/internal/programs"
)

// Errors that callers tell apart.
var (
	ErrNoRepository = errors.New("not a git repository")
	ErrNoFiles      = errors.New("a bare repository, or the inside of .git, has no files to work on")
	ErrNoCommit     = errors.New("the repository has no commit yet: commit something first")
	ErrNotOnBranch  = errors.New("the worktree to merge into is not on a branch: check one out first")
	ErrBare         = errors.New("its repository is bare, without files to merge into: start parley in a worktree of yours")
	ErrBusy         = errors.New("a merge or rebase is in progress there: finish it first")
	ErrBranchMoved  = errors.New("its branch is not checked out there")
	ErrReplaced     = errors.New("its .git leads to another repository")
	ErrNotOurs      = errors.New("not in a worktree of parley's")
	ErrNested       = errors.New("a repository inside the worktree cannot be merged: move it elsewhere, or remove its .git")
	ErrBranchExists = errors.New("the branch exists already")
)

// prefix begins the names of the branches.
const prefix = "parley/"

// Store makes and finds worktrees.
type Store struct {
	dir string // where the worktrees are
	git string // the program, an absolute path
}

// Open returns the store in a directory of parley's, which is made when it is needed. It fails if git
// is not installed.
func Open(dir string) (*Store, error) {
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("worktrees need an absolute state directory, not %s: set HOME or PARLEY_STATE", dir)
	}
	git, err := programs.Find("git")
	if err != nil {
		return nil, fmt.Errorf("worktrees need git: %w", err)
	}
	return &Store{dir: dir, git: git}, nil
}

// Tree is a worktree with a branch of its own.
type Tree struct {
	Name string
	Path string // its root
	Main string // the root of the worktree it was made from

	// Broken is why git cannot use it, nil if it can: mostly its repository is gone. It can only be
	// removed.
	Broken error
}

// Branch is the branch of the worktree.
func (t Tree) Branch() string { return prefix + t.Name }

// validName keeps names usable as a directory and as a branch.
var validName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$`)

// invalid is what NameOf replaces: dots, too, because two of them are not allowed.
var invalid = regexp.MustCompile(`[^A-Za-z0-9_]+`)

// CheckName says in one line what is wrong with a name.
func CheckName(name string) error {
	if !validName.MatchString(name) || strings.Contains(name, "..") || strings.HasSuffix(name, ".lock") {
		return fmt.Errorf("%q cannot name a worktree: use letters, digits, dots, dashes and underscores", name)
	}
	return nil
}

// NameOf makes a name of any text, for CreateNew.
func NameOf(text string) string {
	const most = 40 // a number follows
	name := strings.Trim(invalid.ReplaceAllString(text, "-"), "-")
	if len(name) > most {
		name = strings.TrimRight(name[:most], "-")
	}
	return cmp.Or(name, "tree")
}

// Created is a worktree to work in.
type Created struct {
	Tree
	Inside  string // the directory in it that corresponds to the one it was made for
	Existed bool   // it was not made now
}

// Create makes the worktree of that name for the repository of dir at its current commit, or returns
// the one that exists. uncommitted is how many changed files of the user's are not in it.
func (s *Store) Create(ctx context.Context, dir, name string) (t Created, uncommitted int, err error) {
	if err := CheckName(name); err != nil {
		return Created{}, 0, err
	}
	from, err := s.origin(ctx, dir)
	if err != nil {
		return Created{}, 0, err
	}
	t.Tree = from.tree(name)
	if _, err := os.Lstat(t.Path); err == nil {
		t.Inside, t.Existed = filepath.Join(t.Path, from.below), true
		return t, 0, s.verify(ctx, t.Tree)
	}
	if err := s.prepare(ctx, &from); err != nil {
		return Created{}, 0, err
	}
	if exists, err := s.branchExists(ctx, from, t.Tree); err != nil || exists {
		return Created{}, 0, cmp.Or(err, fmt.Errorf("%w: %s; use another name, or remove it: git branch -d %s", ErrBranchExists, t.Branch(), t.Branch()))
	}
	if t.Inside, err = s.add(ctx, from, t.Tree); err != nil {
		return Created{}, 0, err
	}
	return t, from.uncommitted, nil
}

// CreateNew makes new worktrees at the current commit of dir's repository, one for each of the names,
// to which it adds the first number that is free. uncommitted is that of Create. After an error there
// are none.
func (s *Store) CreateNew(ctx context.Context, dir string, names ...string) (made []Created, uncommitted int, err error) {
	from, err := s.origin(ctx, dir)
	if err == nil {
		err = s.prepare(ctx, &from)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		t, err := s.numbered(ctx, from, name)
		inside := ""
		if err == nil {
			inside, err = s.add(ctx, from, t)
		}
		if err != nil {
			for _, m := range made { // nothing has changed them
				err = errors.Join(err, s.Remove(context.WithoutCancel(ctx), m.Tree))
			}
			return nil, 0, err
		}
		made = append(made, Created{Tree: t, Inside: inside})
	}
	return made, from.uncommitted, nil
}

// numbered returns a worktree that does not exist, with a branch that does not exist.
func (s *Store) numbered(ctx context.Context, from origin, name string) (Tree, error) {
	for n := 1; ; n++ {
		t := from.tree(fmt.Sprintf("%s-%d", name, n))
		if err := CheckName(t.Name); err != nil {
			return Tree{}, err
		}
		if _, err := os.Lstat(t.Path); err == nil {
			continue
		}
		exists, err := s.branchExists(ctx, from, t)
		if err != nil || !exists {
			return t, err
		}
	}
}

func (s *Store) branchExists(ctx context.Context, from origin, t Tree) (bool, error) {
	found, err := s.run(ctx, from.main, "for-each-ref", "refs/heads/"+t.Branch())
	return found != "", err
}

// origin is where new worktrees come from.
type origin struct {
	repository
	below string // the directory of the user, relative to main

	commit      string // what they begin with; set by prepare
	uncommitted int
}

func (o origin) tree(name string) Tree {
	return Tree{Name: name, Path: filepath.Join(o.place, name), Main: o.main}
}

func (s *Store) origin(ctx context.Context, dir string) (origin, error) {
	r, err := s.repository(ctx, dir)
	if err != nil {
		return origin{}, err
	}
	below, err := s.run(ctx, dir, "rev-parse", "--show-prefix")
	return origin{repository: r, below: filepath.FromSlash(below)}, err
}

// prepare makes sure that add can be called.
func (s *Store) prepare(ctx context.Context, from *origin) error {
	var err error
	if from.commit, err = s.run(ctx, from.main, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		return ErrNoCommit
	}
	if err := gitsafe.Trusted(ctx, s.git, from.main); err != nil {
		return err
	}
	changed, err := s.uncommitted(ctx, from.main)
	if err != nil {
		return err
	}
	from.uncommitted = len(changed)
	return nil
}

// tidy removes the directory of a repository that has no worktrees, and that of the store.
func (s *Store) tidy(place string) {
	os.Remove(place)
	os.Remove(s.dir)
}

// add makes a worktree on a new branch, and returns the directory in it that corresponds to the user's.
// After an error neither is left. The end of ctx does not interrupt it: git would leave half a worktree.
func (s *Store) add(ctx context.Context, from origin, t Tree) (inside string, err error) {
	if err := os.MkdirAll(from.place, 0o700); err != nil {
		return "", fmt.Errorf("create worktree: %w", err)
	}
	ctx = context.WithoutCancel(ctx)
	if _, err := s.run(ctx, from.main, "worktree", "add", "--quiet", "--no-track", "-b", t.Branch(), t.Path, from.commit); err != nil {
		s.run(ctx, from.main, "update-ref", "-d", "refs/heads/"+t.Branch(), from.commit) // git leaves it
		s.tidy(from.place)
		return "", err
	}
	inside = filepath.Join(t.Path, from.below)
	if _, err := os.Stat(inside); err != nil { // it is not committed
		inside = t.Path
	}
	return inside, nil
}

// verify reports whether a tree that exists is what it should be: on its branch, and of the repository
// that it was made from.
func (s *Store) verify(ctx context.Context, t Tree) error {
	if t.Broken != nil {
		return t.Broken
	}
	branch, err := s.run(ctx, t.Path, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil || branch != t.Branch() {
		return fmt.Errorf("%w: %s (%s)", ErrBranchMoved, t.Branch(), t.Path)
	}
	var common [2]os.FileInfo
	for i, dir := range []string{t.Path, t.Main} {
		path, err := s.commonDir(ctx, dir)
		if err != nil {
			return err
		}
		if common[i], err = os.Stat(path); err != nil {
			return err
		}
	}
	if !os.SameFile(common[0], common[1]) {
		return fmt.Errorf("%w (%s)", ErrReplaced, t.Path)
	}
	return nil
}

// run runs git and returns what it printed, without the last newline.
func (s *Store) run(ctx context.Context, dir string, words ...string) (string, error) {
	out, err := gitsafe.Run(ctx, s.git, dir, words...)
	return strings.TrimSuffix(out, "\n"), err
}
