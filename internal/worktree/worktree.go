// Package worktree gives a session its own git worktree and branch, so that an agent can work without
// touching the files that the user has open, and its result can be merged, kept or thrown away.
//
// A worktree named NAME is in the state directory, below a directory for its repository, on the branch
// parley/NAME. git's own records are the only ones: nothing else has to be kept in step. Uncommitted
// changes of the user are never touched: they are not copied into the worktree, and a merge that would
// overwrite one is refused.
//
// All functions wait for git and for the disk. Git runs nothing that the repository or the user has
// configured (gitsafe): a file that needs a filter, such as those of Git LFS, is not merged.
package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/internal/gitsafe"
	"parley/internal/lazy"
)

// Errors that callers tell apart.
var (
	ErrNoFiles      = gitsafe.ErrNoFiles
	ErrNoRepository = errors.New("not a git repository")
	ErrNoCommit     = errors.New("the repository has no commit yet: commit something first")
	ErrNotOnBranch  = errors.New("the worktree to merge into is not on a branch: check one out first")
	ErrBare         = errors.New("its repository is bare, without files to merge into: start parley in a worktree of yours")
	ErrBusy         = errors.New("a merge or rebase is in progress there: finish it first")
	ErrBranchMoved  = errors.New("its branch is not checked out there")
	ErrReplaced     = errors.New("its .git leads to another repository")
	ErrElsewhere    = errors.New("submodules are not supported, nor other repositories whose .git leads elsewhere")
	ErrFiltered     = errors.New("a filter converts it, which parley does not run")
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
	git, err := gitsafe.Program()
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
var validName = lazy.Regexp(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$`)

// invalid is what NameOf replaces: dots, too, because two of them are not allowed.
var invalid = lazy.Regexp(`[^A-Za-z0-9_]+`)

// CheckName says in one line what is wrong with a name.
func CheckName(name string) error {
	if !validName().MatchString(name) || strings.Contains(name, "..") || strings.HasSuffix(name, ".lock") {
		return fmt.Errorf("%q cannot name a worktree: use letters, digits, dots, dashes and underscores", name)
	}
	return nil
}

// NameOf makes a name of any text, for CreateNew.
func NameOf(text string) string {
	const most = 40 // a number follows
	name := strings.Trim(invalid().ReplaceAllString(text, "-"), "-")
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
		_, err := s.verify(ctx, t.Tree)
		return t, 0, err
	}
	if err := s.prepare(ctx, &from); err != nil {
		return Created{}, 0, err
	}
	if exists, err := branchExists(ctx, from.Repo, t.Tree); err != nil || exists {
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
		exists, err := branchExists(ctx, from.Repo, t)
		if err != nil || !exists {
			return t, err
		}
	}
}

// origin is where new worktrees come from.
type origin struct {
	repository

	commit      string // what they begin with; set by prepare
	uncommitted int
}

func (o origin) tree(name string) Tree {
	return Tree{Name: name, Path: filepath.Join(o.place, name), Main: o.Top}
}

func (s *Store) origin(ctx context.Context, dir string) (origin, error) {
	r, err := s.repository(ctx, dir)
	return origin{repository: r}, err
}

// prepare makes sure that add can be called.
func (s *Store) prepare(ctx context.Context, from *origin) error {
	var err error
	if !from.Owned() {
		return ErrElsewhere
	}
	if from.commit, err = head(ctx, from.Repo); err != nil {
		return err
	}
	changed, err := uncommitted(ctx, from.Repo)
	from.uncommitted = len(changed)
	return err
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
	admin := filepath.Join(from.Common, "worktrees")
	err = os.MkdirAll(admin, 0o777) // git makes it in the directory that it takes for from.Common
	if err == nil {
		err = setBranch(ctx, from.Only(branchPlaces(from.Repo)...), t, from.commit, "", "branch: created by parley")
	}
	if err == nil {
		_, err = from.Writing(from.place).Run(ctx, "worktree", "add", "--quiet", t.Path, t.Branch())
	}
	if err == nil { // nor does it know where that is
		err = relink(t.Path, admin)
	}
	if err != nil {
		removeBranch(ctx, from.Repo, t, from.commit) // git leaves it
		os.Remove(admin)
		s.tidy(from.place)
		return "", err
	}
	inside = filepath.Join(t.Path, from.below)
	if _, err := os.Stat(inside); err != nil { // it is not committed
		inside = t.Path
	}
	return inside, nil
}

// relink makes the .git file of a new worktree lead to its directory in the repository.
func relink(path, admin string) error {
	file := filepath.Join(path, ".git")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	id := filepath.Base(filepath.FromSlash(strings.TrimSpace(string(text))))
	return os.WriteFile(file, []byte("gitdir: "+filepath.ToSlash(filepath.Join(admin, id))+"\n"), 0o666)
}

// opened is a worktree whose repository has been found.
type opened struct {
	Tree
	own, main *gitsafe.Repo // of Path and Main; commands run in the roots
}

// open finds the repository of a tree that exists. It is the one that it was made from.
func (s *Store) open(ctx context.Context, t Tree) (o opened, err error) {
	if t.Broken != nil {
		return opened{}, t.Broken
	}
	o.Tree = t
	if o.own, err = s.find(ctx, t.Path); err != nil {
		return opened{}, err
	}
	switch o.main, err = s.find(ctx, t.Main); {
	case errors.Is(err, ErrNoFiles):
		return opened{}, ErrBare
	case err != nil:
		return opened{}, err
	case o.own.Prefix != "" || !o.own.Owned() || !o.main.Owned() || !o.own.Shares(o.main):
		return opened{}, fmt.Errorf("%w (%s)", ErrReplaced, t.Path)
	}
	return o, nil
}

// verify is open of a tree that must be on its branch.
func (s *Store) verify(ctx context.Context, t Tree) (opened, error) {
	o, err := s.open(ctx, t)
	if err != nil {
		return opened{}, err
	}
	if branch, err := line(ctx, o.own, "symbolic-ref", "--quiet", "--short", "HEAD"); err != nil || branch != t.Branch() {
		return opened{}, fmt.Errorf("%w: %s (%s)", ErrBranchMoved, t.Branch(), t.Path)
	}
	return o, nil
}

// head returns the commit of a worktree.
func head(ctx context.Context, r *gitsafe.Repo) (string, error) {
	commit, err := line(ctx, r, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if !errors.As(err, new(*gitsafe.Error)) {
		return commit, err
	}
	// Only log tells a branch without commits from a damaged one.
	if _, err := r.Run(ctx, "log", "-1", "--format="); err != nil && !strings.Contains(err.Error(), "does not have any commits yet") {
		return "", fmt.Errorf("%w; `git fsck` says more", err)
	}
	return "", ErrNoCommit
}

// line runs git and returns what it printed, without the last newline.
func line(ctx context.Context, r *gitsafe.Repo, words ...string) (string, error) {
	out, err := r.Run(ctx, words...)
	return strings.TrimSuffix(out, "\n"), err
}
