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
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/gitsafe"
	"parley/internal/programs"
)

// Errors that callers tell apart.
var (
	ErrNoRepository = errors.New("not a git repository")
	ErrNoCommit     = errors.New("the repository has no commit yet: commit something first")
	ErrNotOnBranch  = errors.New("the worktree to merge into is not on a branch: check one out first")
	ErrBusy         = errors.New("a merge or rebase is in progress there: finish it first")
	ErrBranchMoved  = errors.New("its branch is not checked out there")
	ErrReplaced     = errors.New("its .git leads to another repository")
	ErrNotOurs      = errors.New("not in a worktree of parley's")
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
	t.Inside, err = s.add(ctx, from, t.Tree)
	return t, from.uncommitted, err
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
		branches, err := s.run(ctx, from.main, "for-each-ref", "refs/heads/"+t.Branch())
		if err != nil {
			return Tree{}, err
		}
		if branches == "" {
			return t, nil
		}
	}
}

// origin is where new worktrees come from.
type origin struct {
	main, place string // see repository
	below       string // the directory of the user, relative to main

	commit      string // what they begin with; set by prepare
	uncommitted int
}

func (o origin) tree(name string) Tree {
	return Tree{Name: name, Path: filepath.Join(o.place, name), Main: o.main}
}

func (s *Store) origin(ctx context.Context, dir string) (origin, error) {
	main, place, err := s.repository(ctx, dir)
	if err != nil {
		return origin{}, err
	}
	below, err := s.run(ctx, dir, "rev-parse", "--show-prefix")
	return origin{main: main, place: place, below: filepath.FromSlash(below)}, err
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
	if err := os.MkdirAll(from.place, 0o700); err != nil {
		return fmt.Errorf("create worktree: %w", err)
	}
	return nil
}

// add makes a worktree and returns the directory in it that corresponds to the user's. The end of ctx
// does not interrupt it: git would leave half a worktree.
func (s *Store) add(ctx context.Context, from origin, t Tree) (inside string, err error) {
	if _, err := s.run(context.WithoutCancel(ctx), from.main, "worktree", "add", "--quiet", "--no-track", "-b", t.Branch(), t.Path, from.commit); err != nil {
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
	branch, err := s.run(ctx, t.Path, "symbolic-ref", "--quiet", "--short", "HEAD")
	if err != nil || branch != t.Branch() {
		return fmt.Errorf("%w: %s (%s)", ErrBranchMoved, t.Branch(), t.Path)
	}
	var common [2]os.FileInfo
	for i, dir := range []string{t.Path, t.Main} {
		path, err := s.run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
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

// repository returns the root of the worktree of the user's that dir is in, and where the store keeps
// the worktrees of its repository. If dir is in the store, main is that of the repository.
func (s *Store) repository(ctx context.Context, dir string) (main, place string, err error) {
	common, err := s.run(ctx, dir, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if cause := context.Cause(ctx); cause != nil {
		return "", "", cause
	}
	if err != nil {
		return "", "", fmt.Errorf("%w: %s", ErrNoRepository, dir)
	}
	// dir may itself be in a worktree of the store: a merge goes to where the user is.
	list, err := s.run(ctx, dir, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", "", err
	}
	first, _, _ := strings.Cut(list, "\x00")
	main, ok := strings.CutPrefix(first, "worktree ")
	if inside, err := s.run(ctx, dir, "rev-parse", "--is-inside-work-tree"); !ok || err != nil || inside != "true" {
		return "", "", fmt.Errorf("%w: %s", ErrNoRepository, dir)
	}
	sum := sha256.Sum256([]byte(common))
	base := filepath.Base(main)
	if CheckName(base) != nil {
		base = "repository"
	}
	if top, err := s.run(ctx, dir, "rev-parse", "--show-toplevel"); err == nil && !within(s.dir, top) {
		main = top
	}
	return filepath.FromSlash(main), filepath.Join(s.dir, base+"-"+hex.EncodeToString(sum[:4])), nil
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
func (s *Store) List(ctx context.Context) ([]Tree, error) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "*", "*"))
	if err != nil {
		return nil, err
	}
	var all []Tree
	for _, path := range paths {
		name := filepath.Base(path)
		if CheckName(name) != nil {
			continue
		}
		all = append(all, s.existing(ctx, path))
	}
	return all, context.Cause(ctx)
}

// existing returns the worktree at a path. Main is the main worktree of its repository.
func (s *Store) existing(ctx context.Context, path string) Tree {
	t := Tree{Name: filepath.Base(path), Path: path}
	if list, err := s.run(ctx, path, "worktree", "list", "--porcelain", "-z"); err == nil {
		first, _, _ := strings.Cut(list, "\x00")
		t.Main, _ = strings.CutPrefix(first, "worktree ")
	}
	return t
}

// At returns the worktree that a directory is in, or an ErrNotOurs. It would be merged into the
// worktree of from, if that is of the same repository.
func (s *Store) At(ctx context.Context, from, dir string) (Tree, error) {
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
	if main, place, err := s.repository(ctx, from); err == nil && place == filepath.Dir(t.Path) {
		t.Main = main // the repository may have other worktrees of the user's
	}
	return t, context.Cause(ctx)
}

// Find returns the worktree of that name: of dir's repository, or else the only one of that name.
func (s *Store) Find(ctx context.Context, dir, name string) (Tree, error) {
	all, err := s.List(ctx)
	if err != nil {
		return Tree{}, err
	}
	all = slices.DeleteFunc(all, func(t Tree) bool { return t.Name != name })
	if main, place, err := s.repository(ctx, dir); err == nil {
		if i := slices.IndexFunc(all, func(t Tree) bool { return filepath.Dir(t.Path) == place }); i >= 0 {
			all[i].Main = main // the repository may have other worktrees of the user's
			return all[i], nil
		}
	}
	switch len(all) {
	case 0:
		return Tree{}, fmt.Errorf("no worktree %s", name)
	case 1:
		return all[0], nil
	}
	return Tree{}, fmt.Errorf("several repositories have a worktree %s: run this in one of them", name)
}

// run runs git and returns what it printed, without the last newline.
func (s *Store) run(ctx context.Context, dir string, words ...string) (string, error) {
	out, err := gitsafe.Run(ctx, s.git, dir, words...)
	return strings.TrimSuffix(out, "\n"), err
}
